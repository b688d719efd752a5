"""The rooms that Lyra is in, and who can read them.

State events come in; places with their readers, the rooms they replaced, and decisions on invitations go out.
"""
