"""How things are shown to people: recalled messages with their receipts, facts, pages, dreams, who she is.

What a view found comes in; out go lines of text in the reader's language. Nothing is read or changed here.
"""
