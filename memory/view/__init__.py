"""The only way to read or write memory.

Domains come in once, when a view is made: one that is written and those that may be read. Out come messages, digests and
receipts of those domains and no others.
"""
