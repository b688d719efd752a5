"""The values that cross memory's border. All are frozen; every instant is an integer: microseconds since 1970, UTC."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

MOST_NAME = 200
"""The most characters that the name of a conversation may have."""
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


class DomainKind(StrEnum):
    """Who may know: one person, everyone of a server, the readers of one channel, the members of one room."""

    DM = "dm"
    SERVER = "server"
    CHANNEL = "channel"
    ROOM = "room"


class Kind(StrEnum):
    """What an exchange is: said by a person, a reply of Lyra's, or something around the conversation."""

    SAID = "said"
    REPLY = "reply"
    NOTICE = "notice"
    REFLECTION = "reflection"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class DomainRef:
    """The natural key of a domain: the same on every machine that hears the same place."""

    kind: DomainKind
    platform: str
    native_id: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Domain:
    """A stored domain. `key` stays inside the process; people see names and public ids."""

    key: int
    ref: DomainRef
    time_zone: str


@dataclass(frozen=True, slots=True)
class Identity:
    """An immutable account on a platform."""

    platform: str
    native_id: str


@dataclass(frozen=True, slots=True)
class Excepted:
    """Who may not know what is told in confidence: these accounts or, for `others`, everybody but these."""

    accounts: frozenset[Identity]
    others: bool = False

    def and_(self, more: "Excepted") -> "Excepted":
        """Return those whom this or `more` leaves out."""
        if self.others and more.others:
            return Excepted(self.accounts & more.accounts, others=True)
        if self.others or more.others:
            only, some = (self, more) if self.others else (more, self)
            return Excepted(only.accounts - some.accounts, others=True)
        return Excepted(self.accounts | more.accounts)

    def without(self, told: "Excepted") -> "Excepted":
        """Return whom this leaves out once those whom `told` names may know."""
        if told.others:
            return NOBODY
        return Excepted(self.accounts | told.accounts, others=True) if self.others else Excepted(self.accounts - told.accounts)


NOBODY = Excepted(frozenset())
"""Leaves nobody out."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A domain within the domain `home`: those who may know of that, but for some."""

    domain: Domain
    home: int
    excepted: Excepted


@dataclass(frozen=True, slots=True)
class Discretion:
    """What words ask for: not to tell people of these names, or that these may be told (`ends`); everybody, where there are none.

    `back` says that this is about what their speaker said before: the message of the platform's id `about`, or the last ('').
    `topic` are the words that name what this is about, where some do; `told` says that the same text tells of that.
    """

    names: tuple[str, ...] = ()
    back: bool = False
    ends: bool = False
    about: str = ""
    topic: frozenset[str] = frozenset()
    told: bool = False


@dataclass(frozen=True, slots=True)
class Covered:
    """How many earlier messages of theirs somebody's request for discretion keeps back, and whether it told which are meant."""

    earlier: int = 0
    sure: bool = True


@dataclass(frozen=True, slots=True)
class SessionRef:
    """The natural key of a session: one place of a platform in one epoch."""

    platform: str
    place: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `name` is unique within its domain; `messages` counts what is kept of it, where that was asked for."""

    key: int
    id: str
    domain: int
    ref: SessionRef
    name: str
    started_at: int
    last_at: int
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Former:
    """What an imported message may be known as already: `id` in its session, `origin` in any ('' where it has none there).

    `first` are the ids that the first versions gave to it and to the one before it ('' for none).
    """

    id: str = ""
    origin: str = ""
    first: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """How an imported message is known again.

    `origin` names it whatever conversation it is put into; `placed` says that it is put there on purpose, even if another has
    it. `former` says what it may be known as beside, written in another form or imported by an earlier version. `timed` says
    that its file tells when it was said. `place` is the key under which earlier versions kept its conversation.
    """

    origin: str = ""
    former: tuple[Former, ...] = ()
    placed: bool = False
    timed: bool = False
    place: str = ""


class Borne(IntEnum):
    """When somebody else who is present bears, or bore, a name: not at all, now, or before where its readers could know."""

    NOT = 0
    NOW = 1
    BEFORE = 2


@dataclass(frozen=True, slots=True)
class NewExchange:
    """A message to be kept. `source_id` is the platform's id of it, unique within its session.

    `echo` marks a reply that only repeats memory or draws on another domain: it enters no recall and no digest. `discretion` is
    what it asks for where others read along. `borne` says by whom else who is present the name of its speaker is borne.
    """

    kind: Kind
    text: str
    source_id: str
    said_at: int
    speaker: str
    role: str = "user"
    identity: Identity | None = None
    echo: bool = False
    imported: Imported | None = None
    discretion: Discretion | None = None
    borne: Borne = Borne.NOT


@dataclass(frozen=True, slots=True)
class Exchange:
    """A kept message. `speaker` is the name under which they are shown, `identity` their account, None where none is known.

    `disliked` marks a reply of which it was said that it was not good.
    """

    key: int
    id: str
    domain: int
    session: int
    kind: Kind
    role: str
    speaker: str
    text: str
    source_id: str
    said_at: int
    stored_at: int
    echo: bool = False
    episode: int | None = None
    identity: int | None = None
    disliked: bool = False


@dataclass(frozen=True, slots=True)
class Digest:
    """A gist, a merge of gists or a session's summary, with the keys of what it was derived from."""

    key: int
    id: str
    session: int
    tier: str
    level: int
    position: int
    text: str
    writer: str
    first_at: int
    last_at: int
    made_at: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One separately cited sentence or paragraph above gists.

    `tier` is profile, era, narrative, self, bank or manner; `period` the month of an era, what a part of the bank covers or whose
    manner it is; `kind`
    says more (a fact is said or inferred, a line of the narrative an arc, a trend or a callback, a bullet of the bank has its
    rung). `first_at` and `last_at` are the first and the last message that it rests on; `ended_at` is when something newer
    took its place, None while it stands.
    """

    key: int
    id: str
    tier: str
    period: str
    kind: str
    text: str
    writer: str
    first_at: int
    last_at: int
    made_at: int
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The receipt of a forgetting: how many rows of each kind are gone."""

    messages: int
    digests: int
    replies: int

    def __add__(self, other: "Forgotten") -> "Forgotten":
        return Forgotten(self.messages + other.messages, self.digests + other.digests, self.replies + other.replies)
