"""Lyra's account on a homeserver: her login, her device and its keys.

A password or token and what was stored before come in; out goes a client that is logged in, whose device is cross-signed and
whose keys are backed up in secret storage.
"""
