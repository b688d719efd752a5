"""Who and what is let in: who may use her, which of the things said are hers, and how much somebody has of her.

In: the configuration, what was said, and by whom. Out: whether it is kept, answered, answered briefly, or declined.
"""
