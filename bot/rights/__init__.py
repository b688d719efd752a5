"""People's rights over their own words: to be off the record, to export, and to read the privacy policy.

In come commands and messages off the record; out go answers that are not stored, exports, and a privacy policy. Forgetting
itself is implemented in memory.
"""
