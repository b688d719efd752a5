"""Admission: who may use Lyra, which messages are for her, and how much each person may use.

In: the configuration, messages and their senders. Out: whether a message is stored, answered, answered briefly, or declined.
"""
