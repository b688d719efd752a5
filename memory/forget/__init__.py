"""Forgetting: what a person, a platform or a retention rule takes back, and everything that rests on it.

In come the keys or platform ids of messages; out comes a receipt that counts what is gone. Every tombstone is on disk before
a row goes, nothing that is going is read meanwhile, and a kill between any two steps is finished by the next open.
"""
