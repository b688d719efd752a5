"""Everything written from something else: gists, summaries, profile, eras, narrative.

Sources come in with a writer; out come statements that cite them and contain no name or number that they do not. A piece of
work is claimed before it is written and published under that claim, so it is done once.
"""
