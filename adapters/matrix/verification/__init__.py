"""Verification by emoji: that she and somebody's device really have each other's keys, and nobody stands between them.

What devices and rooms bring of it comes in, and what a person or whoever runs her found in comparing; out go the steps of
m.sas.v1, what to tell of them, and signatures of the keys that are right.
"""
