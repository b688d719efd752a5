"""What is kept of messages beside their words: their names, what stood in view when one was made, and as what a platform shows it.

Messages come in as they were heard, and are written here and nowhere else; out come the rows that `memory/tiers/exchanges.py` reads.
"""
