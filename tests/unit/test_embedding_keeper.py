"""New texts get their vectors beside everything else: nobody waits for them, and what fails elsewhere does not stop them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.models.chains import Models
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.port import ChatMessage, Model, Toolbox
from bot.service import log
from bot.service.maintenance import Maintenance
from bot.service.priority import Priority
from memory.core import ConsolidationRules
from memory.errors import WriterFailed
from memory.ports import Vectors
from memory.tiers.episodes import EpisodeRules
from tests.fakes.pulse import PATIENCE
from tests.kits.memory_kit import BagOfWords, Corner, at_home, said
from tests.kits.roomless import Roomless


class Waiting(BagOfWords):
    """An embedder that waits before every batch but the first few, until it is let go."""

    def __init__(self, first: int = 0, name: str = "bag") -> None:
        super().__init__(name)
        self.first = first
        self.asked = asyncio.Event()
        self.free = asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Wait, then embed."""
        self.first -= 1
        if self.first < 0:
            self.asked.set()
            await self.free.wait()
        return await super().embed(texts)


class Failing(Roomless):
    """A model that cannot be reached."""

    name = "failing"

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Fail."""
        raise WriterFailed("No model answers.")
        yield ""

    async def close(self) -> None:
        """Let go of nothing."""


class Batches(BagOfWords):
    """An embedder that remembers how many texts it was given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed the texts."""
        self.sizes.append(len(texts))
        return await super().embed(texts)


class Hasty(Priority):
    """The twin that waits for no pause."""

    async def pause(self) -> None:
        """Go on at once."""


@asynccontextmanager
async def keeping(here: Corner, *, model: bool = False, priority: Priority | None = None) -> AsyncIterator[Maintenance]:
    """Return what keeps house, without a model or with one that cannot be reached."""
    backends = {"main": Backend(base_url="http://127.0.0.1:1/v1", model="m")} if model else {}
    settings = Settings(chat=["main"] if model else [], models=backends)

    def make(name: str, backend: Backend, tries: int, waits: Sequence[float], facts: BackendFacts) -> Model:
        return Failing()

    models = Models(settings, here.memory.settings, make, here.clock)
    await models.open()
    maintenance = Maintenance(here.memory, models, settings, here.clock, priority)
    yield maintenance
    await maintenance.drain()
    await models.close()


async def test_housekeeping_does_not_wait_for_vectors(tmp_path: Path) -> None:
    embedder = Waiting()
    async with at_home(tmp_path, embedder=embedder) as here, keeping(here) as maintenance:
        await here.say("the parrot is green")
        await maintenance.tick()
        await embedder.asked.wait()
        await maintenance.tick()
        assert await here.count("vectors") == 0
        embedder.free.set()
        await maintenance.drain()
        assert await here.count("vectors") == 1


async def test_what_is_said_meanwhile_gets_its_vector_too(tmp_path: Path) -> None:
    embedder = Waiting()
    async with at_home(tmp_path, embedder=embedder) as here, keeping(here) as maintenance:
        await here.say("the parrot is green")
        maintenance.poke(here.domain, here.session)
        await embedder.asked.wait()
        await here.say("the parrot is loud")
        maintenance.poke(here.domain, here.session)
        embedder.free.set()
        await maintenance.drain()
        assert await here.count("vectors") == 2


async def test_what_a_question_in_another_language_begins_goes_on_where_it_is_not_waited_for(tmp_path: Path) -> None:
    others = Waiting(name="others")
    async with at_home(tmp_path, embedder=BagOfWords("first"), others=others) as here, keeping(here) as maintenance:
        await here.say("the parrot is green and it sits on my shoulder")
        await here.view.embed()
        question = asyncio.create_task(maintenance.open_to(here.domain, "Wo sitzt der Papagei?"))
        await others.asked.wait()
        kept = await here.count("vectors")
        question.cancel()
        await asyncio.gather(question, return_exceptions=True)
        others.free.set()
        await maintenance.drain()
        assert await here.count("vectors") > kept


async def test_a_model_out_of_reach_holds_up_no_vector(tmp_path: Path) -> None:
    habits = ConsolidationRules(EpisodeRules(count=1))
    async with at_home(tmp_path, embedder=BagOfWords(), habits=habits) as here, keeping(here, model=True) as maintenance:
        await here.say("the parrot is green")
        await maintenance.tick()
        await maintenance.drain()
        assert await here.count("digests") == 0
        assert await here.count("vectors") == 1


async def test_at_the_end_a_few_vectors_are_waited_for_and_many_are_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.configure("info")
    embedder = Waiting(first=1)
    async with at_home(tmp_path, embedder=embedder) as here, keeping(here) as maintenance:
        await here.view.say(here.session, [said(f"remark number {n}", f"s{n}") for n in range(600)])
        maintenance.poke(here.domain, here.session)
        await embedder.asked.wait()
        kept = await here.count("vectors")
        assert 0 < kept < 100
        async with asyncio.timeout(PATIENCE):
            await maintenance.drain()
        assert await here.count("vectors") == kept
        assert f"embedded                       done={kept} of=600" in capsys.readouterr().err
        embedder.free.set()
        assert await here.view.embed() >= 600 - kept and await here.view.embed() == 0


async def talked(tmp_path: Path, priority: Priority) -> list[int]:
    """Return how many texts were embedded at once while three turns followed each other."""
    async with at_home(tmp_path, embedder=(batches := Batches())) as here, keeping(here, priority=priority) as maintenance:
        for n in range(3):
            with priority.running_turn():
                for kind in ("green", "grey", "loud", "quiet", "tame"):
                    await here.say(f"parrot number {n} is {kind}")
            maintenance.poke(here.domain, here.session)
        await maintenance.drain()
        assert await here.count("vectors") == 15
    return batches.sizes


async def test_what_turns_in_a_row_leave_to_be_done_is_done_together(tmp_path: Path) -> None:
    assert await talked(tmp_path, Priority()) == [15]


async def test_the_twin_that_waits_for_no_pause_does_it_one_by_one(tmp_path: Path) -> None:
    assert len(await talked(tmp_path, Hasty())) > 1


async def test_where_somebody_always_talks_vectors_are_made_all_the_same(tmp_path: Path) -> None:
    priority, embedder = Priority(), Waiting()
    async with at_home(tmp_path, embedder=embedder) as here, keeping(here, priority=priority) as maintenance:
        with priority.running_turn():
            await here.say("the parrot is green")
            maintenance.poke(here.domain, here.session)
            async with asyncio.timeout(PATIENCE):
                await embedder.asked.wait()
        embedder.free.set()
