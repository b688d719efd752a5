"""`lyra run`: her life as a process.

The configured platforms come in; out goes a process that is ready within seconds, does maintenance beside conversations,
serves HTTP on loopback, and ends when it is asked to.
"""
