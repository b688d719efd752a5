"""Forgetting: what a person, a platform or a retention rule takes back, and everything that rests on it.

Keys or platform ids of messages come in; a receipt comes out that counts what is gone. Every tombstone is on disk before a row
is erased, nothing being forgotten is read meanwhile, and a kill between any two steps is finished by the next open.
"""
