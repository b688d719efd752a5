"""Matrix. Only this package knows matrix-nio.

Syncs and room histories come in; messages, calls and changes go out to the listener. Replies come in and go out as events,
each once, under a transaction id, encrypted wherever the room is.
"""
