"""A verification that is under way."""

from dataclasses import dataclass

from adapters.matrix.verification.steps import Verification


@dataclass(slots=True)
class Going:
    """One under way, until when, and who compared for her, '' for nobody yet."""

    one: Verification
    until: float
    by: str = ""
    shown: bool = False
