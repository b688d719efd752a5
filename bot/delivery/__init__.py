"""The exit: every text that leaves.

Stored parts come in from the outbox; out go messages whose links, mentions and size were judged, each sent once under its own
key.
"""
