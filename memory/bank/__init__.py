"""The bank of a shared domain: its conversations in a block of bounded size that all of its readers may see.

Finished conversations come in; bullets go out, folded into days, weeks and months where the block would grow too large.
"""
