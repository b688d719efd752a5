"""People, places, and what happens at them: what an adapter makes of a platform's own events."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from localization.sentences import Said


class Reach(StrEnum):
    """Who can read a place now: one person, everyone of its server, only some of it, or the members of a room."""

    DIRECT = "direct"
    PUBLIC = "public"
    RESTRICTED = "restricted"
    ROOM = "room"


@dataclass(frozen=True, slots=True, order=True)
class Circle:
    """Those who can read what is said at some places: all of a server, a channel or private thread, or a room.

    An id alone says nothing: a channel may bear the id of its server. `epoch` counts how often the readers became others than
    could read what was said before.
    """

    reach: Reach
    id: str
    epoch: int = 0


@dataclass(frozen=True, slots=True)
class Person:
    """An immutable account, and the name it shows today. The id decides; the name is display only."""

    platform: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said. Ids are opaque; `name` is what people call it.

    `circle` is who can read it now, None for a direct place: one person does. `wider` is the server whose public places
    everyone here can read as well, None where that is not known for sure. `earlier` are the rooms that this one replaced, the
    newest first, as far as everyone who can read this one now could read them; `unheard` are those among them that Lyra is in no
    more: she does not hear what is taken back there. `alone` is the one person who is in a room beside Lyra, empty where there
    are more. `encrypted` says that what is said there is readable at its ends alone, `crowded` that it
    is a room for good: more than one person was there or invited at some time, or others could come in or read.
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
        return json.dumps([self.server, self.channel, self.thread], ensure_ascii=False)

    @property
    def epoch(self) -> int:
        """How often its readers became others than could read what was said before."""
        return self.circle.epoch if self.circle else 0

    @property
    def is_private(self) -> bool:
        """Whether one person alone can read this beside Lyra."""
        return self.reach is Reach.DIRECT or (bool(self.alone) and not self.crowded)


def conversation(platform: str, person: str, thread: str, name: str = "") -> Place:
    """Return the place of one of the conversations that a person has alone with Lyra, told apart by their threads."""
    return Place(platform, person, name, Reach.DIRECT, thread=thread)


def split_key(key: str) -> tuple[str, str, str]:
    """Return server, channel and thread of a place's key."""
    server, channel, thread = json.loads(key)
    return str(server), str(channel), str(thread)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message: its media type ('' where unknown), its size in bytes, and what its sender says it shows."""

    id: str
    name: str
    type: str
    size: int
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Forward:
    """A copy of another message that somebody passed on: where that was said, and what of it stands in `text` of the copy's message."""

    id: str
    server: str
    channel: str
    text: str
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Something said at a place that is shown as context and not kept. `own` says that Lyra said it, `person` who else.

    `edited_at` is when it got these words, in microseconds UTC, 0 where they are its first ones.
    `hidden` says that somebody who reads the place may not read it, or that this is not sure: then nothing of it is here but
    which message it is.
    """

    id: str
    speaker: str
    text: str
    said_at: int
    own: bool = False
    person: str = ""
    attachments: tuple[Attachment, ...] = ()
    forwards: tuple[Forward, ...] = ()
    edited_at: int = 0
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read of an attachment: its text, or the bytes of an image; neither where it is something else or out of reach."""

    attachment: Attachment
    text: str = ""
    image: bytes = b""


@dataclass(frozen=True, slots=True)
class Message:
    """Something said at a place; `said_at` in microseconds UTC.

    `addressed` says that it is for Lyra: said in private, naming her, answering her, or in a thread of hers. `machine` says that no
    person wrote it. `quoted` is what it answers. `hidden` is as in Quote, of a message that a command is about. `anew` is the call
    by which its person has it answered once more, '' where it is heard for the first time. What is said `off_record` is answered
    and kept nowhere. `answers` is where its answer goes, in the adapter's own words, '' for an answer to the message itself. What is
    said `beside` its thread stands in its channel, and was said before it was opened. A change made it one for Lyra at the instant
    `became_hers_at`, 0 where it was one from the first.
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
class Asked:
    """A command called through the platform's own menus, with its arguments by name.

    `answers` is where its answer goes, in the adapter's own words; `private` says that only the person reads it. `admin`
    says that the person rules this place. `target` is the message whose menu was used. `locale` is
    the language in which the platform shows itself to them, like de or en-GB, '' where it does not say. `off_record` is as in
    Message. A `quiet` one was called by a sign under a message: nothing is said to it, right or wrong.
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
    def wordless(self) -> "Asked":
        """The call without anybody's words: where, by whom and how something was called."""
        where, who = replace(self.place, name=""), replace(self.person, name="")
        return replace(self, place=where, person=who, arguments={}, target=None)


@dataclass(frozen=True, slots=True)
class Revised:
    """The account `person` changed what they said, at this instant; `text` is None where the new words cannot be read.

    `now` is the message as it stands, where it is for Lyra among others: it may be so only since the change.
    """

    place: Place
    id: str
    text: str | None
    at: int
    attachments: tuple[Attachment, ...] = ()
    person: str = ""
    now: Message | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Messages were removed from a place."""

    place: Place
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vanished:
    """A server, channel, thread or room does not exist any more, or Lyra is not in it any more.

    `prefix` is what the keys of its places begin with: (server,), (server, channel) or (server, channel, thread). `rulers`
    are the accounts that ruled it then, as far as they were known.
    """

    platform: str
    prefix: tuple[str, ...]
    name: str
    rulers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Lyra was let into a server; `place` is where she may introduce herself."""

    id: str
    place: Place


@dataclass(frozen=True, slots=True)
class Renamed:
    """A place is called something else now."""

    place: Place
    before: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Something was said that Lyra cannot read, and `why`, in a sentence that says what its sender can do.

    `addressed` says that it would be for her; `once` that the sentence is to be said once in the life of a place.
    """

    id: str
    place: Place
    person: Person
    why: Said
    addressed: bool = True
    once: bool = False


@dataclass(frozen=True, slots=True)
class Announced:
    """The platform itself has something to tell a person at a place, a sentence.

    `answers` is the event that it is about, '' for none. `asks` is a command that takes yes or no as the answer, '' where nothing is asked.
    """

    answers: str
    place: Place
    person: Person
    says: Said
    asks: str = ""


Event = Message | Asked | Revised | Withdrawn | Vanished | Joined | Renamed | Unreadable | Announced
