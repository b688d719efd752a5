"""Language models and embedders.

A prompt or texts come in; out come answers, digests and vectors. `port` is the interface for the rest of the bot; behind it are
OpenAI-compatible endpoints, fallback chains, local embedders, and a voice that needs no model.
"""
