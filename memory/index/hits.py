"""What recall finds: messages, gists and months, each with why it was found and how sure it is. All are frozen."""

from dataclasses import dataclass
from enum import StrEnum

from memory.types import Digest, Exchange


class Certainty(StrEnum):
    """How sure it is that what was recalled is about what was asked."""

    SURE = "sure"
    LIKELY = "likely"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled message with the session it stands in and that one's place, its neighbours, and the signals that found it.

    `corrected` is the message by which what it says was corrected since, None for none.
    """

    exchange: Exchange
    session: str
    score: float
    why: tuple[str, ...]
    before: Exchange | None = None
    after: Exchange | None = None
    platform: str = ""
    place: str = ""
    corrected: int | None = None
    certainty: Certainty = Certainty.SURE


@dataclass(frozen=True, slots=True)
class Condensed:
    """A recalled gist or paragraph of a month, with the messages it rests on, oldest first.

    `where` is the session that a gist condenses, or the month. `first_at` is the first message that it tells of.
    """

    id: str
    tier: str
    where: str
    text: str
    first_at: int
    score: float
    why: tuple[str, ...]
    sources: tuple[Exchange, ...]
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class DigestHit:
    """A recalled digest with the session it condenses."""

    digest: Digest
    session: str
    score: float
