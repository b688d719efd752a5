"""`lyra doctor`, part by part: home, models, platforms.

A configuration and what answers under it come in; out goes one finding a part, sound or not, that says what to do. Nothing is
changed by looking.
"""
