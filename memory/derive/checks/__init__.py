"""Checks of written sentences against their sources.

Sentences come in with the sources they cite; out come those that contain no name, number, date or deed missing from the
sources, and the reasons for rejecting the others. No model is asked.
"""
