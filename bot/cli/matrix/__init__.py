"""`lyra matrix …`: her account on Matrix, for the operator.

In: the configuration and the stored device. Out: a signed-in device, a recovery key, a new identity, or whose
keys are verified. Each command but that requires that nothing else uses her keys.
"""
