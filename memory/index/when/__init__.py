"""Time expressions in questions and messages.

A question comes in with the instant at which it is asked; out comes a window of time, or an offset from an event, and the rest
of the question.
"""
