"""What `lyra doctor` finds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One part looked at: sound or not, and a sentence about it."""

    sound: bool
    sentence: str
