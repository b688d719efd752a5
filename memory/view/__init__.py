"""The only way to read or write memory.

Domains come in once, when a view is made: one to write and those that may be read. Messages, digests and receipts of those
domains come out, and of no others.
"""
