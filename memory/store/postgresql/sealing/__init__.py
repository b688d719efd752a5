"""What is sealed at the border of the database: values on their way there, and on their way back.

Statements and rows come in as the rest of memory has them; statements with sealed parameters go out, and rows that open as they are read.
Every value is sealed under a key of its domain, for its table, column and row alone: found anywhere else, it is refused.
"""
