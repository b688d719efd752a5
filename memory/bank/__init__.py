"""The bank of a shared domain: what its conversations said, in a block of bounded size that all of its readers may see.

Conversations that are over come in; out come bullets, folded into days, weeks and months where the block would grow too large.
"""
