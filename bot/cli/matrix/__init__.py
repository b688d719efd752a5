"""`lyra matrix …`: her account on Matrix, for the operator.

In: the configuration and the stored device. Out: a signed-in device, a recovery key, or a new identity. Each command requires
that nothing else uses her keys.
"""
