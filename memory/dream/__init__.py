"""The dream: what Lyra does with a domain while nobody talks there.

Counts of what is new and what is left undone come in and let drives rise; out come the digests that were due, a changed state
of mind, now and then a thought, and a report.
"""
