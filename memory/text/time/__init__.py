"""Instants, zones and the calendar, and the dates that stand in texts.

Texts, instants and zones come in; out come dates, periods and the words for them. Nothing here knows the database.
"""
