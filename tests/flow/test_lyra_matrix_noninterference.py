"""Two-run noninterference: what happens elsewhere changes nothing of what Lyra says in a Matrix room.

The model answers with a hash of all that it is given, time stands still, and each run has people, rooms and a memory of its
own. So their ids differ, in what is sent and in the names of threads; each is taken for what it stands for in its own run.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.matrix.rooms.room import short
from bot.conversation.domain_access import DomainAccess
from memory.bank.block import HEAD
from tests.fakes.matrix import People, Synapse
from tests.fakes.matrix.faults import SEND
from tests.fakes.openai_behaviours import Request, echo, sensible
from tests.kits.awake import Awake, prompt
from tests.kits.given_time import pass_there
from tests.kits.matrix_home import home
from tests.kits.matrix_knowing import Everything, Noon, Punctual, Thoughtful, Town
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

NOON = int(datetime(2026, 3, 4, 12, tzinfo=UTC).timestamp()) * 1000
MINUTE = 60_000
HALF_PAST = (NOON + 30 * MINUTE) * 1000
CONFIG = 'time_zone = "UTC"\nsummarize_after = 4'


@dataclass(frozen=True)
class Said:
    """Something that somebody says somewhere; `to_her` has it name Lyra, `thread` is the text that began its thread, `answers`
    the one that it replies to.
    """

    who: str
    where: str
    text: str
    to_her: bool = True
    thread: str = ""
    answers: str = ""


HERE = [
    Said("ada", "garden", "our boat is called Iris"),
    Said("bob", "garden", "the harbour is closed on Monday", to_her=False),
    Said("bob", "garden", "when can we sail?"),
    Said("ada", "garden", "the boat needs a new sail", thread="our boat is called Iris"),
    Said("ada", "garden", "what is our boat called?", answers="the harbour is closed on Monday"),
    Said("bob", "garden", "and what does the boat need?", thread="our boat is called Iris"),
    Said("bob", "garden", "who has the key of the boat?"),
    Said("ada", "garden", "what did we say about the harbour?"),
]
NOTHING: Sequence[Said] = ()
MUCH = [
    Said("ada", "dm", "our boat is secretly called Kestrel"),
    Said("bob", "bob's dm", "I hid the key of the boat under the harbour wall"),
    Said("ada", "shed", "the harbour master sails our boat on Mondays, and the key is 7741"),
    Said("ada", "sealed", "a surprise: we rename the boat"),
    Said("bob", "shed", "the boat of the club is called Kestrel as well"),
    Said("ada", "dm", "!settings reach on"),
    Said("ada", "dm", "what is our boat called, and who has the key?"),
    Said("bob", "shed", "the boat, the boat, the boat, the key, the harbour", to_her=False),
]
IN_A_THREAD = [
    Said("ada", "dm", "hello"),
    Said("ada", "garden", "our boat is now called Kestrel", thread="our boat is called Iris"),
]


@dataclass
class Run:
    """One run: its town, and what its ids stand for."""

    town: Town
    lyra: Awake
    ids: dict[str, str]
    said: dict[str, str] = field(default_factory=dict)

    async def happens(self, said: Said, minute: int) -> None:
        """Let something be said, and wait until it is answered and nothing that follows from it is under way."""
        person, room = await self.town.person(said.who), self.town.rooms[said.where]
        mentions = [self.town.home.user] if said.to_her else []
        to = {"thread": self.said.get(said.thread, ""), "reply_to": self.said.get(said.answers, "")}
        event = await person.says(room, said.text, mentions=mentions, **to)
        self.said[said.text] = event
        self.ids[event] = said.text
        if said.to_her:
            await self.town.home.answer(person, room, event)
            await self.lyra.rests()

    def sent(self, place: str = "garden") -> list[Any]:
        """Return all that was sent into a room, without the keys of its parts."""
        here = [call for call in self.town.home.proxy.calls(SEND) if call.path.startswith(f"/rooms/{self.town.rooms[place]}/")]
        return [named({**call.body, "lyra.part": ""}, self.ids) for call in here]


def named(found: Any, ids: dict[str, str]) -> Any:
    """Return something with its ids replaced by what they stand for; of threads, the beginnings that people are shown."""
    text = json.dumps(found, ensure_ascii=False)
    for id, name in ids.items():
        text = text.replace(id, name)
        if id.startswith("$"):
            text = text.replace(f"thread {short(id)}", f"thread {name}")
    return json.loads(text)


def digest(request: Request, ids: dict[str, str]) -> str:
    """Answer with a hash of all that was given."""
    given = json.dumps(named(request.body["messages"], ids), sort_keys=True)
    return f"Answer {hashlib.sha256(given.encode()).hexdigest()[:32]}"


async def built(town: Town, ids: dict[str, str]) -> None:
    """Build the same world every time."""
    for name in ("ada", "bob"):
        ids[(await town.person(name)).user] = name
    ids[town.home.user] = "lyra"
    await town.room("garden", "ada", "bob")
    await town.room("shed", "ada", "bob")
    town.rooms |= {"dm": await town.dm("ada"), "bob's dm": await town.dm("bob"), "sealed": await town.dm("ada", encrypted=True)}


async def sent(
    synapse: Synapse,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    elsewhere: Sequence[Said],
    domains: type[DomainAccess] = DomainAccess,
) -> list[Any]:
    """Let the same happen in the garden, with other things elsewhere in between; return all that was sent into the garden."""
    ids: dict[str, str] = {}
    pass_there(monkeypatch)
    path.mkdir()

    def model(request: Request) -> str:
        written = sensible(request)
        return digest(request, ids) if written == echo(request) else written

    times = {said.text: NOON + 2 * minute * MINUTE for minute, said in enumerate(HERE)}
    times |= {said.text: NOON + (2 * minute - 1) * MINUTE for minute, said in enumerate(elsewhere)}
    async with People(synapse) as people, Punctual(synapse.url, NOON, times) as proxy, Thoughtful(model) as thoughtful:
        town = Town(people, await home(people, proxy, path, monkeypatch), thoughtful)
        async with town.lyra(config=CONFIG, domains=domains, clock=Noon(HALF_PAST)) as lyra:
            await built(town, ids)
            run = Run(town, lyra, ids)
            assert "is on" in await town.tells("ada", town.rooms["garden"], "!memory bank on")
            # It notes what is said from when it was turned on, which is after all of this by a clock that stands still.
            [(scope, _)] = await lyra.app.memory.settings.everywhere("bank")
            await lyra.app.memory.settings.set(scope, "bank", NOON * 1000)
            for minute, here in enumerate(HERE):
                for other in elsewhere[minute : minute + 1]:
                    await run.happens(other, minute)
                await run.happens(here, minute)
                # As often in either run: each pass of the dream lets her mood fade.
                await lyra.dreams()
            ada, garden = await town.person("ada"), town.rooms["garden"]
            await ada.redacts(garden, run.said[HERE[0].text])
            await ada.edits(garden, run.said[HERE[4].text], "what is the name of our boat?", mentions=[town.home.user])
            await run.happens(Said("bob", "garden", "so what is it called?"), len(HERE))
            given = "".join(map(prompt, lyra.chats))
            assert HEAD in given and "The message answers this:\n> Bob: the harbour is closed on Monday" in given
        return run.sent()


@pytest.fixture(scope="module")
def known() -> list[list[Any]]:
    """What was sent when nothing happened elsewhere, once that was seen."""
    return []


async def alone(known: list[list[Any]], synapse: Synapse, path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what is sent when nothing happens elsewhere."""
    if not known:
        known.append(await sent(synapse, path / "alone", monkeypatch, NOTHING))
    return known[0]


