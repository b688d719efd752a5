"""Limits of a place, and of each person in it, as set by its admins: never more than the configuration allows."""

from adapters.events import Place
from bot.config.people_sections import Limit, LimitsSection
from bot.conversation.preferences import LIMITED, Chosen
from bot.errors import BadInput

HERE, EACH = "here", "each"
OFF = "off"
_FIELDS = dict(zip(LIMITED, ("turns_per_minute", "turns_per_day", "tokens_per_minute", "tokens_per_day"), strict=True))
NAMES = tuple(f"{what} {whose}" for whose in (HERE, EACH) for what in _FIELDS)
"""The settings: for the whole place, and for each person in it."""

NO_LIMIT = Limit()


def place_limits(chosen: Chosen, place: Place, whose: str) -> Limit:
    """Return the limit set at a place, for all together or for each person."""
    found = {field: chosen.value(place, f"{what} {whose}") for what, field in _FIELDS.items()}
    limits = {field: int(value) for field, value in found.items() if value.isdecimal()}
    # Each turn asks this three times, and a limit that is made anew is checked anew.
    return Limit(**limits) if limits else NO_LIMIT


def stricter(one: Limit, other: Limit) -> Limit:
    """Return the lower of two limits in every field; 0 is no limit."""
    if NO_LIMIT in (one, other):
        return other if one == NO_LIMIT else one
    both = {field: [most for most in (getattr(one, field), getattr(other, field)) if most] for field in Limit.model_fields}
    return Limit(**{field: min(some, default=0) for field, some in both.items()})


def parse_limit(name: str, value: str, limits: LimitsSection) -> str:
    """Return a limit as it is stored, '' for none. Raises BadInput if it is not a number, or more than the configuration allows."""
    what, _space, whose = name.rpartition(" ")
    allowed = limits.place if whose == HERE else limits.person
    return number(name, value, getattr(allowed, _FIELDS[what]))


def number(name: str, value: str, most: int) -> str:
    """Return a number as it is stored, '' for off. Raises BadInput if it is not one, or more than the configuration allows (0: any)."""
    if value.casefold() == OFF:
        return ""
    if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value)):
        raise BadInput("{name} is a whole number from 1 on, or off.", name=name)
    if most and int(value) > most:
        raise BadInput("Whoever runs me allows at most {most}.", most=most)
    return str(int(value))
