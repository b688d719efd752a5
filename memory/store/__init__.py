"""The storage port and its two implementations, SQLite and PostgreSQL.

Statements come in; out come rows, and each transaction is durable as a whole or not at all. Keys, locks, backups and migrations are
here as well.
"""
