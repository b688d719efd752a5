"""What was said on Discord.

Gateway events and channel histories come in, in whatever order a connection brings them; out go messages, edits and deletes
in the order in which they happened, and gaps where something may be missing.
"""
