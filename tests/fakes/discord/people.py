"""What a person does in a test: talks, edits, deletes, opens threads, uses commands and buttons."""

import mimetypes
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tests.fakes.discord import menu, wire
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.ids import made_at
from tests.fakes.discord.interactions import AUTOCOMPLETE, COMMAND, COMPONENT, MODAL, Interaction
from tests.fakes.discord.rights import in_channel, sees, to_send
from tests.fakes.discord.things import OF_POSTS, Attachment, Channel, Guild, Json, Message, User

Files = Mapping[str, bytes]


class Person:
    """Someone who uses Discord. In a guild they become a member with their first act there."""

    def __init__(self, hub: Hub, user: User) -> None:
        self._hub = hub
        self.user = user

    @property
    def id(self) -> int:
        """The account's id."""
        return self.user.id

    @property
    def mention(self) -> str:
        """How a text names this person."""
        return f"<@{self.user.id}>"

    async def says(
        self,
        place: Channel,
        text: str = "",
        *,
        reply_to: Message | None = None,
        ping: bool = True,
        attachments: Files | None = None,
        at: datetime | None = None,
        kind: int = 0,
        embeds: Iterable[Json] = (),
        more: Json | None = None,
    ) -> Message:
        """Say something. `at` says it in the past; `kind` is a type of message that is not plain, as joining a server; `more`
        is what else it has in Discord's JSON, as stickers or a poll."""
        self._enter(place)
        if not in_channel(place, self.user) & to_send(place):
            raise PermissionError(f"{self.user.name} may not write there")
        files = [self.file(name, data) for name, data in (attachments or {}).items()]
        message = Message(self._hub.world.ids.next(at), place, self.user, text, 19 if reply_to else kind, attachments=files)
        message.reply_to = reply_to.id if reply_to else None
        message.embeds, message.ping, message.more = list(embeds), ping, more or {}
        return self._hub.acts.post(message)

    async def forwards(self, message: Message, place: Channel) -> Message:
        """Pass a message on, as a copy with nothing of one's own that names what it is of."""
        files = [wire.attachment(self._hub.base, message.channel, one) for one in message.attachments]
        said: Json = {"type": message.type, "content": message.content, "attachments": files, "embeds": [], "components": []}
        said |= {"timestamp": wire.when(made_at(message.id)), "edited_timestamp": None, "flags": 0, "mentions": []}
        source: Json = {"type": 1, "message_id": str(message.id), "channel_id": str(message.channel.id)}
        if message.channel.guild:
            source["guild_id"] = str(message.channel.guild.id)
        snapshot = {"message": said | {"mention_roles": []}}
        return await self.says(place, more={"message_reference": source, "message_snapshots": [snapshot]})

    async def edits(self, message: Message, text: str) -> Message:
        """Change what they said."""
        assert message.author is self.user
        return self._hub.acts.edit(message, content=text)

    async def deletes(self, *messages: Message) -> None:
        """Remove a message, or several at once."""
        self._hub.acts.delete(*messages)

    async def reacts(self, message: Message, sign: str) -> None:
        """Put a sign under a message."""
        self._enter(message.channel)
        self._hub.acts.react(message, self.user, sign)

    async def takes_sign(self, message: Message, sign: str) -> None:
        """Take a sign away that they put under a message."""
        self._hub.acts.react(message, self.user, sign, added=False)

    async def types(self, place: Channel) -> None:
        """Type."""
        self._enter(place)
        self._hub.acts.typing(place, self.user)

    async def opens_dm(self) -> Channel:
        """Open the DM with the bot."""
        return self._hub.world.dm(self.user)

    async def closes_dm(self) -> None:
        """Let the bot write no more."""
        self.user.dm_open = False

    def joins(self, guild: Guild) -> None:
        """Become a member."""
        self._hub.world.join(guild, self.user)

    async def starts_thread(
        self, parent: Channel, name: str, *, on: Message | None = None, private: bool = False, text: str = ""
    ) -> Channel:
        """Open a thread, on a message or on its own; in a forum a post, whose first message is the text."""
        self._enter(parent)
        thread = self._hub.acts.open_thread(parent, name, self.user, private=private, on=on)
        if parent.kind in OF_POSTS:
            self._hub.acts.post(Message(thread.id, thread, self.user, text))
        elif text:
            await self.says(thread, text)
        return thread

    async def invites(self, thread: Channel, who: "Person | None" = None) -> None:
        """Add someone to a thread; the bot, if nobody is named."""
        self._hub.acts.join_thread(thread, who.user if who else self._hub.world.bot)

    async def runs(self, place: Channel, command: str, **options: Any) -> Interaction:
        """Use a slash command by its name, like `memory view`. Raises LookupError when it is not offered there."""
        self._enter(place)
        world = self._hub.world
        data = menu.slash(world, place, self.user, self._hub.base, command, {key: _own(value) for key, value in options.items()})
        return self._hub.interactions.begin(COMMAND, self.user, place, data)

    async def uses_menu(self, name: str, message: Message) -> Interaction:
        """Use a command of a message's menu."""
        place = message.channel
        self._enter(place)
        data = menu.on_message(self._hub.world, place, self.user, self._hub.base, name, message)
        return self._hub.interactions.begin(COMMAND, self.user, place, data, message, shown=False)

    async def completes(self, place: Channel, command: str, option: str, text: str, **others: Any) -> list[Json]:
        """Type into an option, and give the choices that the bot offers."""
        self._enter(place)
        data = menu.slash(self._hub.world, place, self.user, self._hub.base, command, others | {option: text}, option)
        return await self._hub.interactions.begin(AUTOCOMPLETE, self.user, place, data).choices()

    async def clicks(self, message: Message, label: str, values: Iterable[str] = ()) -> Interaction:
        """Press a button by its label or its custom id, or choose values of a menu. Raises LookupError when it is not there."""
        for one in message.controls():
            if label in (one.get("label"), one.get("custom_id")) and not one.get("disabled"):
                data: Json = {"custom_id": one["custom_id"], "component_type": one["type"]}
                data |= {} if one["type"] == 2 else {"values": list(values)}
                return self._hub.interactions.begin(COMPONENT, self.user, message.channel, data, message)
        raise LookupError(f"{label!r} is not under this message: {[one.get('label') for one in message.controls()]}")

    async def submits(self, asked: Interaction, **values: str) -> Interaction:
        """Fill in the form that the bot opened, by the custom ids of its fields, and send it."""
        form = await asked.form()
        rows = []
        for row in form["components"]:
            inner = row.get("components") or [row["component"]]
            fields = [
                {"type": one["type"], "custom_id": one["custom_id"], "value": values.get(one["custom_id"], "")} for one in inner
            ]
            rows.append(
                {"type": 1, "components": fields} if "components" in row else {"type": row["type"], "component": fields[0]}
            )
        data: Json = {"custom_id": form["custom_id"], "components": rows}
        sent = self._hub.interactions.begin(MODAL, self.user, asked.place, data, asked.source)
        sent.trigger = asked
        return sent

    def file(self, name: str, data: bytes, content_type: str | None = None) -> Attachment:
        """A file, for an option of a command."""
        return self._hub.world.file(name, data, content_type or mimetypes.guess_type(name)[0])

    def _enter(self, place: Channel) -> None:
        if place.guild:
            self._hub.world.join(place.guild, self.user)
        if not sees(place, self.user):
            raise PermissionError(f"{self.user.name} does not see that channel")


def _own(value: Any) -> Any:
    return value.user if isinstance(value, Person) else value
