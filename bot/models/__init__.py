"""Language models and embedders.

A prompt or texts come in; out come answers, digests and vectors. `port` is what the rest knows; behind it stand endpoints
that speak OpenAI's protocol, fallback chains, a local embedder, and a voice that needs no model.
"""
