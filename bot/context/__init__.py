"""Building the prompt of a turn.

In come a question and the asker's view; out goes a prompt within a token budget, with the items in it. Every line is
rendered by one function, and the citations of an answer are matched against those items.
"""
