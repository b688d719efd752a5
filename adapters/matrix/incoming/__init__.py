"""What was said on Matrix.

A sync comes in with its timelines; out go messages, edits, redactions and reactions in timeline order, decrypted where the
key is there. What is missing is looked up, waited for, or read back from history.
"""
