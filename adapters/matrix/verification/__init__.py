"""Emoji verification: proof that she and somebody's device have each other's keys, with nobody in between.

The verification events of devices and rooms, and people's or the operator's verdicts come in; the steps of m.sas.v1, what
to tell of them, and signatures of verified keys go out.
"""
