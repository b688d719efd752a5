"""Encryption of columns on the client side, for a database on a server.

Statements and rows come in as the rest of memory has them; out go statements with encrypted parameters, and rows that are
decrypted when read. Each value is encrypted with a data key of its domain and authenticated for its table, column and row:
moved elsewhere, it is refused.
"""
