"""People's rights over their own words: to be off the record, to correct, to export, and to read the privacy policy.

In come commands and messages off the record; out go answers that are not stored, corrections, exports, and a policy. Forgetting
itself is implemented in memory.
"""
