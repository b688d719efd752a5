"""`lyra doctor`, part by part: home, models, platforms.

In: a configuration and the services that it names. Out: one or more findings for each part, sound or not, each saying what to
do. Checking changes nothing.
"""
