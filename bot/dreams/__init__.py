"""What Lyra does while nobody talks.

Places that are due come in from the schedule; out go finished passes, and now and then a reflection, posted where somebody
wants it.
"""
