"""Reconciliation: what changed on a platform while Lyra was not listening.

In come gaps and disappearances; stored messages are compared with the platform's history, and out go deletions and edits to
apply, and notices to admins who may have something kept.
"""
