"""Slash commands, the same on every platform.

A call with typed arguments comes in; out goes a reply, made through the caller's own view of memory. `table` puts the groups
together into the one table that every platform renders.
"""
