"""What was said on Matrix.

A sync comes in with its timelines; messages, edits, redactions and reactions go out in timeline order, decrypted if the key
is there. Missing events are looked up, waited for, or read back from history.
"""
