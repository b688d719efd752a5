"""The values that cross memory's boundary. All are frozen; every instant is an integer: microseconds since 1970, UTC."""

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import NamedTuple

MOST_NAME = 200
"""The longest name of a conversation, in characters."""
BY_COMMAND = ":ask"
"""The end of the source id of what was said with a command, and of its answer: neither stands among the platform's messages."""
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE


class DomainKind(StrEnum):
    """Who may know: one person, everyone on a server, the readers of one channel, the members of one room."""

    DM = "dm"
    SERVER = "server"
    CHANNEL = "channel"
    ROOM = "room"


class Kind(StrEnum):
    """What an exchange is: said by a person, one of Lyra's replies, or something around the conversation."""

    SAID = "said"
    REPLY = "reply"
    NOTICE = "notice"
    REFLECTION = "reflection"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class DomainRef:
    """The natural key of a domain: the same on every machine that hears the place."""

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
class WithheldFrom:
    """Who may not know what is told in confidence: these accounts or, with `others`, everybody except these accounts."""

    accounts: frozenset[Identity]
    others: bool = False

    def and_(self, more: "WithheldFrom") -> "WithheldFrom":
        """Return the union: those whom this or `more` excludes."""
        if self.others and more.others:
            return WithheldFrom(self.accounts & more.accounts, others=True)
        if self.others or more.others:
            only, some = (self, more) if self.others else (more, self)
            return WithheldFrom(only.accounts - some.accounts, others=True)
        return WithheldFrom(self.accounts | more.accounts)

    def without(self, told: "WithheldFrom") -> "WithheldFrom":
        """Return whom this still excludes once those named by `told` may know."""
        if not told.others:
            return replace(self, accounts=self.accounts | told.accounts if self.others else self.accounts - told.accounts)
        return WithheldFrom(told.accounts - self.accounts if self.others else self.accounts & told.accounts)


NOBODY = WithheldFrom(frozenset())
"""Excludes nobody."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A domain within the domain `home`, read by its readers except those in `excepted`."""

    domain: Domain
    home: int
    excepted: WithheldFrom


@dataclass(frozen=True, slots=True)
class Discretion:
    """A request for discretion: not to tell certain people or, with `ends`, to allow telling them. No names: everybody.

    `back` marks a request about something the speaker said before: the message with platform id `about`, or the last ('').
    `topic` holds the words that name the subject, if any; `told` says that the same text also tells the confidence or,
    with `ends`, anything beside the permission, which permits nothing then; `declined` that the language of the request declines its
    names. `every` marks a request about all that was said lately, `talk` names the time or place at which it was said.
    Where no names are told, `but` are those of the people who may know all the same. `of_another` marks a request about a message that
    somebody else said, whom it is left to.
    """

    names: tuple[str, ...] = ()
    back: bool = False
    ends: bool = False
    about: str = ""
    topic: frozenset[str] = frozenset()
    told: bool = False
    declined: bool = False
    every: bool = False
    talk: str = ""
    but: tuple[str, ...] = ()
    of_another: bool = False


@dataclass(frozen=True, slots=True)
class DiscretionScope:
    """How many of the speaker's earlier messages a request for discretion holds back, and whether these are surely meant.

    `ahead` says that it holds back what is said next, or of its topic later, `of_another` that it is about a message of somebody else, who alone may ask.
    """

    earlier: int = 0
    sure: bool = True
    ahead: bool = False
    of_another: bool = False


@dataclass(frozen=True, slots=True)
class SessionRef:
    """The natural key of a session: one place of a platform in one epoch."""

    platform: str
    place: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. `name` is unique within its domain; `messages` counts its stored messages, if that was requested."""

    key: int
    id: str
    domain: int
    ref: SessionRef
    name: str
    started_at: int
    last_at: int
    messages: int = 0


class Arrival(NamedTuple):
    """Of the domains asked for, those that exist and their confidences, and the active session; its messages are not counted."""

    domains: dict[DomainRef, Domain]
    confidences: list[Confidence]
    session: Session | None


@dataclass(frozen=True, slots=True)
class FormerIds:
    """Ids an imported message may already be stored under: `id` in its session, `origin` in any session ('' for none).

    `first` holds the ids that the first versions gave to the message and to the one before it ('' for none).
    """

    id: str = ""
    origin: str = ""
    first: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """How an imported message is recognized on a further import.

    `origin` identifies the message whatever conversation it is put into; `placed` says it is put there on purpose, even if
    another conversation has it. `former` lists further ids it may be known by, from another form or an earlier version.
    `timed` says the file gives the time it was said. `place` is the key under which earlier versions stored its
    conversation.
    """

    origin: str = ""
    former: tuple[FormerIds, ...] = ()
    placed: bool = False
    timed: bool = False
    place: str = ""


class NameUse(IntEnum):
    """When somebody else present bears a name: never, now, or earlier while this place's readers could know."""

    NOT = 0
    NOW = 1
    BEFORE = 2


@dataclass(frozen=True, slots=True)
class NewExchange:
    """A message to store. `source_id` is the platform's id of it, unique within its session.

    `echo` marks a reply that only repeats memory or draws on another domain: it enters no recall and no digest.
    `discretion` is the request it makes where others read along. `borne` says whether somebody else present bears its
    speaker's name.
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
    borne: NameUse = NameUse.NOT


class Exchange(NamedTuple):
    """A stored message. `speaker` is the displayed name, `identity` the account's key, None if unknown.

    `disliked` marks a reply with negative feedback. Recall reads fifty for a question, and a tuple is made in a third of the time of a
    frozen dataclass.
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
    """A gist, a merge of gists or a session's summary."""

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

    `tier` is profile, era, narrative, self, bank or manner; `period` is the month of an era, the period that a bank entry
    covers, or whose manner it is; `kind` refines the tier (a fact is said or inferred, a narrative line is an arc, a trend
    or a callback, a bank entry has its rung). `first_at` and `last_at` are the first and last message it rests on;
    `ended_at` is when something newer replaced it, None while it stands.
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
