"""Instants, zones and the calendar, and dates in texts.

Texts, instants and zones come in; dates, periods and words for them go out. Nothing here knows the database.
"""
