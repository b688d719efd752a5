"""From a heard message to a stored answer.

Adapters hand in events, which are admitted, committed to the inbox and put into one mailbox per session; what leaves are
stored exchanges and outbox parts. No event is answered before it is stored.
"""
