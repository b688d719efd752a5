"""What every part of the server shares: the world, who acts in it, and what came in."""

from collections import Counter
from dataclasses import dataclass, field

from tests.fakes.discord import wire
from tests.fakes.discord.acts import Acts
from tests.fakes.discord.calls import (
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    UNKNOWN_CHANNEL,
    UNKNOWN_GUILD,
    UNKNOWN_MESSAGE,
    Call,
    Refusal,
)
from tests.fakes.discord.faults import Faults
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.interactions import Interactions
from tests.fakes.discord.rights import in_channel
from tests.fakes.discord.spec import Spec
from tests.fakes.discord.things import Channel, Guild, Json, Message, Right
from tests.fakes.discord.world import World
from tests.fakes.pulse import Pulse


@dataclass
class Hub:
    """The parts, and the record of all requests."""

    world: World
    pulse: Pulse
    gateway: Gateway
    acts: Acts
    faults: Faults
    interactions: Interactions
    spec: Spec | None
    base: str = ""
    nonce_window: float = 300.0
    """How many seconds a nonce keeps a message from being sent twice."""
    requests: list[Call] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    """Every way in which a request was not Discord's: what a test asserts to be empty."""
    unknown_keys: Counter[str] = field(default_factory=Counter)
    """Keys that the description does not know, each with its operation. Discord lets them pass."""
    own_faults: list[str] = field(default_factory=list)
    """Where this server's own answers are not what the description promises."""
    nonces: dict[str, tuple[float, Message]] = field(default_factory=dict)

    def guild(self, call: Call) -> Guild:
        """The guild of the request, with the bot in it."""
        guild = self.world.guilds.get(call.number("guild_id"))
        if guild is None or self.world.bot.id not in guild.members:
            raise Refusal(*UNKNOWN_GUILD)
        return guild

    def channel(self, call: Call, *needed: Right) -> Channel:
        """The channel of the request, where the bot sees and has the rights it needs."""
        channel = self.world.channels.get(call.number("channel_id"))
        if channel is None:
            raise Refusal(*UNKNOWN_CHANNEL)
        self.require(channel, *needed)
        return channel

    def require(self, channel: Channel, *needed: Right) -> None:
        """Refuse what the bot may not do there."""
        rights = in_channel(channel, self.world.bot)
        if not rights & Right.VIEW_CHANNEL:
            raise Refusal(*MISSING_ACCESS)
        if not all(right & rights for right in needed):
            raise Refusal(*MISSING_PERMISSIONS)

    def message(self, call: Call, channel: Channel) -> Message:
        """The message of the request; one that only one person sees is not found in its channel."""
        message = channel.messages.get(call.number("message_id"))
        if message is None or message.ephemeral:
            raise Refusal(*UNKNOWN_MESSAGE)
        return message

    def json(self, message: Message) -> Json:
        """A message as the bot gets it over REST."""
        return wire.message(self.world, self.base, message, content=self.world.content_intent)
