"""What changed on a platform while Lyra did not listen.

Gaps and disappearances come in; stored messages are compared with the platform's history, and out go deletes and edits that
memory follows, and notices to those who may have something kept.
"""
