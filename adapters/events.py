"""People, places, and events: what an adapter converts a platform's own events to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from adapters.message_parts import Attachment, Forward, Quote
from localization.sentences import Said, lazy

EARLY = lazy("You wrote to me before I was here for the first time, and I read nothing of that. Say it again, and I answer it.")
LATELY = 7 * 24 * 60 * 60 * 1_000_000
"""The age (microseconds) beyond which nobody waits for an answer any more."""


class Reach(StrEnum):
    """Who can read a place now: one person, everyone on its server, only some of them, or the members of a room."""

    DIRECT = "direct"
    PUBLIC = "public"
    RESTRICTED = "restricted"
    ROOM = "room"


@dataclass(frozen=True, slots=True, order=True)
class Circle:
    """The readers of some places: everyone on a server, those of a channel or private thread, or of a room.

    An id alone is ambiguous: a channel may have its server's id. `epoch` counts how often the readers changed to people who
    could not read what was said before.
    """

    reach: Reach
    id: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Person:
    """An immutable account and its current name. The id decides; the name is for display only."""

    platform: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said. Ids are opaque; `name` is what people call it.

    `circle` is who can read it now, None for a direct place, which one person reads. `wider` is the server whose public
    places everyone here can read as well, None if that is not certain. `earlier` are the rooms that this one replaced,
    newest first, as far as all current readers could read them; `unheard` are those of them that Lyra has left, where she
    does not hear deletes. `alone` is the one other person in a room with Lyra, '' if there are more. `encrypted` means
    end-to-end encrypted, `crowded` that it is a room for good: more than one person was there or invited at some time, or
    others could come in or read.
    """

    platform: str
    channel: str
    name: str
    reach: Reach
    thread: str = ""
    server: str = ""
    circle: Circle | None = None
    wider: Circle | None = None
    earlier: tuple[Circle, ...] = ()
    unheard: tuple[Circle, ...] = ()
    alone: str = ""
    encrypted: bool = False
    crowded: bool = False

    @property
    def key(self) -> str:
        """The place as one string, unique within its platform."""
        return _key(self.server, self.channel, self.thread)

    @property
    def epoch(self) -> int:
        """The epoch of its circle: how often its readers changed to people who could not read what was said before."""
        return self.circle.epoch if self.circle else 0

    @property
    def is_private(self) -> bool:
        """Whether only one person besides Lyra can read this."""
        return self.reach is Reach.DIRECT or (bool(self.alone) and not self.crowded)


@lru_cache(maxsize=4_096)
def _key(server: str, channel: str, thread: str) -> str:
    return json.dumps([server, channel, thread], ensure_ascii=False)


def conversation(platform: str, person: str, thread: str, name: str = "") -> Place:
    """Return one of a person's private conversations with Lyra, which differ by thread."""
    return Place(platform, person, name, Reach.DIRECT, thread=thread)


def conversation_of(platform: str, key: str) -> Place:
    """Return the private conversation with a key."""
    _server, person, thread = split_key(key)
    return conversation(platform, person, thread)


# A turn asks for that of each message in view, and a place has many.
@lru_cache(maxsize=1_000)
def split_key(key: str) -> tuple[str, str, str]:
    """Return server, channel and thread of a place's key."""
    server, channel, thread = json.loads(key)
    return str(server), str(channel), str(thread)


