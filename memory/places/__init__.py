"""Domains, sessions and people: who may know, who spoke, and where.

Platform ids come in; domains and sessions as rows, settings, consent, and displayed names come out.
"""
