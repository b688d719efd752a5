"""What a message says beside its matter: whom it may not reach, how its speaker wants to be talked to, what is to come, and whom
or what it names.

Texts come in; what they ask for, by rule, goes out. Nothing is stored here.
"""
