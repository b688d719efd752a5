"""Domains, sessions and people: who may know, who spoke, and where.

Platform ids come in; out come domains and sessions as rows, settings, consent, and the name under which somebody is shown.
"""
