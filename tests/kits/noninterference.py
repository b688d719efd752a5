"""What is said in a town where somebody proves two-run noninterference, and all that she sends there with what it was made from."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from tests.fakes.discord import DiscordServer, Message
from tests.fakes.openai_behaviours import Calls, Request, echo, hashed, looked_up, sensible
from tests.kits.discord_home import prompt
from tests.kits.discord_knowing import Town

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


def at_noon(minutes: int) -> int:
    """Return an instant some minutes after noon, in microseconds UTC."""
    return int((NOON + timedelta(minutes=minutes)).timestamp()) * 1_000_000


@dataclass(frozen=True)
class Said:
    """Something that somebody says somewhere; `to_her` has it name Lyra, `answers` is the text that it replies to."""

    who: str
    where: str
    text: str
    to_her: bool = True
    answers: str = ""


IN_A_CHANNEL = [
    Said("ada", "general", "our boat is called Iris"),
    Said("bob", "general", "the harbour is closed on Monday", to_her=False),
    Said("bob", "general", "when can we sail?"),
    Said("ada", "lobby", "the boat needs a new sail"),
    Said("ada", "general", "what is our boat called?", answers="the harbour is closed on Monday"),
    Said("ada", "general", "and what does the boat need?", answers="when can we sail?"),
    Said("bob", "general", "who has the key of the boat?"),
    Said("ada", "general", "what did we say about the harbour?"),
]
MUCH = [
    Said("ada", "dm", "our boat is secretly called Kestrel"),
    Said("bob", "bob's dm", "I hid the key of the boat under the harbour wall"),
    Said("ada", "staff", "the harbour master sails our boat on Mondays, and the key is 7741"),
    Said("ada", "secret", "a surprise: we rename the boat"),
    Said("ada", "club", "the boat of the club is called Kestrel as well"),
    Said("bob", "bob's dm", "what is our boat called, and who has the key?"),
    Said("ada", "staff", "the boat, the boat, the boat, the key, the harbour", to_her=False),
    Said("ada", "staff", "what does the boat need?", answers="the boat, the boat, the boat, the key, the harbour"),
]


def model(request: Request) -> str | Calls:
    """Write digests as a model does, and answer everything else with a hash of the whole prompt once it was looked up."""
    written = sensible(request)
    return written if written != echo(request) else looked_up(request)


async def built(town: Town, *, home_shard: tuple[int, int] = (0, 1), club_shard: tuple[int, int] = (0, 1)) -> None:
    """Build the same world every time, its two servers on these shards."""
    world, ada, bob = town.server.world, town.person("ada"), town.person("bob")
    home, club = world.guild("Home", shard=home_shard), world.guild("Club", shard=club_shard)
    general = world.channel(home, "general")
    world.join(home, ada.user)
    world.join(home, bob.user)
    town.names.update(
        general=general,
        lobby=world.channel(home, "lobby"),
        porch=world.channel(home, "porch"),
        staff=world.channel(home, "staff", only=(world.bot, ada.user)),
        board=world.channel(home, "board", only=(world.bot, bob.user)),
        secret=await ada.starts_thread(general, "A surprise", private=True),
        club=world.channel(club, "lounge"),
        dm=await ada.opens_dm(),
    )
    town.names["bob's dm"] = await bob.opens_dm()
    await ada.invites(town.names["secret"])


class Lyra(Protocol):
    """What a run needs of her."""

    @property
    def chats(self) -> list[Request]:
        """What the model was asked, so far."""
        ...

    async def rests(self) -> None:
        """Wait until nothing is under way."""
        ...


@dataclass
class Run:
    """One run: its town, and what was said in it."""

    town: Town
    lyra: Lyra
    said: dict[str, Message] = field(default_factory=dict)

    async def happens(self, said: Said, at: datetime) -> Message:
        """Let something be said, and wait until it is answered and nothing that follows from it is under way."""
        town = self.town
        text = f"{town.server.mention} {said.text}" if said.to_her else said.text
        message = await town.person(said.who).says(town.names[said.where], text, at=at, reply_to=self.said.get(said.answers))
        self.said[said.text] = message
        if said.to_her:
            await town.answer(message)
            await self.lyra.rests()
        return message

    def sent(self, where: str) -> list[Any]:
        """Return all that was sent to a place, each answer with the prompt that it is a hash of: there a difference can be read."""
        server, place = self.town.server, str(self.town.names[where].id)
        sent = [_bare(server, call.body) for call in server.calls("create_message") if place in call.path]
        prompts = {hashed(chat): prompt(chat) for chat in self.lyra.chats}
        return [{**body, "made from": prompts.get(body["content"], "").splitlines()} for body in sent]

    def shown(self, where: str, text: str) -> bool:
        """Say whether a text stood in view of an answer at a place."""
        told = {one.content for one in self.town.server.world.by_bot(self.town.names[where])}
        return any(text in prompt(chat) for chat in self.lyra.chats if hashed(chat) in told)

    @property
    def looked_up(self) -> bool:
        """Whether the model was shown what it looked up and opened."""
        return any("What you looked up:" in chat.last_user and "receipt" in chat.last_user for chat in self.lyra.chats)


def _bare(server: DiscordServer, body: Any) -> Any:
    """Return what was sent without what is new with every Discord: the nonce, and the id of what is answered."""
    texts = {str(one.id): one.content.removeprefix(server.mention) for one in server.world.messages()}
    reference = body.get("message_reference")
    return {**body, "nonce": "", "message_reference": reference and texts.get(str(reference["message_id"]), "deleted")}
