"""Storage of messages: their rows, their names, what stood in view of replies, and how platforms show them.

Messages come in as they were heard, and are written here and nowhere else; out come the rows that `memory/tiers/exchanges.py`
reads.
"""
