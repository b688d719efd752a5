"""The store as one encrypted SQLite file, and everything specific to SQLite.

The statements of the port come in and run unchanged. Connections, the WAL beside the file, the order of writers, and the
migrations of a file are known here and nowhere else.
"""
