"""The ladder, a file a rung: exchanges, episodes, summaries, profile, eras, narrative, self.

Messages come in at the bottom; each rung is made from those below and cites them. Each module owns the tables of its rung.
"""
