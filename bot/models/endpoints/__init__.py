"""Models behind an OpenAI-compatible endpoint: connections, requests and responses.

Messages, tools and texts come in; pieces of an answer, tool calls and vectors go out, or one of Lyra's errors. Everything that
an endpoint sends is validated.
"""
