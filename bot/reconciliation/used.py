"""The stored messages that a prompt or an answer is about to use, and those of them that may be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.index.hits import Hit
from memory.types import Exchange, Session


@dataclass(frozen=True, slots=True)
class Used:
    """A message that is about to be used, and where it was said."""

    exchange: Exchange
    platform: str
    place: str


@dataclass(frozen=True, slots=True)
class Sure:
    """The keys of those messages that may be used. `changed` says that memory is not what it was before the look."""

    keys: frozenset[int]
    changed: bool


def used_in(hits: Sequence[Hit]) -> list[Used]:
    """Return the messages of hits, the best first, and behind them all their neighbours."""
    found = [Used(hit.exchange, hit.platform, hit.place) for hit in hits]
    near = [Used(one, hit.platform, hit.place) for hit in hits for one in (hit.before, hit.after) if one is not None]
    return [*found, *near]


def used_at(session: Session, messages: Sequence[Exchange]) -> list[Used]:
    """Return messages of one session, the newest first."""
    return [Used(one, session.ref.platform, session.ref.place) for one in reversed(messages)]


def only(hits: Sequence[Hit], sure: Sure) -> list[Hit]:
    """Return those hits that stand for sure, with those of their neighbours that do."""

    def kept(near: Exchange | None) -> Exchange | None:
        return near if near is not None and near.key in sure.keys else None

    standing = [hit for hit in hits if hit.exchange.key in sure.keys]
    return [replace(hit, before=kept(hit.before), after=kept(hit.after)) for hit in standing]
