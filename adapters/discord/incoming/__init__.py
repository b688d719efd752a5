"""What was said on Discord.

Gateway events and channel histories come in, in any order; messages, edits and deletes go out in the order in which they
happened, with gaps where something may be missing.
"""
