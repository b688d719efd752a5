"""From a stored question to a stored answer.

What was said comes in with who may read it; a prompt goes to the model, what it looks up meanwhile is read from the same view,
and out goes a reply that is kept before it is sent. What an answer rests on is looked at until it is kept.
"""
