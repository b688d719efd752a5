"""The store as a schema of a PostgreSQL database, and what only PostgreSQL does.

Statements of the port come in and are run; out come rows. Differences of dialect, locks between processes and broken connections are
handled here and nowhere else. psycopg is loaded only if a server is configured.
"""
