"""Rendering of results for people: recalled messages with their receipts, facts, pages, dreams, her self-state.

What a view found comes in; out go lines of text in the reader's language. Nothing is read or changed here.
"""
