"""The store as a schema of a PostgreSQL database, and what only PostgreSQL does.

The statements of the port come in and run as they are. What the server calls otherwise, who waits for whom across processes, and
what becomes of a connection that breaks are known here and nowhere else; psycopg is loaded where a memory is kept so, and only there.
"""