def answers(sent: Sequence[Any]) -> list[str]:
    """Return what was answered to what is said in every run."""
    said = {one.text for one in HERE}
    found = [content for content in sent if "m.relates_to" in content]
    return [content["body"] for content in found if content["m.relates_to"]["m.in_reply_to"]["event_id"] in said]


@pytest.mark.torture
async def test_what_happens_elsewhere_changes_nothing_here(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: list[list[Any]]
) -> None:
    by_itself = await alone(known, synapse, tmp_path, monkeypatch)
    hashes = [content["body"] for content in by_itself if content["body"].startswith("Answer ")]
    assert len(set(hashes)) == len(hashes) == 8, "every answer has a prompt of its own"
    assert await sent(synapse, tmp_path / "among", monkeypatch, MUCH) == by_itself


@pytest.mark.torture
@pytest.mark.parametrize(("elsewhere", "domains"), few([(MUCH, Everything), (IN_A_THREAD, DomainAccess)]))
async def test_this_would_see_a_single_word_that_leaks(
    synapse: Synapse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    known: list[list[Any]],
    elsewhere: Sequence[Said],
    domains: type[DomainAccess],
) -> None:
    by_itself = answers(await alone(known, synapse, tmp_path, monkeypatch))
    among = answers(await sent(synapse, tmp_path / "among", monkeypatch, elsewhere, domains))
    assert len(among) == len(by_itself) == 7 and among != by_itself
