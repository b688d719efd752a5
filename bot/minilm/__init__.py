"""The local embedding model: all-MiniLM-L6-v2, run in numpy, with no server, no account and no network."""
