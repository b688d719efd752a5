"""Retrieval without a model.

Messages and digests come in and are indexed by words and vectors; a question comes in as text; out come the items that answer
it, ranked, from the domains that may be read.
"""
