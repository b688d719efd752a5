"""Configuration sections on who may use her, and how much."""

import re
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from adapters.events import Circle, Reach
from bot.config.section_base import Section
from localization.sentences import _

_ENTRY = re.compile(r"(?:discord|server):[0-9]+|role:[0-9]+/[0-9]+|matrix:@.*|room:!.*", re.DOTALL)


def _entries(value: list[str]) -> list[str]:
    for one in value:
        if not _ENTRY.fullmatch(one):
            raise ValueError(
                _(
                    '"{one}" does not name anybody; write an account like "discord:123456789012345678" or "matrix:@ada:example.org", a '
                    'server like "server:123456789012345678", a role like "role:SERVER/ROLE", or a room like '
                    '"room:!abc:example.org"',
                    one=one,
                )
            )
    return value


class AccessSection(Section):
    """Who may use her.

    An entry is an account ("discord:1234", "matrix:@ada:example.org"), or everybody who can read something: a Discord server
    ("server:1234"), its members with a role ("role:1234/5678"), a Matrix room ("room:!abc:example.org").
    """

    allow: Annotated[list[str], AfterValidator(_entries)] = Field(default_factory=list)
    block: Annotated[list[str], AfterValidator(_entries)] = Field(default_factory=list)
    strangers: Literal["on", "off", "mutual"] = "on"


def accounts(entries: Collection[str]) -> frozenset[tuple[str, str]]:
    """Return the accounts among entries, as (platform, id)."""
    split = [one.partition(":") for one in entries]
    return frozenset((kind, ident) for kind, _rest, ident in split if kind in ("discord", "matrix"))


def circles(entries: Collection[str]) -> frozenset[tuple[str, Circle]]:
    """Return the groups among entries (servers, roles, rooms), each with its platform."""
    split = [one.partition(":") for one in entries]
    discord = {("discord", Circle(Reach.PUBLIC, ident)) for kind, _rest, ident in split if kind in ("server", "role")}
    return frozenset(discord | {("matrix", Circle(Reach.ROOM, ident)) for kind, _rest, ident in split if kind == "room"})


class Limit(Section):
    """The most answers, and the most tokens in prompts and answers, per minute and per UTC day; 0 for no limit."""

    turns_per_minute: int = Field(0, ge=0)
    turns_per_day: int = Field(0, ge=0)
    tokens_per_minute: int = Field(0, ge=0)
    tokens_per_day: int = Field(0, ge=0)


class LimitsSection(Section):
    """The limits of one person, one place, and everybody together; people named in [people] have none.

    `in_a_row` is the most consecutive answers to an account that writes faster than a person could. `cheaper` names the backend
    that answers from one and a half times a limit on.
    """

    in_a_row: int = Field(5, ge=0)
    person: Limit = Limit(turns_per_minute=12)
    place: Limit = Limit()
    all: Limit = Limit()
    cheaper: str = ""
