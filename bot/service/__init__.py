"""`lyra run`: the long-running process.

Connects the configured platforms within seconds, does maintenance beside conversations, serves HTTP on loopback, and stops when
asked to.
"""
