"""The stored messages that a prompt or answer is about to use, and which of them may be used."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.index.hits import Hit
from memory.types import Exchange, Session


class UsedMessage(NamedTuple):
    """A message about to be used, and where it was said."""

    exchange: Exchange
    platform: str
    place: str


@dataclass(frozen=True, slots=True)
class UsableMessages:
    """The keys of the messages that may be used. `changed` tells whether checking them changed the memory."""

    keys: frozenset[int]
    changed: bool


def used_in(hits: Sequence[Hit]) -> list[UsedMessage]:
    """Return the messages of hits, best first, followed by all their neighbours."""
    found = [UsedMessage(hit.exchange, hit.platform, hit.place) for hit in hits]
    near = [UsedMessage(one, hit.platform, hit.place) for hit in hits for one in (hit.before, hit.after) if one is not None]
    return [*found, *near]


def used_at(session: Session, messages: Sequence[Exchange]) -> list[UsedMessage]:
    """Return messages of one session, newest first."""
    return [UsedMessage(one, session.ref.platform, session.ref.place) for one in reversed(messages)]


def verified_hits(hits: Sequence[Hit], sure: UsableMessages) -> list[Hit]:
    """Return the verified hits, with their verified neighbours."""

    def kept(near: Exchange | None) -> Exchange | None:
        return near if near is not None and near.key in sure.keys else None

    standing = [hit for hit in hits if hit.exchange.key in sure.keys]
    return [hit._replace(before=kept(hit.before), after=kept(hit.after)) for hit in standing]
