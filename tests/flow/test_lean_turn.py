"""A turn is lean: how often it asks memory, the embedder and Discord, in a conversation of which everything was made already."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from adapters.base import Adapter
from adapters.discord.adapter import Discord
from adapters.events import Person, Place
from adapters.message_parts import Quote
from bot.app import App, open_app
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Chosen
from bot.service.maintenance import Maintenance
from memory.types import Domain, Session
from memory.view.answer_validity import AnswerValidity
from memory.view.binding import Binding
from memory.view.view import View
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import configured, model_server
from tests.kits.discord_home import awake
from tests.kits.discord_town import Town, built
from tests.kits.ladder_talk import teller
from tests.kits.stalls import say

TOLD = (
    "My cat is called Turing.",
    "The boat is green.",
    "Noah bought 12 chairs.",
    "We leave on 3 March.",
    "Lena plays the piano.",
)
TALK = ("Hello again.", "What about boats?", "Tell me of Turing.")
QUESTION = "what did ada say about the boat?"
CONFIG = 'embed = "main"\nsummarize_after = 4\nepisode_least = 2\nrecent_turns = 1\n'


@dataclass(frozen=True)
class Cost:
    """What a turn took: statements read by themselves, transactions, and requests for vectors."""

    reads: int
    transactions: int
    embeddings: int


class Counting(Maintenance):
    """Housekeeping that notes what was asked of memory up to when a turn pokes it."""

    def __init__(self, app: App, model: OpenAIServer) -> None:
        super().__init__(app.memory, app.models, app.base.settings, app.base.clock, app.priority)
        self._app = app
        self._model = model
        self.checks = 0
        self.poked = self.now()
        self._was_poked = asyncio.Event()

    def now(self) -> Cost:
        """Return what was asked so far."""
        asked = [request for request in self._model.requests if request.path.endswith("/embeddings")]
        return Cost(self._app.memory.db.reads - self.checks, self._app.memory.db.transactions, len(asked))

    def poke(self, domain: Domain, session: Session | None = None) -> None:
        """Note it, and look after the domain."""
        self.poked = self.now()
        self._was_poked.set()
        super().poke(domain, session)

    async def turn(self, said: Awaitable[object]) -> Cost:
        """Have something said, and return what the turn took, up to its end."""
        before = self.now()
        self._was_poked.clear()
        await said
        await self._was_poked.wait()
        return self.since(before)

    async def everything(self) -> None:
        """Make all that can be made of what was said so far."""
        await self.drain()
        await self.summarize_all(await self.waiting(), 2, lambda done, total: None)
        for domain in await self._app.memory.places.domains():
            await self._app.dreams.dream(domain, forced=True)
        await self.drain()

    def since(self, before: Cost) -> Cost:
        """Return what the last turn took."""
        return Cost(
            self.poked.reads - before.reads,
            self.poked.transactions - before.transactions,
            self.poked.embeddings - before.embeddings,
        )


_NUMBERS = count()


class Checks(AnswerValidity):
    """Has no check counted that sources still stand: it reads once where anybody committed, on a server in any of its databases."""

    def __init__(self, binding: Binding, counting: Counting) -> None:
        super().__init__(binding)
        self._counting = counting

    async def require(self, asked: Mapping[int, str], others: Mapping[int, str], begun: int) -> None:
        """Check, and note it."""
        self._counting.checks += 1
        await super().require(asked, others, begun)


class Access(DomainAccess):
    """Access to domains through views that note their checks."""

    counting: Counting

    async def view_with_session(
        self, place: Place, person: Person, adapter: Adapter | None, chosen: Chosen
    ) -> tuple[View, Session | None]:
        view, session = await super().view_with_session(place, person, adapter, chosen)
        view.validity = Checks(view._binding, self.counting)
        return view, session


class Wasteful(Access):
    """The twin that reads things one by one, looks for something else as well, and writes a line more."""

    async def view_with_session(
        self, place: Place, person: Person, adapter: Adapter | None, chosen: Chosen
    ) -> tuple[View, Session | None]:
        view, session = await super().view_with_session(place, person, adapter, chosen)
        for name in ("reach", "encrypted", "streaming", "reflections", "answers", "listening", "time zone"):
            await self._preferences.value(place, name)
        await view.recall.messages(f"the weather in Graz {place.key} {next(_NUMBERS)}", 1)
        await view.note("looked twice")
        return view, session


def counted(app: App, model: OpenAIServer, *, wasteful: bool) -> tuple[App, Counting]:
    """Return her with housekeeping that counts, or as the twin."""
    base, counting = app.base, Counting(app, model)
    kind = Wasteful if wasteful else Access
    domains = kind(app.memory, base.settings, app.preferences, base.clock, base.time_zone)
    domains.counting = counting
    return replace(app, maintenance=counting, domains=domains), counting


async def at_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer, *, wasteful: bool) -> Cost:
    """Return what a turn takes at the terminal."""
    (tmp_path / "lyra.toml").write_text(configured(model, CONFIG, ""))
    monkeypatch.setenv("LYRA_HOME", str(tmp_path))
    async with open_app() as app:
        app, counting = counted(app, model, wasteful=wasteful)
        await say(app, TOLD)
        await counting.everything()
        await say(app, TALK)
        await counting.drain()
        before = counting.now()
        # What a start reads is no part of it: two starts, of which one answers, take one turn more than one that does not.
        await say(app, [])
        start = counting.now()
        await say(app, [QUESTION])
        took = counting.since(start)
    return Cost(
        took.reads - (start.reads - before.reads), took.transactions - (start.transactions - before.transactions), took.embeddings
    )


@asynccontextmanager
async def on_discord(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer, where: str, *, wasteful: bool = False,
    kind: type[Discord] = Discord,
) -> AsyncIterator[tuple[Town, Channel, Counting]]:  # fmt: skip
    """Have a conversation with her in a DM or a channel."""
    made: list[Counting] = []

    def changed(app: App) -> App:
        app, counting = counted(app, model, wasteful=wasteful)
        made.append(counting)
        return app

    async with (
        built(tmp_path, monkeypatch) as town,
        awake(town.server, town.home, monkeypatch, model=model, config=CONFIG, kind=kind, changed=changed) as lyra,
    ):
        place = town.general if where == "a channel" else await town.ada.opens_dm()
        for text in TOLD:
            await made[0].turn(town.says(town.ada, place, text))
        await made[0].everything()
        for text in TALK:
            await made[0].turn(town.says(town.ada, place, text))
        if place.guild:
            await town.bob.says(place, "The weather is fine.")
        await made[0].turn(town.says(town.ada, place, "And how are you?"))
        await made[0].drain()
        yield town, place, made[0]
        await lyra.heard()
        await made[0].drain()


async def cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, *, wasteful: bool) -> Cost:
    """Return what a turn of one part takes at a place."""
    async with model_server(teller) as model:
        if where == "the terminal":
            return await at_the_terminal(tmp_path, monkeypatch, model, wasteful=wasteful)
        async with on_discord(tmp_path, monkeypatch, model, where, wasteful=wasteful) as (town, place, counting):
            took = []
            for question in (QUESTION, "what did ada say about the cat?"):
                took.append(await counting.turn(town.says(town.ada, place, question)))
                await counting.drain()
            # What runs every minute beside the turns, and notes of the connection, may fall into one of them.
            return min(took, key=lambda one: (one.transactions, one.reads))


PLACES = pytest.mark.parametrize("where", ["the terminal", "a DM", "a channel"])


@PLACES
async def test_a_turn_of_one_part_asks_memory_seldom_and_the_embedder_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    took = await cost(tmp_path, monkeypatch, where, wasteful=False)
    assert 0 < took.reads <= 12 and took.transactions == 4 and took.embeddings == 1, took


@pytest.mark.torture
@PLACES
async def test_whoever_asked_more_often_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    took = await cost(tmp_path, monkeypatch, where, wasteful=True)
    assert took.reads > 12 and took.transactions == 5 and took.embeddings == 2, took


async def rounds(app: App, counting: Counting, model: OpenAIServer, *steps: b.Calls | b.Answerer) -> Cost:
    """Return what a turn takes at the terminal in which the model makes these calls before it answers."""
    left = list(steps)

    def answers(request: b.Request) -> str | b.Calls:
        step = left.pop(0) if left else teller
        return step if isinstance(step, b.Calls) else step(request)

    model.default = answers
    before = counting.now()
    await say(app, [QUESTION])
    took = counting.since(before)
    await counting.drain()
    return took


def reopened(request: b.Request) -> b.Calls:
    """Open what was looked up."""
    return b.calls("open", receipt=request.returned[-1].partition("receipt ")[2].partition(",")[0])


async def test_a_round_of_a_tool_asks_memory_seldom_and_the_embedder_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with model_server(teller) as model:
        (tmp_path / "lyra.toml").write_text(configured(model, 'embed = "main"', ""))
        monkeypatch.setenv("LYRA_HOME", str(tmp_path))
        async with open_app() as app:
            app, counting = counted(app, model, wasteful=False)
            await say(app, TOLD)
            await counting.drain()
            # The first turn reads what later ones know.
            await rounds(app, counting, model, b.calls("recall", query="chairs"))
            none = await rounds(app, counting, model)
            dated = b.calls("recall", query="boats and chairs", from_="2020-01-01", speaker="ada")
            looked_up = await rounds(app, counting, model, dated)
            nowhere = b.calls("recall", query="zebras", from_="2020-01-01", to="2020-01-02")
            found_nothing = await rounds(app, counting, model, nowhere)
            two = await rounds(app, counting, model, b.calls("recall", query="a boat"), reopened)
            at_once = b.Calls(tuple(("recall", {"query": f"the {what}"}) for what in ("boat", "piano", "cat")))
            wasteful = await rounds(app, counting, model, at_once)
        for took, calls in ((looked_up, 1), (found_nothing, 1), (two, 2)):
            assert 0 < took.reads - none.reads <= 4 * calls, (none, took)
            assert took.transactions == none.transactions, "stored nowhere"
        assert [took.embeddings - none.embeddings for took in (looked_up, found_nothing, two)] == [1, 1, 1]
        assert wasteful.reads - none.reads > 4 and wasteful.embeddings - none.embeddings == 3, (
            "three calls at once are three rounds"
        )


class AsksDiscord(Discord):
    """The twin that asks Discord for what was said before each time."""

    async def messages_before(self, place: str, message: str, n: int, reader: Person | None = None) -> tuple[Quote, ...]:
        assert self._client is not None
        self._client.recent_messages.clear()
        return tuple(await super().messages_before(place, message, n, reader))


@pytest.mark.parametrize(("kind", "asks"), [(Discord, False), (AsksDiscord, True)], ids=["her", "the twin"])
async def test_a_turn_in_a_channel_reads_no_history_of_what_was_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Discord], asks: bool
) -> None:
    async with (
        model_server(teller) as model,
        on_discord(tmp_path, monkeypatch, model, "a channel", kind=kind) as (town, place, _),
    ):
        asked = len(town.server.requests)
        await town.says(town.ada, place, QUESTION)
        assert ("GET" in [call.method for call in town.server.requests[asked:]]) is asks
        assert "The weather is fine." in str(model.requests[-1].body) or asks
