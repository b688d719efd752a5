"""`lyra doctor`, part by part: home, models, platforms.

In: a configuration and the services that it names. Out: one or more findings for each part, sound or not, each saying what to
do. Checking changes nothing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking one part: sound or not, and a sentence about it."""

    sound: bool
    sentence: str
