"""The whole of the pretended Discord: who and what there is. Changing it tells nobody; `acts` does that."""

import base64
import itertools
from collections.abc import Iterator
from datetime import UTC, datetime

from tests.fakes.discord.ids import Ids
from tests.fakes.discord.things import (
    NO_RIGHT,
    USUAL,
    Attachment,
    Channel,
    Guild,
    Json,
    Kind,
    Member,
    Message,
    Overwrite,
    Right,
    Role,
    User,
)

_CONTENT_INTENT = 1 << 18


class World:
    """All users, guilds, channels and messages, and the one bot with its commands."""

    def __init__(self, content_intent: bool = True, members_intent: bool = False) -> None:
        self.ids = Ids()
        self.content_intent = content_intent
        """Whether the application has been granted the text of messages."""
        self.members_intent = members_intent
        self.user_installable = False
        """Whether people may install the application for themselves."""
        self.installed: set[int] = set()
        """Who did."""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.commands: dict[int, Json] = {}
        self.guild_commands: dict[int, dict[int, Json]] = {}
        self.said: list[Message] = []
        """Everything the bot has ever said, in that order; deleted since or not."""
        self.bot = self.user("lyra", bot=True)
        self.boss = self.user("boss")
        """Owns every guild and the application."""
        self.application_id = self.bot.id

    @property
    def token(self) -> str:
        """The bot's token."""
        return base64.b64encode(str(self.bot.id).encode()).decode().rstrip("=") + ".fake.token"

    @property
    def application_flags(self) -> int:
        """What the application has been granted."""
        return (_CONTENT_INTENT if self.content_intent else 0) | (1 << 14 if self.members_intent else 0)

    def user(self, name: str, *, bot: bool = False, display: str | None = None) -> User:
        """Make a user."""
        user = User(self.ids.next(), name, bot, display)
        self.users[user.id] = user
        return user

    def guild(
        self, name: str = "Home", *, rights: Right = USUAL, bot_rights: Right = NO_RIGHT, with_bot: bool = True,
        shard: tuple[int, int] = (0, 1),
    ) -> Guild:  # fmt: skip
        """Make a guild on a shard of so many, where everyone has `rights` and the bot has `bot_rights` besides."""
        guild = Guild(self.ids.of_shard(*shard), name, self.boss)
        guild.roles[guild.id] = Role(guild.id, "@everyone", rights)
        self.guilds[guild.id] = guild
        self.join(guild, self.boss)
        if with_bot:
            self.join(guild, self.bot, self.bot_role(guild, bot_rights))
        return guild

    def role(self, guild: Guild, name: str, rights: Right = NO_RIGHT) -> Role:
        """Make a role."""
        role = Role(self.ids.next(), name, rights, len(guild.roles))
        guild.roles[role.id] = role
        return role

    def bot_role(self, guild: Guild, rights: Right = NO_RIGHT) -> Role:
        """Make the role that comes with the bot."""
        role = self.role(guild, self.bot.name, rights)
        role.bot = self.bot.id
        return role

    def join(self, guild: Guild, user: User, *roles: Role) -> Member:
        """Make a user a member, if they are none yet, and give them roles."""
        member = guild.members.setdefault(user.id, Member(user, datetime.now(UTC)))
        member.roles += [role.id for role in roles if role.id not in member.roles]
        return member

    def channel(
        self, guild: Guild, name: str, kind: Kind = Kind.TEXT, *, only: tuple[Role | User, ...] = (), number: int | None = None
    ) -> Channel:
        """Make a channel; with `only`, those alone see it. `number` is its id: the first of an old server bears that server's."""
        channel = Channel(number or self.ids.next(), kind, name, guild, position=len(self.channels))
        if only:
            channel.overwrites[guild.id] = Overwrite(deny=Right.VIEW_CHANNEL)
        for who in only:
            channel.overwrites[who.id] = Overwrite(allow=Right.VIEW_CHANNEL, of_role=isinstance(who, Role))
        self.channels[channel.id] = channel
        return channel

    def forum(self, guild: Guild, name: str, kind: Kind = Kind.FORUM) -> Channel:
        """Make a forum or a media channel, where every conversation is a thread."""
        return self.channel(guild, name, kind)

    def thread(self, parent: Channel, name: str, owner: User, *, private: bool = False, number: int | None = None) -> Channel:
        """Make a thread; one that hangs on a message has the message's id."""
        kind = Kind.PRIVATE_THREAD if private else Kind.NEWS_THREAD if parent.kind is Kind.NEWS else Kind.PUBLIC_THREAD
        thread = Channel(number or self.ids.next(), kind, name, parent.guild, parent, owner=owner, opened=self.ids.next())
        thread.joined[owner.id] = datetime.now(UTC)
        self.channels[thread.id] = thread
        return thread

    def dm(self, user: User) -> Channel:
        """The one DM of the bot with a user."""
        for channel in self.channels.values():
            if channel.recipient is user:
                return channel
        channel = Channel(self.ids.next(), Kind.DM, recipient=user)
        self.channels[channel.id] = channel
        return channel

    def channels_of(self, guild: Guild) -> list[Channel]:
        """A guild's channels, without its threads."""
        return [one for one in self.channels.values() if one.guild is guild and not one.is_thread]

    def threads_of(self, guild: Guild) -> list[Channel]:
        """A guild's threads that are not archived."""
        return [one for one in self.channels.values() if one.guild is guild and one.is_thread and not one.archived]

    def messages(self) -> Iterator[Message]:
        """Every message there is."""
        return itertools.chain.from_iterable(channel.messages.values() for channel in list(self.channels.values()))

    def by_bot(self, channel: Channel | None = None) -> list[Message]:
        """What the bot has said, oldest first: everywhere, or in one channel. What it only promised is not in it."""
        found = [one for one in self.messages() if one.author is self.bot and not one.loading and one.type in (0, 19, 20, 23)]
        return sorted((one for one in found if channel in (None, one.channel)), key=lambda one: one.id)

    def file(self, name: str, data: bytes, content_type: str | None = None, description: str | None = None) -> Attachment:
        """Make a file for a message."""
        return Attachment(self.ids.next(), name, data, content_type, description)

    def find_file(self, number: int) -> Attachment | None:
        """The file with that id, if its message still has it."""
        return next((file for one in self.messages() for file in one.attachments if file.id == number), None)