@dataclass(frozen=True, slots=True)
class Message:
    """Something said at a place; `said_at` in microseconds UTC.

    `addressed` means it is for Lyra: said in private, mentioning her, replying to her, or in a thread of hers. `machine`
    means no person wrote it. `quoted` is the message it replies to. `hidden` is as in Quote, for a message that a command
    is about. `anew` is the call by which its person has it answered again, '' if it is heard for the first time. What is
    said `off_record` is answered and kept nowhere. `answers` is where its answer goes, in the adapter's own words, '' for a
    reply to the message itself. A message `beside` its thread is in the thread's channel, and was said before the thread
    was opened. An edit made it one for Lyra at `became_hers_at`, 0 if it was one from the start.
    """

    id: str
    place: Place
    person: Person
    text: str
    said_at: int
    addressed: bool = True
    machine: bool = False
    quoted: Quote | None = None
    attachments: tuple[Attachment, ...] = ()
    forwards: tuple[Forward, ...] = ()
    hidden: bool = False
    anew: str = ""
    off_record: bool = False
    answers: str = field(default="", repr=False)
    beside: bool = False
    became_hers_at: int = 0

    @property
    def wordless(self) -> "Message":
        """The message without anybody's words: where and by whom something was said."""
        where, who = replace(self.place, name=""), replace(self.person, name="")
        return replace(self, place=where, person=who, text="", quoted=None, attachments=(), forwards=())


@dataclass(frozen=True, slots=True)
class MenuCall:
    """A command called through the platform's own menus, with its arguments by name.

    `answers` is where its answer goes, in the adapter's own words; `private` means only the person reads it. `admin` means
    the person administers this place. `target` is the message whose menu was used. `locale` is the person's language
    setting on the platform, like de or en-GB, '' if unknown. `off_record` is as in Message. A `quiet` one was called by a
    reaction: nothing is said to it, right or wrong.
    """

    id: str
    place: Place
    person: Person
    said_at: int
    command: str
    arguments: Mapping[str, str | int | bool]
    answers: str = field(repr=False)
    private: bool = True
    admin: bool = False
    target: Message | None = None
    locale: str = ""
    off_record: bool = False
    quiet: bool = False

    @property
    def wordless(self) -> "MenuCall":
        """The call without anybody's words: where, by whom and how something was called."""
        where, who = replace(self.place, name=""), replace(self.person, name="")
        return replace(self, place=where, person=who, arguments={}, target=None)


@dataclass(frozen=True, slots=True)
class MessageEdited:
    """The account `person` edited a message at `edited_at` (microseconds UTC); `text` is None if the new words cannot be read.

    `addressed` is the edited message, if it is among those for Lyra: it may only be so since the edit.
    """

    place: Place
    id: str
    text: str | None
    edited_at: int
    attachments: tuple[Attachment, ...] = ()
    person: str = ""
    addressed: Message | None = None


@dataclass(frozen=True, slots=True)
class MessagesDeleted:
    """Messages were removed from a place, or from a thread of it where the place is no thread."""

    place: Place
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Posted:
    """A post of Lyra's own stands at a place now; it comes in the platform's order, like everything that others did."""

    place: Place
    id: str


@dataclass(frozen=True, slots=True)
class Vanished:
    """A server, channel, thread or room no longer exists, or Lyra is no longer in it.

    `prefix` is the prefix of its places' keys: (server,), (server, channel) or (server, channel, thread). `rulers` are the
    accounts that administered it last, as far as known.
    """

    platform: str
    prefix: tuple[str, ...]
    name: str
    rulers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerJoined:
    """Lyra was added to a server; `place` is where she may introduce herself."""

    id: str
    place: Place


@dataclass(frozen=True, slots=True)
class Renamed:
    """A place has a new name."""

    place: Place
    before: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something was said that Lyra cannot read; `why` is a sentence that tells its sender what to do.

    `addressed` means it would be for her; `once` that the sentence is said only once in the life of a place.
    """

    id: str
    place: Place
    person: Person
    why: Said
    addressed: bool = True
    once: bool = False


@dataclass(frozen=True, slots=True)
class PlatformNotice:
    """The platform itself tells a person something at a place, in a sentence.

    `answers` is the event it is about, '' for none. `asks` is a command that takes yes or no as the answer, '' if nothing
    is asked.
    """

    answers: str
    place: Place
    person: Person
    says: Said
    asks: str = ""


Event = (
    Message
    | MenuCall
    | MessageEdited
    | MessagesDeleted
    | Posted
    | Vanished
    | ServerJoined
    | Renamed
    | Unreadable
    | PlatformNotice
)
