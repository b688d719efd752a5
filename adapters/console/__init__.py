"""The terminal as a platform: one person who types.

Lines come in from a keyboard or a pipe; messages and calls of commands go out to the listener, and answers to the screen.
"""
