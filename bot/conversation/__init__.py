"""From a heard message to a stored answer.

Events come in from adapters, are admitted, committed to the inbox and put into one mailbox a session; out go stored exchanges
and parts in the outbox. No event is answered before it is stored.
"""
