"""What a model is given for a turn.

A question comes in with the view of whoever asks; out goes a prompt within a token budget, and the items that stand in it.
Every line is rendered by one function, and an answer's citations are matched against those items.
"""
