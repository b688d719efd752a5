"""A verification in progress."""

from dataclasses import dataclass

from adapters.matrix.verification.steps import Verification


@dataclass(slots=True)
class Going:
    """A verification in progress, its deadline, and who confirmed the emoji on her side, '' for nobody yet."""

    one: Verification
    until: float
    by: str = ""
    shown: bool = False
