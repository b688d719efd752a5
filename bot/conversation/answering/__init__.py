"""From a stored question to a stored answer.

In come messages with their readers. A prompt goes to the model, whose lookups are read from the same view, and out goes a
reply that is stored before it is sent. The sources of an answer are re-checked until it is stored.
"""
