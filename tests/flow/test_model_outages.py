"""A model that is out of reach, fails, or has no safe connection: who asked is told so once, and is answered once it works."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.app import App
from bot.conversation import inbox_events, mailboxes
from bot.conversation.answering.unanswered import LATE
from bot.errors import ModelBusy, ModelDenied, ModelDown, ModelError, ModelMissing, ModelRefused
from bot.models.outage import ModelOutage
from bot.talk import Talk
from memory.types import MINUTE
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town
from tests.kits.thinking import TOWN, Platform, Thinking, platform, saying

HOUR = 60 * MINUTE
HELD = "My model does not answer just now. Your message is kept; I answer it when the model does."


class Moved:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.at = 1_700_000_000_000_000

    def now(self) -> int:
        return self.at


class Unpaced(ModelOutage):
    """The twin that lets every place be tried every time."""

    @property
    def lasts(self) -> bool:
        return False


class Outage:
    """Lyra with questions that wait for a model, and a clock."""

    def __init__(self, app: App, talk: Talk, here: Platform, model: Thinking, clock: Moved) -> None:
        self.app, self.talk, self.here, self.model, self._clock = app, talk, here, model, clock
        self._say = saying(app)

    async def asks(self, *places: str, text: str = "are you there") -> None:
        for place in places:
            await (await self.talk.listeners["platform"].hear([self._say(text, place)]))

    async def passes(self, time: int) -> int:
        """Let time pass, with what is done every minute; return how often the model was asked."""
        before = len(self.model.asked)
        for _ in range(time // MINUTE):
            self._clock.at += MINUTE
            for resumed in await self.talk.mailboxes.retry():
                await resumed
        return len(self.model.asked) - before


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Moved:
    clock = Moved()
    monkeypatch.setattr("bot.app.SystemClock", lambda: clock)
    return clock


@asynccontextmanager
async def outage(folder: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved, error: ModelError) -> AsyncIterator[Outage]:
    async with platform(folder, monkeypatch) as (app, talk, here, model):
        model.fails = error
        yield Outage(app, talk, here, model, clock)


@pytest.mark.parametrize("error", [ModelDown("away"), ModelBusy("busy"), ModelDenied("no"), ModelMissing("gone")], ids=repr)
async def test_a_question_is_answered_once_when_a_model_is_back_after_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved, error: ModelError
) -> None:
    async with outage(tmp_path, monkeypatch, clock, error) as it:
        await it.asks("dm")
        (told,) = it.here.texts
        assert told.endswith("Your message is kept; I answer it when the model does.")
        await it.passes(6 * HOUR)
        assert it.here.texts == [told], "it is said once"
        it.model.fails = None
        await it.passes(20 * MINUTE)
        assert it.here.texts == [told, "You said: are you there"]
        assert await it.app.memory.journal.unfinished("platform") == []


async def test_without_the_promise_it_would_be_called_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved
) -> None:
    monkeypatch.setattr(inbox_events, "PROMISED", frozenset())
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        await it.asks("dm")
        await it.passes(2 * HOUR)
        assert it.here.texts == [HELD, str(LATE)]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_promised_answer_comes_however_long_it_was_unknown_who_reads_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(mailboxes, "PROMISED", frozenset())
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        await it.asks(TOWN.channel)
        it.model.fails, it.here.knows_readers = None, False
        await it.passes(2 * HOUR)
        assert it.here.texts == [HELD]
        it.here.knows_readers = True
        await it.passes(MINUTE)
        assert it.here.texts == [HELD, "You said: ada: are you there" if guarded else str(LATE)]


async def hours_of(it: Outage, places: Sequence[str]) -> int:
    """Return how often a model is asked in an hour, of what waits at these places, after six hours without an answer."""
    await it.asks(*places)
    await it.passes(6 * HOUR)
    return await it.passes(HOUR)


PLACES = [f"dm{at}" for at in range(5)]


async def test_a_model_that_fails_for_hours_is_asked_every_ten_minutes_however_much_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved, capsys: pytest.CaptureFixture[str]
) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelDenied("no key")) as it:
        assert 5 <= await hours_of(it, PLACES) <= 6
        it.model.fails = None
        await it.passes(11 * MINUTE)
        assert it.here.texts.count("You said: are you there") == len(PLACES)
    written = (tmp_path / "lyra.log").read_text()
    assert len(re.findall("model.denied", written)) == 1, "it is logged once"


@pytest.mark.torture
async def test_without_its_pace_it_is_asked_every_minute_for_each_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved
) -> None:
    monkeypatch.setattr("bot.models.chains.ModelOutage", Unpaced)
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        assert await hours_of(it, PLACES[:2]) == 120


async def test_a_short_outage_is_over_within_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        await it.asks("dm")
        assert await it.passes(8 * MINUTE) == 8
        it.model.fails = None
        await it.passes(2 * MINUTE)
        assert it.here.texts == [HELD, "You said: are you there"]


async def test_an_endpoint_that_says_when_to_ask_again_is_not_asked_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved
) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelBusy("busy", retry_after=1800.0)) as it:
        await it.asks("dm")
        assert await it.passes(29 * MINUTE) == 0 and await it.passes(MINUTE) == 1


async def test_another_model_is_asked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelDenied("no key")) as it:
        await it.asks(*PLACES)
        await it.passes(6 * HOUR)
        it.app.models.chat = Thinking()
        await it.passes(MINUTE)
        assert it.here.texts.count("You said: are you there") == len(PLACES)


async def test_a_question_at_which_a_model_always_fails_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved
) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        await it.asks("dm0", text="poison")
        await it.asks("dm1")
        await it.passes(HOUR)
        it.model.fails_at = "poison"
        await it.passes(20 * MINUTE)
        assert "You said: are you there" in it.here.texts


async def test_an_outage_uses_up_no_try_of_a_question_that_is_refused_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Moved
) -> None:
    async with outage(tmp_path, monkeypatch, clock, ModelDown("away")) as it:
        await it.asks("dm")
        await it.passes(3 * HOUR)
        it.model.fails = ModelRefused("not this one")
        while not await it.passes(MINUTE):
            pass
        it.model.fails = None
        await it.passes(10 * MINUTE)
        assert it.here.texts == [HELD, "You said: are you there"]


town = discord_town.town


class Front:
    """What answers in plain words where TLS is spoken."""

    def __init__(self) -> None:
        self.port = 0
        self.asked = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer for the block."""
        server = await asyncio.start_server(self._refuse, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield

    async def _refuse(self, _: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        self.asked.set()
        out.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        await out.drain()
        out.close()


async def test_who_asked_is_told_once_and_answered_once_it_works(town: Town) -> None:
    front = Front()
    async with front.open():
        # Within a second no second try is begun, for which each question would wait.
        entry = f'base_url = "https://127.0.0.1:{front.port}/v1"\nmodel = "fake-model"\ntimeout = 1.0\n'
        unsafe = f'chat = "main"\n[models.main]\n{entry}'
        async with town.lyra(config=unsafe) as lyra:
            said = await town.says(town.ada, town.general, "which tea?")
            await lyra.rests()
            for _ in range(2):
                front.asked.clear()
                async with asyncio.timeout(PATIENCE):
                    # The longer it lasts, the rarer she tries.
                    while not front.asked.is_set():
                        await lyra.talk.tick()
                        await lyra.rests()
            told = [one.content for one in town.server.world.said if one.reply_to == said.id]
            # Where the model is, is her owner's business.
            assert told == ["My model does not answer just now. Your message is kept; I answer it when the model does."]
    async with model_server() as model, town.lyra(model):
        await town.server.pulse.until(
            lambda: [one for one in town.server.world.said if one.content == "You said: ada: which tea?"], "the answer"
        )
