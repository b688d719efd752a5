"""Two-run noninterference: what happens elsewhere changes no byte of what Lyra sends to a channel.

The model answers with a hash of all that it is given, time stands still, and each run is a Discord and a memory of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.domains import Domains
from tests.discord_home import Awake, sound
from tests.discord_knowing import Everything, Thoughtful, Town
from tests.fakes.discord import DiscordServer, Message
from tests.fakes.openai_behaviours import Request, echo, hashed, sensible

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
HALF_PAST = int((NOON + timedelta(minutes=30)).timestamp()) * 1_000_000
CONFIG = 'time_zone = "UTC"\nsummarize_after = 4'


@dataclass(frozen=True)
class Said:
    """Something that somebody says somewhere; `to_her` has it name Lyra."""

    who: str
    where: str
    text: str
    to_her: bool = True


HERE = [
    Said("ada", "general", "our boat is called Iris"),
    Said("bob", "general", "the harbour is closed on Monday", to_her=False),
    Said("bob", "general", "when can we sail?"),
    Said("ada", "lobby", "the boat needs a new sail"),
    Said("ada", "general", "what is our boat called?"),
    Said("ada", "general", "and what does the boat need?"),
    Said("bob", "general", "who has the key of the boat?"),
    Said("ada", "general", "what did we say about the harbour?"),
]
NOTHING: Sequence[Said] = ()
MUCH = [
    Said("ada", "dm", "our boat is secretly called Kestrel"),
    Said("bob", "bob's dm", "I hid the key of the boat under the harbour wall"),
    Said("ada", "staff", "the harbour master sails our boat on Mondays, and the key is 7741"),
    Said("ada", "secret", "a surprise: we rename the boat"),
    Said("ada", "club", "the boat of the club is called Kestrel as well"),
    Said("bob", "bob's dm", "what is our boat called, and who has the key?"),
    Said("ada", "staff", "the boat, the boat, the boat, the key, the harbour", to_her=False),
    Said("ada", "dm", "what does the boat need?"),
]
IN_PUBLIC = [Said("ada", "dm", "hello"), Said("ada", "lobby", "our boat is now called Kestrel")]


def model(request: Request) -> str:
    """Write digests as a model does, and answer everything else with a hash of the whole prompt."""
    written = sensible(request)
    return written if written != echo(request) else hashed(request)


async def built(town: Town) -> None:
    """Build the same world every time."""
    world, ada, bob = town.server.world, town.person("ada"), town.person("bob")
    home, club = world.guild("Home"), world.guild("Club")
    general = world.channel(home, "general")
    town.names.update(
        general=general,
        lobby=world.channel(home, "lobby"),
        staff=world.channel(home, "staff", only=(world.bot, ada.user)),
        secret=await ada.starts_thread(general, "A surprise", private=True),
        club=world.channel(club, "lounge"),
        dm=await ada.opens_dm(),
    )
    town.names["bob's dm"] = await bob.opens_dm()
    await ada.invites(town.names["secret"])


async def happens(town: Town, lyra: Awake, said: Said, at: datetime) -> Message:
    """Let something be said, and wait until it is answered and everything is tidied up."""
    text = f"{town.server.mention} {said.text}" if said.to_her else said.text
    message = await town.person(said.who).says(town.names[said.where], text, at=at)
    if said.to_her:
        await town.answer(message)
        await lyra.dreams()
    return message


async def sent(
    home: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Sequence[Said], domains: type[Domains] = Domains
) -> list[Any]:
    """Let the same happen at the channel, with other things elsewhere in between, and return all that was sent to the channel."""
    async with DiscordServer() as server, Thoughtful(model) as thoughtful:
        town = Town(server, thoughtful, home, monkeypatch)
        await built(town)
        async with town.lyra(config=CONFIG, domains=domains, at=HALF_PAST) as lyra:
            messages = []
            for minute, here in enumerate(HERE):
                at = NOON + timedelta(minutes=2 * minute)
                for other in elsewhere[minute : minute + 1]:
                    await happens(town, lyra, other, at)
                messages.append(await happens(town, lyra, here, at + timedelta(minutes=1)))
            await town.person("ada").deletes(messages[0])
            await town.person("ada").edits(messages[4], f"{server.mention} what is the name of our boat?")
            await happens(town, lyra, Said("bob", "general", "so what is it called?"), NOON + timedelta(minutes=20))
        sound(server)
        return [_bare(server, call.body) for call in server.calls("create_message") if _is_here(town, call.path)]


def _is_here(town: Town, path: str) -> bool:
    return str(town.names["general"].id) in path


def _bare(server: DiscordServer, body: Any) -> Any:
    """Return what was sent without what is new with every Discord: the nonce, and the id of what is answered."""
    texts = {str(one.id): one.content.removeprefix(server.mention) for one in server.world.messages()}
    reference = body.get("message_reference")
    return {**body, "nonce": "", "message_reference": reference and texts.get(str(reference["message_id"]), "deleted")}


async def test_what_happens_elsewhere_changes_nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = await sent(tmp_path / "alone", monkeypatch, NOTHING)
    among = await sent(tmp_path / "among", monkeypatch, MUCH)
    hashes = [body["content"] for body in alone if body["content"].startswith("Answer ")]
    assert len(set(hashes)) == len(hashes) == 7, "every answer has a prompt of its own"
    assert among == alone


@pytest.mark.parametrize(
    ("elsewhere", "domains"), [(MUCH, Everything), (IN_PUBLIC, Domains)], ids=["unguarded", "said where all of the server reads"]
)
async def test_this_would_see_a_single_word_that_leaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Sequence[Said], domains: type[Domains]
) -> None:
    alone = await sent(tmp_path / "alone", monkeypatch, NOTHING, domains)
    among = await sent(tmp_path / "among", monkeypatch, elsewhere, domains)
    assert len(among) == len(alone) and among != alone
