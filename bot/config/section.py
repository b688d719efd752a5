"""What every section of the configuration has in common: no key beside its own, and values only of the type that is written."""

from pydantic import BaseModel, ConfigDict, field_validator

from localization.numerals import number
from localization.sentences import _

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, validate_default=True)
"""A number is no text and no true or false; what is endless is none."""
_MOST = 1_000_000_000
"""Beyond every sensible number of the configuration, and within what dates and timers can hold."""


class Section(BaseModel):
    """A section of the configuration file."""

    model_config = STRICT

    @field_validator("*")
    @classmethod
    def _sensible(cls, value: object) -> object:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int | float) and one > _MOST:
                raise ValueError(_("at most {limit}", limit=number(_MOST)))
        return value
