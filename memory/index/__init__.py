"""Finding again, without a model.

Messages and digests come in as words and vectors; a question comes in as text; out come the items that answer it, ranked, of
the domains that may be read.
"""
