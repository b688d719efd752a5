"""`lyra matrix …`: her account on Matrix, for whoever runs her.

The configuration and what she kept of her device come in; out go a device that is signed in, a recovery key, or a new identity.
Each command works while nobody else does with her keys.
"""
