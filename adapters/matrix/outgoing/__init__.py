"""Messages that Lyra sends to Matrix.

Frozen parts come in with a place and a key; they go out as events, edits or redactions, each once. What became of a part
whose fate is unknown is read from the room's history.
"""
