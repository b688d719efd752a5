"""Pure functions over text and time: words, names, numbers, dates, budgets.

Text comes in; out comes what it holds, or the same text made safe to show. Nothing here knows the database.
"""
