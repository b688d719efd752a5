"""What a person asks of the bot through commands, buttons and menus, and what becomes of it."""

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.discord import wire
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.rights import in_channel
from tests.fakes.discord.things import Channel, Json, Message, User
from tests.fakes.discord.world import World
from tests.fakes.pulse import PATIENCE, Pulse

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5
SAY, PROMISE, PROMISE_CHANGE, CHANGE, CHOICES, ASK = 4, 5, 6, 7, 8, 9


@dataclass(eq=False)
class Interaction:
    """One thing a person asked, and the bot's answers to it."""

    id: int
    token: str
    kind: int
    user: User
    place: Channel
    data: Json
    pulse: Pulse = field(repr=False)
    source: Message | None = None
    """The message whose button was pressed, or whose menu was used."""
    trigger: "Interaction | None" = None
    """The interaction whose form this is the answer to."""
    callback: Json | None = None
    """How the bot answered at first."""
    original: Message | None = None
    changes: int = 0
    """How often the original answer was edited."""
    followups: list[Message] = field(default_factory=list)
    asked_at: float = field(default_factory=time.monotonic)
    expired: bool = False

    async def acknowledged(self) -> int:
        """Wait for the first answer, and give its kind: 4 said, 5 promised, 6 and 7 of its own message, 8 choices, 9 a form."""
        callback = await self.pulse.until(lambda: self.callback, f"an answer to {self._name}")
        assert callback
        return int(callback["type"])

    async def answer(self) -> Message:
        """Wait for what the person reads in the end: the message at once, or the promised one filled, or the changed one."""

        def read() -> Message | None:
            kind = self.callback["type"] if self.callback else 0
            done = self.changes > 0 if kind == PROMISE_CHANGE else self.original and not self.original.loading
            return self.original if kind and done else None

        message = await self.pulse.until(read, f"a message in answer to {self._name}")
        assert message
        return message

    async def followup(self, number: int = 1) -> Message:
        """Wait for that many follow-ups, and give the last of them."""
        await self.pulse.until(lambda: len(self.followups) >= number, f"follow-up {number} to {self._name}")
        return self.followups[number - 1]

    async def edited(self, times: int = 1) -> Message:
        """Wait until the original answer was edited that often."""
        await self.pulse.until(lambda: self.changes >= times, f"edit {times} of the answer to {self._name}")
        assert self.original
        return self.original

    async def choices(self) -> list[Json]:
        """Wait for the choices offered while typing."""
        await self.acknowledged()
        assert self.callback
        return list(self.callback["data"]["choices"])

    async def form(self) -> Json:
        """Wait for the form that the bot opens."""
        assert await self.acknowledged() == ASK, self.callback
        assert self.callback
        return dict(self.callback["data"])

    def expire(self) -> None:
        """Let the token's fifteen minutes be over."""
        self.expired = True

    @property
    def _name(self) -> str:
        return str(self.data.get("name") or self.data.get("custom_id"))


class Interactions:
    """All interactions, by id and by token."""

    def __init__(self, world: World, gateway: Gateway, pulse: Pulse) -> None:
        self.base = ""
        self.deadline = PATIENCE
        """How many seconds the first answer may take. Discord gives three: so long may a busy machine take by itself."""
        self.life = 900.0
        """How many seconds a token works."""
        self.all: list[Interaction] = []
        self._world, self._gateway, self._pulse = world, gateway, pulse

    def begin(
        self, kind: int, user: User, place: Channel, data: Json, source: Message | None = None, *, shown: bool = True
    ) -> Interaction:
        """Let a person ask. `shown`: the message goes along, as with a button."""
        one = Interaction(self._world.ids.next(), secrets.token_urlsafe(48), kind, user, place, data, self._pulse, source)
        self.all.append(one)
        event = self._event(one)
        if source and shown:
            event["message"] = wire.message(self._world, self.base, source, content=True)
        self._gateway.tell("INTERACTION_CREATE", lambda _: event)
        return one

    def by_id(self, number: int, token: str) -> Interaction | None:
        """The interaction, if it still waits for its first answer."""
        one = next((one for one in self.all if one.id == number and one.token == token), None)
        return one if one and not one.expired and time.monotonic() - one.asked_at <= self.deadline else None

    def by_token(self, token: str) -> Interaction | None:
        """The interaction that a token belongs to, alive or not."""
        return next((one for one in self.all if one.token == token), None)

    def alive(self, one: Interaction) -> bool:
        """Whether its token still works."""
        return not one.expired and time.monotonic() - one.asked_at <= self.life

    def metadata(self, one: Interaction) -> Json:
        """What a message says of the interaction that made it."""
        owners = self._owners(one)
        data: Json = {"id": str(one.id), "type": one.kind, "user": wire.user(one.user), "authorizing_integration_owners": owners}
        if one.kind == COMMAND and "target_id" in one.data:
            data["target_message_id"] = one.data["target_id"]
        if one.kind == COMPONENT and one.source:
            data["interacted_message_id"] = str(one.source.id)
        if one.trigger:
            data["triggering_interaction_metadata"] = self.metadata(one.trigger)
        return data

    def _owners(self, one: Interaction) -> dict[str, str]:
        guild, installed = one.place.guild, one.user.id in self._world.installed
        here = guild is None or self._world.bot.id in guild.members
        by_guild = {"0": str(guild.id) if guild else "0"} if here else {}
        return by_guild | ({"1": str(one.user.id)} if installed else {})

    def _event(self, one: Interaction) -> Json:
        world, place = self._world, one.place
        event: dict[str, Any] = {
            "id": str(one.id),
            "application_id": str(world.application_id),
            "type": one.kind,
            "token": one.token,
            "version": 1,
            "data": one.data,
            "channel_id": str(place.id),
            "channel": _partial(place) | {"permissions": str(in_channel(place, one.user).value)},
            "app_permissions": str(in_channel(place, world.bot).value),
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": self._owners(one),
            "context": 0 if place.guild else 1,
            "attachment_size_limit": 10 << 20,
        }
        if place.guild is None:
            return event | {"user": wire.user(one.user)}
        guild = {"id": str(place.guild.id), "locale": "en-US", "features": []}
        whole = {"guild_id": str(place.guild.id), "guild": guild, "guild_locale": "en-US"}
        return event | whole | {"member": wire.acting_member(place, one.user)}


def _partial(place: Channel) -> Json:
    """A channel as an interaction brings it: it does not say who may read there."""
    return {key: value for key, value in wire.channel(place).items() if key != "permission_overwrites"}
