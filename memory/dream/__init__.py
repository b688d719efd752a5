"""The dream: one unattended pass over a domain while nobody talks there.

Counts of news and backlog come in and raise the drives; out come the digests that were due, a changed self-state, an occasional
reflection, and a report.
"""
