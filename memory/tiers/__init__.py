"""The ladder, one module per tier: exchanges, episodes, summaries, profile, eras, narrative, self.

Messages come in at the bottom; each tier is made from those below and cites them. Each module owns the tables of its tier. Beside
the ladder stand manners, open things, corrections, feedback and the names that texts mention.
"""
