"""The time that a question asks about.

A question comes in with the day on which it is asked; out comes a window of time, or a distance from an event, and the rest of
the question.
"""
