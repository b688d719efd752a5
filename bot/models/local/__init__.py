"""The local embedding models, with no server, no account and no network: all-MiniLM-L6-v2 and multilingual-e5-small.

Texts come in; out come unit vectors. The weights are files of packages, verified before use.
"""
