"""Models behind an OpenAI-compatible endpoint: how they are reached, asked and read.

Messages, tools and texts come in; pieces of an answer, calls of tools and vectors go out, or an error in Lyra's words. Nothing
that an endpoint sends is believed before it was looked at.
"""
