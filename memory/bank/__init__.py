"""The bank of a shared domain: what its conversations said, in a block of bounded size that all of its readers may see."""
