"""A finding of `lyra doctor`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of checking one part: sound or not, and a sentence about it."""

    sound: bool
    sentence: str
