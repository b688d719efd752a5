"""The store as one encrypted SQLite file, and what only SQLite does.

The statements of the port come in and run as they are. Connections, the log beside the file, who waits for whom, and the
migrations of a file are known here and nowhere else.
"""
