"""Two-run noninterference: what happens elsewhere changes no byte of what Lyra sends to a channel, or to a DM that reaches out.

The model answers with a hash of all that it is given, time stands still, and each run is a Discord and a memory of its own. What she
does in the background, which a busy elsewhere puts off, comes in the middle of every answer in the run that is among others.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.base import Adapter
from adapters.discord.adapter import Discord
from adapters.events import Person as Someone
from adapters.events import Place, split_key
from adapters.message_parts import Quote
from bot.conversation.domain_access import DomainAccess
from bot.imports import deriving
from memory.bank.block import HEAD
from memory.types import Confidence, Domain
from tests.fakes.discord import DiscordServer, Person
from tests.fakes.openai_behaviours import Request
from tests.kits.discord_home import Awake, sound
from tests.kits.discord_knowing import Believing, Everything, Thoughtful, Town, everything
from tests.kits.given_time import pass_there
from tests.kits.noninterference import IN_A_CHANNEL, MUCH, NOON, Run, Said, at_noon, built, model

CONFIG = 'time_zone = "UTC"\nsummarize_after = 4'


IN_A_DM = [
    Said("ada", "dm", "my boat is called Iris"),
    Said("ada", "lobby", "the boat needs a new sail"),
    Said("ada", "dm", "what does the boat need?"),
    Said("ada", "staff", "the key of the boat is 7741"),
    Said("ada", "dm", "who has the key of the boat?", answers="my boat is called Iris"),
    Said("ada", "dm", "what did you just say?"),
]
NOTHING: Sequence[Said] = ()
UNREAD = [
    Said("bob", "board", "our boat is secretly called Kestrel"),
    Said("bob", "bob's dm", "I hid the key of the boat under the harbour wall"),
    Said("bob", "board", "the boat, the boat, the boat, the key, the harbour", to_her=False),
    Said("bob", "board", "what does the boat need?", answers="the boat, the boat, the boat, the key, the harbour"),
    Said("bob", "bob's dm", "what is our boat called, and who has the key?"),
    Said("bob", "board", "who has the key of the boat?"),
]
IN_PUBLIC = [Said("ada", "dm", "hello"), Said("ada", "lobby", "our boat is now called Kestrel")]

GREETED = [Said("ada", "lobby", "good morning")]
CONFIDED = [
    Said("ada", "lobby", "Don't tell Bob: our boat is soon called Kestrel, and the sail is red"),
    Said("ada", "lobby", "the key of the boat is 7741, the harbour is open on Monday. Keep this between us."),
    Said("ada", "lobby", "Never mention it when bob is around, but the boat needs a new sail, a boat, a harbour"),
    Said("ada", "lobby", "what is our boat called? Bob must not know."),
    Said("ada", "lobby", "the boat gets a new captain on 5 May, and that's between you and me"),
]


async def sent(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    elsewhere: Sequence[Said | Sequence[Said]],
    domains: type[DomainAccess] = DomainAccess,
    *,
    discord: type[Discord] = Discord,
    private: bool = False,
    meanwhile: Callable[[Awake], Awaitable[None]] | None = None,
) -> list[Any]:
    """Let the same happen at the channel, or in the DM, with other things elsewhere in between, and return all that was sent there.

    The server of the channel keeps a bank, and the DM reaches what its person can read. `meanwhile` is done before each answer.
    """
    pass_there(monkeypatch)
    async with DiscordServer() as server, Interrupted(model) as thoughtful:
        town = Town(server, thoughtful, home, monkeypatch)
        await built(town)
        async with town.lyra(config=CONFIG, domains=domains, discord=discord, at=at_noon(30)) as lyra:
            thoughtful.meanwhile = partial(meanwhile, lyra) if meanwhile else None
            run, where = Run(town, lyra), "dm" if private else "general"
            await town.sets("ada", town.names["dm"], "reach", "on")
            admin = Person(server.hub, server.world.boss)
            assert "is on" in (await (await admin.runs(town.names["general"], "memory bank", choice="on")).answer()).content
            # It notes what is said from when it was turned on, which is after all of this by a clock that stands still.
            [(scope, _)] = await lyra.app.memory.settings.everywhere("bank")
            await lyra.app.memory.settings.set(scope, "bank", at_noon(0))
            last = Said("ada", "dm", "so what is it called?") if private else Said("bob", "general", "so what is it called?")
            here = IN_A_DM if private else IN_A_CHANNEL
            for minute, one in enumerate(here):
                at = NOON + timedelta(minutes=2 * minute)
                for other in elsewhere[minute : minute + 1]:
                    for told in [other] if isinstance(other, Said) else other:
                        await run.happens(told, at)
                await run.happens(one, at + timedelta(minutes=1))
                # As often in either run: each pass of the dream lets her mood fade.
                await lyra.dreams()
            await town.person("ada").deletes(run.said[here[0].text])
            while any(here[0].text in text for text in await everything(lyra)):
                await asyncio.sleep(0.01)
            await lyra.rests()
            if not private:
                await town.person("ada").edits(run.said[here[4].text], f"{server.mention} what is the name of our boat?")
            await run.happens(last, NOON + timedelta(minutes=20))
            assert run.shown(where, "sail") and run.looked_up
            assert run.shown(where, HEAD) is not private, "the bank"
            assert private or (run.shown(where, "The message answers this:") and run.shown(where, "others said here:"))
        sound(server)
        return run.sent(where)


@pytest.mark.parametrize(
    ("private", "elsewhere"),
    [pytest.param(False, MUCH, id="channel"), pytest.param(True, UNREAD, id="dm", marks=pytest.mark.torture)],
)
async def test_what_happens_elsewhere_changes_nothing_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private: bool, elsewhere: Sequence[Said]
) -> None:
    alone = await sent(tmp_path / "alone", monkeypatch, NOTHING, private=private)
    among = await sent(tmp_path / "among", monkeypatch, elsewhere, private=private, meanwhile=close_what_is_over)
    hashes = [body["content"] for body in alone if body["content"].startswith("Answer ")]
    assert len(set(hashes)) == len(hashes) == (5 if private else 7), "every answer has a prompt of its own"
    assert among == alone


class Interrupted(Thoughtful):
    """A model server where something happens before each answer."""

    meanwhile: Callable[[], Awaitable[None]] | None = None

    async def _record(self, request: web.Request) -> Request:
        recorded = await super()._record(request)
        if self.meanwhile:
            await self.meanwhile()
        return recorded


async def close_what_is_over(lyra: Awake, *, asked: bool = False) -> None:
    """Close every conversation that is over by now, as what she does in the background may at any instant; if `asked`, all."""
    memory, extractive = lyra.app.memory, lyra.app.models.extractive
    for domain in await memory.places.domains():
        consolidator = deriving(memory).consolidator(domain, extractive, extractive)
        for session in await memory.view(domain).sessions.all():
            await consolidator.close_episodes(session, asked=asked)


@pytest.mark.torture
async def test_this_would_see_what_depends_on_when_she_comes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = await sent(tmp_path / "later", monkeypatch, NOTHING)
    at_once = await sent(tmp_path / "at once", monkeypatch, NOTHING, meanwhile=partial(close_what_is_over, asked=True))
    assert len(at_once) == len(later) and at_once != later


class Indiscreet(DomainAccess):
    """The guard of what is told in confidence switched off: whoever reads a place reads that as well."""

    async def _in_confidence(
        self, place: Place, person: Someone, told: Sequence[Confidence], adapter: Adapter | None
    ) -> list[Domain]:
        return [one.domain for one in told]


@pytest.mark.torture
@pytest.mark.parametrize(
    ("domains", "same"),
    [(DomainAccess, True), pytest.param(Indiscreet, False, marks=pytest.mark.torture)],
    ids=["her", "the twin"],
)
async def test_what_is_told_in_confidence_changes_nothing_where_somebody_reads_who_may_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domains: type[DomainAccess], same: bool
) -> None:
    without = await sent(tmp_path / "without", monkeypatch, GREETED, domains)
    with_it = await sent(tmp_path / "with", monkeypatch, GREETED + CONFIDED, domains)
    assert len(with_it) == len(without) and (with_it == without) is same


def named_later(number: str) -> Sequence[Said]:
    """Return a number that Ada tells, and that she has kept from Bob later on, in another channel."""
    return [
        Said("ada", "lobby", f"the key of our boat is {number}, the sail and the harbour know it"),
        Said("ada", "porch", "it is sunny today"),
        Said("ada", "porch", "oh, and never mention the key of our boat when Bob is around"),
    ]


@pytest.mark.torture
@pytest.mark.parametrize(("domains", "same"), [(DomainAccess, True), (Indiscreet, False)], ids=["her", "the twin"])
async def test_what_is_named_in_a_request_for_discretion_changes_nothing_whatever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domains: type[DomainAccess], same: bool
) -> None:
    one, other = [
        await sent(tmp_path / number, monkeypatch, [[*GREETED, *named_later(number)]], domains) for number in ("7741", "9902")
    ]
    assert len(one) == len(other) and (one == other) is same


class Overhearing(Discord):
    """What was said just before is read from every place."""

    async def messages_before(self, place: str, message: str, n: int, reader: Someone | None = None) -> Sequence[Quote]:
        """Return what was said last anywhere in the server."""
        server, _, _ = split_key(place)
        assert self._client
        channels = [one for guild in self._client.guilds if str(guild.id) == server for one in guild.text_channels]
        keys = [json.dumps([server, str(one.id), ""]) for one in channels]
        before = super().messages_before
        return [quote for key in keys for quote in await before(key, message, n)]


@pytest.mark.torture
@pytest.mark.parametrize(
    ("elsewhere", "domains", "discord", "private"),
    [
        (MUCH, Everything, Discord, False),
        (IN_PUBLIC, DomainAccess, Discord, False),
        (MUCH, DomainAccess, Overhearing, False),
        (UNREAD, DomainAccess, Believing, True),
    ],
    ids=["unguarded", "said where all of the server reads", "overhearing", "reaching everything"],
)
async def test_this_would_see_a_single_word_that_leaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: Sequence[Said], domains: type[DomainAccess], discord: type[Discord],
    private: bool,
) -> None:  # fmt: skip
    alone = await sent(tmp_path / "alone", monkeypatch, NOTHING, domains, discord=discord, private=private)
    among = await sent(tmp_path / "among", monkeypatch, elsewhere, domains, discord=discord, private=private)
    assert len(among) == len(alone) and among != alone
