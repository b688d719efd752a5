"""The exit, which every outgoing text passes.

Stored parts come in from the outbox; out go messages whose links, mentions and size were checked, each sent once under its own
key.
"""
