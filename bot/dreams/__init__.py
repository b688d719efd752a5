"""What Lyra does while nobody talks.

In come due domains from the schedule; out go finished passes and, now and then, a reflection, posted where somebody opted in.
"""
