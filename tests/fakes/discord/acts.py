"""What can happen: each act changes the world and tells the gateway's sessions who may know."""

import re
from datetime import UTC, datetime

from tests.fakes.discord import wire
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.rights import in_channel, sees
from tests.fakes.discord.sessions import Intent
from tests.fakes.discord.things import NO_RIGHT, Attachment, Channel, Flag, Guild, Json, Message, Overwrite, Right, Role, User
from tests.fakes.discord.world import World
from tests.fakes.pulse import Pulse

_SAID = (0, 19, 20, 23)


class Acts:
    """Everything that anybody can do to the world."""

    def __init__(self, world: World, gateway: Gateway, pulse: Pulse) -> None:
        self.world = world
        self.base = ""
        self._gateway = gateway
        self._pulse = pulse

    # Messages

    def post(self, message: Message) -> Message:
        """Put a message where it belongs."""
        place = message.channel
        self._address(message)
        if place.is_thread:
            self._gather(message)
        place.messages[message.id] = message
        message.revisions.append(message.content)
        self._note_said(message)
        if not message.ephemeral:
            self._tell_message("MESSAGE_CREATE", message)
        self._pulse.beat()
        return message

    def edit(self, message: Message, **changes: object) -> Message:
        """Change parts of a message. A promised message is no longer only a promise then."""
        filled = message.loading
        for name, value in changes.items():
            setattr(message, name, value)
        message.flags &= ~Flag.LOADING
        if "content" in changes:
            message.revisions.append(message.content)
            self._address(message)
        if not filled:
            message.edited = datetime.now(UTC)
        else:
            self._note_said(message)
        if not message.ephemeral:
            self._tell_message("MESSAGE_UPDATE", message)
        self._pulse.beat()
        return message

    def delete(self, *messages: Message) -> None:
        """Remove messages: one, or several of one channel at once."""
        place = messages[0].channel
        for one in messages:
            place.messages.pop(one.id, None)
            one.deleted = True
        data: Json = {"channel_id": str(place.id)} | ({"guild_id": str(place.guild.id)} if place.guild else {})
        intent = Intent.MESSAGES if place.guild else Intent.DM
        if sees(place, self.world.bot) and not messages[0].ephemeral:
            if len(messages) == 1:
                self._gateway.tell("MESSAGE_DELETE", lambda _: data | {"id": str(messages[0].id)}, intent)
            else:
                self._gateway.tell("MESSAGE_DELETE_BULK", lambda _: data | {"ids": [str(one.id) for one in messages]}, intent)
        self._pulse.beat()

    def react(self, message: Message, who: User, sign: str, *, added: bool = True) -> None:
        """Put a sign under a message, or take it away; whose message it is is told with the first alone."""
        place = message.channel
        emoji = {"id": None, "name": sign}
        data: Json = {
            "user_id": str(who.id),
            "channel_id": str(place.id),
            "message_id": str(message.id),
            "emoji": emoji,
            "type": 0,
        }
        data |= {"guild_id": str(place.guild.id)} if place.guild else {}
        if added:
            data |= {"message_author_id": str(message.author.id), "burst": False}
            data |= {"member": wire.member(place.guild.members[who.id])} if place.guild else {}
        if sees(place, self.world.bot):
            event = "MESSAGE_REACTION_ADD" if added else "MESSAGE_REACTION_REMOVE"
            self._gateway.tell(event, lambda _: data, Intent.REACTIONS if place.guild else Intent.DM_REACTIONS)
        self._pulse.beat()

    def typing(self, place: Channel, who: User) -> None:
        """Show that someone types."""
        data: Json = {"channel_id": str(place.id), "user_id": str(who.id), "timestamp": int(datetime.now(UTC).timestamp())}
        if place.guild:
            data |= {"guild_id": str(place.guild.id), "member": wire.member(place.guild.members[who.id])}
        if sees(place, self.world.bot):
            self._gateway.tell("TYPING_START", lambda _: data, Intent.TYPING if place.guild else Intent.DM_TYPING)

    # Threads

    def open_thread(
        self, parent: Channel, name: str, owner: User, *, private: bool = False, on: Message | None = None
    ) -> Channel:
        """Open a thread: on a message, or on its own. In a forum its first message must be posted after."""
        thread = self.world.thread(parent, name, owner, private=private, number=on.id if on else None)
        if sees(thread, self.world.bot):
            self._tell_thread("THREAD_CREATE", thread, newly_created=True)
        if on:
            on.flags |= Flag.HAS_THREAD
            self._tell_message("MESSAGE_UPDATE", on)
            start = Message(self.world.ids.next(), thread, on.author, type=21, reply_to=on.id, reference_channel=parent.id)
            self.post(start)
        elif not private and parent.kind == 0:
            said = Message(self.world.ids.next(), parent, owner, name, type=18, reference_channel=thread.id)
            self.post(said)
        self._pulse.beat()
        return thread

    def change_thread(self, thread: Channel, **changes: object) -> None:
        """Rename, archive, lock or reopen a thread."""
        for name, value in changes.items():
            setattr(thread, name, value)
        if sees(thread, self.world.bot):
            self._tell_thread("THREAD_UPDATE", thread)
        self._pulse.beat()

    def delete_thread(self, thread: Channel) -> None:
        """Remove a thread with all that was said in it."""
        assert thread.guild and thread.parent
        data = {
            "id": str(thread.id),
            "guild_id": str(thread.guild.id),
            "parent_id": str(thread.parent.id),
            "type": int(thread.kind),
        }
        if sees(thread, self.world.bot):
            self._gateway.tell("THREAD_DELETE", lambda _: data, Intent.GUILDS)
        for one in thread.messages.values():
            one.deleted = True
        del self.world.channels[thread.id]
        self._pulse.beat()

    def delete_channel(self, channel: Channel) -> None:
        """Remove a channel with its threads and all that was said there. Nothing is told of threads or messages."""
        assert channel.guild and not channel.is_thread
        self._gateway.tell("CHANNEL_DELETE", lambda _: wire.channel(channel), Intent.GUILDS)
        for one in [channel, *(one for one in self.world.channels.values() if one.parent is channel)]:
            for message in one.messages.values():
                message.deleted = True
            del self.world.channels[one.id]
        self._pulse.beat()

    def join_thread(self, thread: Channel, who: User) -> None:
        """Add someone to a thread."""
        assert thread.guild
        if who.id in thread.joined:
            return
        stranger = not sees(thread, self.world.bot)
        thread.joined[who.id] = datetime.now(UTC)
        if who is self.world.bot and stranger:
            self._tell_thread("THREAD_CREATE", thread)
        if who is self.world.bot:
            added = wire.thread_member(thread, who) | {"member": wire.member(thread.guild.members[who.id]), "presence": None}
            data = {"id": str(thread.id), "guild_id": str(thread.guild.id), "member_count": len(thread.joined)}
            self._gateway.tell("THREAD_MEMBERS_UPDATE", lambda _: data | {"added_members": [added]}, Intent.GUILDS)

    def leave_thread(self, thread: Channel, who: User) -> None:
        """Remove someone from a thread. A private one is gone for the bot then."""
        assert thread.guild
        if thread.joined.pop(who.id, None) and who is self.world.bot:
            data = {"id": str(thread.id), "guild_id": str(thread.guild.id), "member_count": len(thread.joined)}
            gone = {"removed_member_ids": [str(who.id)]}
            self._gateway.tell("THREAD_MEMBERS_UPDATE", lambda _: data | gone, Intent.GUILDS)

    # Guilds and rights

    def overwrite(self, place: Channel, who: Role | User, *, allow: Right = NO_RIGHT, deny: Right = NO_RIGHT) -> None:
        """Say what a role or a member may do in a channel, instead of what was said before."""
        assert place.guild
        seen = sees(place, self.world.bot)
        place.overwrites[who.id] = Overwrite(allow, deny, isinstance(who, Role))
        self._gateway.tell("CHANNEL_UPDATE", lambda _: wire.channel(place), Intent.GUILDS)
        if not seen and sees(place, self.world.bot):
            self._sync_threads(place.guild, place)

    def change_role(self, guild: Guild, role: Role, rights: Right) -> None:
        """Give a role other rights."""
        role.rights = rights
        self._gateway.tell("GUILD_ROLE_UPDATE", lambda _: {"guild_id": str(guild.id), "role": wire.role(role)}, Intent.GUILDS)

    def change_member(self, guild: Guild, who: User, *roles: Role) -> None:
        """Give a member these roles and no others. Without the members intent the bot is only told of itself."""
        member = guild.members[who.id]
        member.roles = [role.id for role in roles]
        intent = Intent.NONE if who is self.world.bot else Intent.MEMBERS
        self._gateway.tell("GUILD_MEMBER_UPDATE", lambda _: wire.member(member) | {"guild_id": str(guild.id)}, intent)

    def add_bot(self, guild: Guild, rights: Right = NO_RIGHT) -> None:
        """Let the bot into a guild."""
        self.world.join(guild, self.world.bot, self.world.bot_role(guild, rights))
        self._gateway.tell("GUILD_CREATE", lambda _: wire.guild_created(self.world, guild, joined=True), Intent.GUILDS)

    def remove_bot(self, guild: Guild) -> None:
        """Throw the bot out of a guild."""
        guild.members.pop(self.world.bot.id, None)
        self._gateway.tell("GUILD_DELETE", lambda _: {"id": str(guild.id)}, Intent.GUILDS)
        self._pulse.beat()

    def guild_fails(self, guild: Guild) -> None:
        """Let a guild be out of order."""
        self._gateway.tell("GUILD_DELETE", lambda _: {"id": str(guild.id), "unavailable": True}, Intent.GUILDS)

    # Behind the acts

    def _address(self, message: Message) -> None:
        allowed = message.allowed_mentions
        if allowed is None:
            allowed = {"parse": ["users", "roles", "everyone"], "replied_user": message.ping}
        parse = allowed.get("parse") or []
        told: dict[int, User] = {}
        for number in map(int, re.findall(r"<@!?(\d+)>", message.content)):
            if number in self.world.users and ("users" in parse or number in map(int, allowed.get("users") or ())):
                told[number] = self.world.users[number]
        answered = message.channel.messages.get(message.reply_to or 0)
        if message.type == 19 and answered and allowed.get("replied_user", False) and not answered.webhook:
            told[answered.author.id] = answered.author
        roles = [int(one) for one in re.findall(r"<@&(\d+)>", message.content)]
        message.mentions = list(told.values())
        message.mention_roles = [one for one in roles if "roles" in parse or one in map(int, allowed.get("roles") or ())]
        loud = re.search(r"@(everyone|here)", message.content) is not None and "everyone" in parse
        message.mention_everyone = loud and bool(in_channel(message.channel, message.author) & Right.MENTION_EVERYONE)

    def _gather(self, message: Message) -> None:
        thread = message.channel
        if thread.archived and message.type != 21:
            self.change_thread(thread, archived=False)
        guild, parent = thread.guild, thread.parent
        assert guild and parent
        for who in (message.author, *message.mentions):
            if who.id in guild.members and not message.webhook and message.type != 21 and sees(parent, who):
                self.join_thread(thread, who)

    def _note_said(self, message: Message) -> None:
        if message.author is self.world.bot and not message.loading and message.type in _SAID:
            self.world.said.append(message)

    def _tell_message(self, event: str, message: Message) -> None:
        if sees(message.channel, self.world.bot):
            intent = Intent.MESSAGES if message.channel.guild else Intent.DM
            self._gateway.tell(event, lambda text: wire.message_event(self.world, self.base, message, content=text), intent)

    def _tell_thread(self, event: str, thread: Channel, **more: object) -> None:
        self._gateway.tell(event, lambda _: wire.thread_for(self.world, thread) | more, Intent.GUILDS)

    def _sync_threads(self, guild: Guild, place: Channel) -> None:
        threads = [one for one in self.world.threads_of(guild) if one.parent is place and sees(one, self.world.bot)]
        own = [wire.thread_member(one, self.world.bot) for one in threads if self.world.bot.id in one.joined]
        data: Json = {"guild_id": str(guild.id), "channel_ids": [str(place.id)], "members": own}
        data |= {"threads": [wire.thread_for(self.world, one) for one in threads]}
        self._gateway.tell("THREAD_LIST_SYNC", lambda _: data, Intent.GUILDS)


def carry(files: list[Attachment], attachments: list[Json] | None, kept: list[Attachment]) -> list[Attachment]:
    """The files a message has after an edit: all it had, or those that the edit names, and the new ones."""
    if attachments is None:
        return kept + files
    named = {int(one["id"]) for one in attachments}
    return [one for one in kept if one.id in named] + files
