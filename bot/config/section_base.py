"""The base of every configuration section: no unknown keys, and values strictly of the declared type."""

from pydantic import BaseModel, ConfigDict, field_validator

from localization.numerals import number
from localization.sentences import _

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, validate_default=True)
"""A number, but no string or boolean; infinity is refused."""
_MOST = 1_000_000_000
"""Above every sensible number of the configuration, and within the range of dates and timers."""


class Section(BaseModel):
    """The base of configuration sections."""

    model_config = STRICT

    @field_validator("*")
    @classmethod
    def _sensible(cls, value: object) -> object:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int | float) and one > _MOST:
                raise ValueError(_("at most {limit}", limit=number(_MOST)))
        return value
