"""Where everything is kept, behind a port.

Statements come in; out come rows, each transaction whole on disk or not there at all. Beside the database stand its key, its
locks, its backups and its migrations.
"""
