"""What a Discord consists of: users, guilds, roles, channels, threads, messages and their files."""

import itertools
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, IntFlag
from typing import Any

Json = dict[str, Any]


class Kind(IntEnum):
    """The kinds of channels that this server has."""

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    NEWS = 5
    NEWS_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15
    MEDIA = 16


SPOKEN = (Kind.VOICE, Kind.STAGE)
"""Channels whose chat is for those who may come in."""
OF_POSTS = (Kind.FORUM, Kind.MEDIA)
"""Channels that consist of threads alone."""


class Right(IntFlag):
    """What a member may do, in Discord's bits. Only those that this server asks for are named."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    CONNECT = 1 << 20
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    PIN_MESSAGES = 1 << 51


NO_RIGHT = Right(0)
EVERY_RIGHT = Right((1 << 53) - 1)
USUAL = (
    Right.VIEW_CHANNEL
    | Right.SEND_MESSAGES
    | Right.EMBED_LINKS
    | Right.ATTACH_FILES
    | Right.READ_MESSAGE_HISTORY
    | Right.CONNECT
    | Right.USE_APPLICATION_COMMANDS
    | Right.CREATE_PUBLIC_THREADS
    | Right.CREATE_PRIVATE_THREADS
    | Right.SEND_MESSAGES_IN_THREADS
)
"""What everyone may do in a guild unless a test says otherwise."""


class Flag(IntFlag):
    """What a message is besides its text."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    COMPONENTS_V2 = 1 << 15


@dataclass(eq=False)
class User:
    """Someone with an account."""

    id: int
    name: str
    bot: bool = False
    display: str | None = None
    dm_open: bool = True
    """Whether the bot may write to this user first, or at all."""


@dataclass(eq=False)
class Role:
    """A named set of rights in a guild."""

    id: int
    name: str
    rights: Right
    position: int = 0
    bot: int | None = None
    """The id of the only bot that has this role, for one that came with a bot."""


@dataclass(eq=False)
class Member:
    """A user in a guild."""

    user: User
    joined: datetime
    roles: list[int] = field(default_factory=list)
    nick: str | None = None


@dataclass(eq=False)
class Guild:
    """A server of people, with its roles and members. The role with the guild's own id is everyone's."""

    id: int
    name: str
    owner: User
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)


@dataclass
class Overwrite:
    """What a channel allows or denies to one role or one member."""

    allow: Right = NO_RIGHT
    deny: Right = NO_RIGHT
    of_role: bool = True


@dataclass(eq=False)
class Attachment:
    """A file of a message. It can be made out of reach, and its addresses to stop working, as Discord's do."""

    id: int
    name: str
    data: bytes
    content_type: str | None = None
    description: str | None = None
    expired: bool = False
    turn: int = 1
    """Which addresses work: those that were given since the last change."""


@dataclass(eq=False)
class Message:
    """One message as it is now."""

    id: int
    channel: "Channel"
    author: User
    content: str = ""
    type: int = 0
    edited: datetime | None = None
    attachments: list[Attachment] = field(default_factory=list)
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    flags: int = 0
    nonce: str | int | None = None
    reply_to: int | None = None
    """The id of the message this is a reply to, or tells of."""
    reference_channel: int | None = None
    ping: bool = True
    """Whether the author of the message that this replies to is told."""
    mentions: list[User] = field(default_factory=list)
    """Who is told of this message."""
    mention_roles: list[int] = field(default_factory=list)
    mention_everyone: bool = False
    webhook: int | None = None
    interaction: Json | None = None
    more: Json = field(default_factory=dict)
    """What else it has: stickers, a poll, what it forwards."""
    allowed_mentions: Json | None = None
    revisions: list[str] = field(default_factory=list)
    """Every text this message has had, the first first."""
    deleted: bool = False

    @property
    def shown(self) -> str:
        """What is read of it: its text, and of each embed the title with where it leads, the text and the foot."""
        lines = [self.content]
        for one in self.embeds:
            title = " ".join(filter(None, [one.get("title"), one.get("url")]))
            lines += [title, one.get("description", ""), one.get("footer", {}).get("text", "")]
        return "\n".join(filter(None, lines))

    @property
    def ephemeral(self) -> bool:
        """Whether only the person who acted sees this."""
        return bool(self.flags & Flag.EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether the bot has only promised this message yet."""
        return bool(self.flags & Flag.LOADING)

    def controls(self) -> list[Json]:
        """The buttons and menus under this message."""
        rows = [row.get("components", [row]) for row in self.components]
        return list(itertools.chain.from_iterable(rows))


@dataclass(eq=False)
class Channel:
    """A place where messages are: a channel of a guild, a thread in one, or a DM."""

    id: int
    kind: Kind
    name: str = ""
    guild: Guild | None = None
    parent: "Channel | None" = None
    topic: str | None = None
    recipient: User | None = None
    overwrites: dict[int, Overwrite] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)
    owner: User | None = None
    joined: dict[int, datetime] = field(default_factory=dict)
    """Who has joined a thread, and when."""
    opened: int = 0
    """The newest id when a thread was opened, which tells when that was: its own is that of the message it hangs on."""
    archived: bool = False
    locked: bool = False
    invitable: bool = True
    archive_minutes: int = 1440
    position: int = 0
    age_restricted: bool = False

    @property
    def is_thread(self) -> bool:
        """Whether this is a thread or a forum post."""
        return self.kind in (Kind.NEWS_THREAD, Kind.PUBLIC_THREAD, Kind.PRIVATE_THREAD)

    def history(self) -> list[Message]:
        """The messages that can be read here, oldest first."""
        return [self.messages[key] for key in sorted(self.messages) if not self.messages[key].ephemeral]
