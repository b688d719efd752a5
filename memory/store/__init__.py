"""The encrypted file that everything lives in.

Statements come in; out come rows, each transaction whole on disk or not there at all. Beside the database stand its key, its
locks, its backups and its migrations.
"""
