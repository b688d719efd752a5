"""What is believed of a written sentence.

Sentences come in with the sources they cite; out come those that say no name, number or date and no deed that the sources do
not hold, and why the others are not believed. No model is asked.
"""
