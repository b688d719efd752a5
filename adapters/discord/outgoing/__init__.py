"""Messages that Lyra sends to Discord.

Frozen parts come in with a place and a key; they go out as posts, edits or deletes, each once. What became of a part whose
fate is unknown is read from the channel's history.
"""
