"""Discord. Only this package knows discord.py.

Gateway events, histories and interactions come in; messages, calls and changes go out to the listener. Replies come in and go
out as messages, each once, under a nonce or an interaction's token.
"""
