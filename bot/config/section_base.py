"""The base of every configuration section: no unknown keys, and values strictly of the declared type."""

import re

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from localization.numerals import number
from localization.sentences import _

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, validate_default=True)
"""A number, but no string or boolean; infinity is refused."""
_MOST = 1_000_000_000
"""Above every sensible number of the configuration, and within the range of dates and timers."""

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""The name of an environment variable."""


class Section(BaseModel):
    """The base of configuration sections."""

    model_config = STRICT

    @field_validator("*")
    @classmethod
    def _sensible(cls, value: object, info: ValidationInfo) -> object:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int | float) and one > _MOST:
                raise ValueError(_("at most {limit}", limit=number(_MOST)))
        if (info.field_name or "").endswith("_env") and isinstance(value, str) and value and not _VARIABLE_NAME.fullmatch(value):
            # It may be the secret itself, so it is not repeated.
            raise ValueError(
                _("the name of an environment variable, such as LYRA_SECRET, which holds the secret; not the secret itself")
            )
        return value
