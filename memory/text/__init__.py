"""Pure functions over text and time: words, names, numbers, dates, budgets.

Text comes in; facts found in it go out, or the same text made safe to display. Nothing here knows the database.
"""
