"""The rooms that Lyra is in, and who can read them.

State events come in; out go places with their readers, the rooms that they replaced, and decisions on invitations.
"""
