"""A channel that was deleted: nothing said there comes up from that moment, and after a week it is gone, unless it is kept."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from localization.sentences import lazy
from memory.core import ConsolidationRules, Memory
from memory.deriving import Deriving
from memory.errors import DatabaseBusy, SourceGone
from memory.forget.disappearance import WEEK, Disappearance
from memory.ports import Vectors
from memory.store import lineage
from memory.tiers.episodes import EpisodeRules
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import Answer, View
from tests.kits.fresh import with_words
from tests.kits.memory_kit import BagOfWords, Clock, Writer, opened, said

FEW = ConsolidationRules(EpisodeRules(count=3))


class Server:
    """A server with two channels in one memory."""

    def __init__(self, view: View, clock: Clock) -> None:
        self.view, self.clock = view, clock

    async def keep(self, channel: str, *texts: str) -> None:
        """Keep messages of a channel."""
        session = await self.view.sessions.get(SessionRef("discord", f'["s", "{channel}", ""]'), channel)
        self.clock.forward(60_000_000)
        await self.view.say(session, [said(text, f"{channel} {text}", self.clock.now() + n) for n, text in enumerate(texts)])

    async def found(self, text: str) -> list[str]:
        """Return what a question finds."""
        return [hit.exchange.text for hit in await self.view.recall.messages(text, 20)]


async def server(memory: Memory, clock: Clock) -> Server:
    """Make a server."""
    domain = await memory.places.domain(DomainRef(DomainKind.SERVER, "discord", "s"), "UTC", clock.now())
    return Server(memory.view(domain), clock)


async def talked(clock: Clock, memory: Memory) -> Server:
    """Have talked in two channels, with a reply in one that draws on the other, and digests of all."""
    here = await server(memory, clock)
    await here.keep("old", "the parrot is called Xerxes", "the boat is called Kestrel", "the vault opens at nine")
    await here.keep("new", "the tomatoes are ripe", "the river is high", "what is the parrot called?")
    session = await here.view.sessions.find("new")
    asked = (await here.view.messages.window(session, 5))[-1]
    (parrot,) = [hit.exchange for hit in await here.view.recall.messages("parrot Xerxes", 1)]
    new = NewExchange(Kind.REPLY, "It is called Xerxes.", "r1", clock.now() + 9, "Lyra", "assistant")
    await here.view.answer(session, Answer(new, [parrot.key], (), (), [asked]))
    work = Deriving(memory).consolidator(here.view.home, Writer(), Writer())
    for one in await here.view.sessions.all():
        await work.close_episodes(one, asked=True)
        await work.digest(one)
    await here.view.embed()
    return here


async def gists(view: View) -> str:
    """Return every gist."""
    return "\n".join(digest.text for _, digest in await view.digests.all())


async def test_what_was_said_in_a_deleted_channel_comes_up_no_more_at_once(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        assert "Xerxes" in await gists(here.view)
        assert await memory.disappearance.vanish("discord", ["s", "old"]) == 3
        assert "Xerxes" not in str(await here.found("what is the parrot called? Xerxes"))
        assert "Kestrel" not in str(await here.found("boat Kestrel")) and "Xerxes" not in await gists(here.view)
        exported = [message.text async for _, message in here.view.messages.all()]
        assert exported == ["the tomatoes are ripe", "the river is high", "what is the parrot called?"]
        assert await here.found("tomatoes") != []
        work = Deriving(memory).consolidator(here.view.home, Writer(), Writer())
        for one in await here.view.sessions.all():
            await work.digest(one)
        assert "Xerxes" not in await gists(here.view) and "tomatoes" in await gists(here.view)
        assert [place.prefix for place in await memory.disappearance.vanished("discord")] == [("s", "old")]
        assert (
            await memory.disappearance.vanish("discord", ["other"]) == 0
            and await memory.disappearance.vanish("matrix", ["s"]) == 0
        )


async def test_without_the_row_that_withholds_it_it_would_come_up(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        await memory.disappearance.vanish("discord", ["s", "old"])
        async with memory.db.transaction() as tx:
            await tx.run("DELETE FROM withheld")
        assert "Xerxes" in str([message.text async for _, message in here.view.messages.all()])


async def test_after_a_week_it_is_forgotten_for_good(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with opened(path, clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        await memory.disappearance.vanish("discord", ["s", "old"])
        clock.forward(WEEK - 1)
        assert (await memory.sweep()).messages == 0
        clock.forward(1)
        await here.keep("old", "a new beginning")
        receipt = await memory.sweep()
        assert (receipt.messages, receipt.replies) == (3, 1)
        assert await memory.disappearance.vanished("discord") == []
        assert await with_words(memory.db, "exchanges", "text", "Xerxes") == []
        assert (await here.found("new beginning"))[0] == "a new beginning"


async def test_what_is_said_where_she_was_let_in_again_has_a_week_of_its_own(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        assert await memory.disappearance.vanish("discord", ["s", "old"]) == 3
        clock.forward(WEEK - 1)
        assert await memory.disappearance.vanish("discord", ["s", "old"]) == 0, "told once more, it is due as before"
        (before,) = await memory.disappearance.vanished("discord")
        await here.keep("old", "the safe is behind the mirror")
        assert await memory.disappearance.vanish("discord", ["s", "old"]) == 1
        (after,) = await memory.disappearance.vanished("discord")
        assert before.due < clock.now() + WEEK == after.due
        assert (await memory.sweep()).messages == 0 and "the safe is behind the mirror" not in await exported(here)
        clock.forward(WEEK)
        assert (await memory.sweep()).messages == 4


async def test_kept_it_is_found_again_where_what_was_said_later_elsewhere_was_asked_for_meanwhile(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        before = await here.found("parrot Xerxes")
        await memory.disappearance.vanish("discord", ["s", "old"])
        assert "the parrot is called Xerxes" not in await here.found("parrot Xerxes")
        await memory.disappearance.keep("discord", ["s", "old"])
        await here.view.embed()
        assert await here.found("parrot Xerxes") == before


async def test_kept_it_is_found_and_summed_up_as_before(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)
        before = await here.found("parrot Xerxes")
        await memory.disappearance.vanish("discord", ["s"])
        assert await here.found("parrot Xerxes tomatoes") == []
        assert await memory.disappearance.keep("discord", ["s"]) == 7
        assert await memory.disappearance.keep("discord", ["s"]) == 0
        await here.view.embed()
        assert await here.found("parrot Xerxes") == before
        work = Deriving(memory).consolidator(here.view.home, Writer(), Writer())
        for one in await here.view.sessions.all():
            await work.digest(one)
        assert "Xerxes" in await gists(here.view)
        clock.forward(2 * WEEK)
        assert (await memory.sweep()).messages == 0


async def test_what_a_kill_cut_off_is_withheld_by_the_next_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with opened(path, clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)

        async def dies(*_: object) -> None:
            raise ConnectionAbortedError

        with monkeypatch.context() as patch:
            patch.setattr(Disappearance, "_take_out", dies)
            with pytest.raises(ConnectionAbortedError):
                await memory.disappearance.vanish("discord", ["s", "old"])
        assert await here.found("parrot Xerxes") == [], "nothing is read meanwhile"
    async with opened(path, clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await server(memory, clock)
        assert "Xerxes" not in str([message.text async for _, message in here.view.messages.all()])
        assert await here.found("tomatoes") != []


class Slow(BagOfWords):
    """An embedder that waits, once it is asked for anything after `busy` was set, until it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = False
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.busy:
            self.asked.set()
            await self.goes_on.wait()
        return await super().embed(texts)


async def exported(here: Server) -> list[str]:
    """Return all that may be read."""
    return [message.text async for _, message in here.view.messages.all()]


@pytest.mark.parametrize("kept", [False, True])
async def test_nothing_is_read_until_all_is_withheld_whoever_sweeps_meanwhile(tmp_path: Path, kept: bool) -> None:
    clock, embedder = Clock(), Slow()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=embedder, habits=FEW) as memory:
        here = await talked(clock, memory)
        everything = await exported(here)
        session = await here.view.sessions.find("new")
        asked = (await here.view.messages.window(session, 5))[-1]
        (boat,) = [hit.exchange for hit in await here.view.recall.messages("boat Kestrel", 1)]
        new = NewExchange(Kind.REPLY, "They ripen in August, if it stays warm.", "r2", clock.now() + 9, "Lyra", "assistant")
        await here.view.answer(session, Answer(new, (), (), (), [asked], seen={boat.key: boat.text}))
        embedder.busy = True
        withholding = asyncio.create_task(memory.disappearance.vanish("discord", ["s", "old"]))
        await embedder.asked.wait()
        await memory.sweep()
        assert await exported(here) == []
        keeping = asyncio.create_task(memory.disappearance.keep("discord", ["s", "old"])) if kept else None
        embedder.goes_on.set()
        assert await withholding == 3
        if keeping:
            assert await keeping > 0 and {*everything} <= {*await exported(here)}
        else:
            assert "Kestrel" not in str(there := await exported(here)) and "the tomatoes are ripe" in there


async def test_what_could_not_be_withheld_is_by_the_next_sweep_and_is_not_read_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock, embedder=BagOfWords(), habits=FEW) as memory:
        here = await talked(clock, memory)

        async def fails(*_: object) -> None:
            raise DatabaseBusy(lazy("The memory is busy."))

        with monkeypatch.context() as patch:
            patch.setattr(Disappearance, "_take_out", fails)
            for work in (partial(memory.disappearance.vanish, "discord", ["s", "old"]), memory.sweep):
                with pytest.raises(DatabaseBusy):
                    await work()
                assert await exported(here) == []
        await memory.sweep()
        assert "Xerxes" not in str(there := await exported(here)) and "the tomatoes are ripe" in there


@pytest.mark.parametrize("guarded", [True, False])
async def test_an_answer_that_had_it_in_view_is_not_kept_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, embedder=BagOfWords(), clock=clock, habits=FEW) as memory:
        here = await talked(clock, memory)
        session = await here.view.sessions.find("new")
        asked, begun = (await here.view.messages.window(session, 5))[-1], clock.now()
        (parrot,) = [hit.exchange for hit in await here.view.recall.messages("parrot Xerxes", 1)]
        clock.forward(1)
        await memory.disappearance.vanish("discord", ("s", "old"))
        if not guarded:
            monkeypatch.setattr(lineage, "_LIVING", lineage._LIVING.replace("FROM withheld", "FROM (SELECT -1 AS item)"))
        new = NewExchange(Kind.REPLY, "Xerxes, I say.", "r2", clock.now() + 9, "Lyra", "assistant")
        answer = Answer(new, [parrot.key], (), (), [asked], seen={parrot.key: parrot.text}, begun=begun)
        with nullcontext() if not guarded else pytest.raises(SourceGone):
            assert await here.view.answer(session, answer)


async def test_what_was_changed_before_its_channel_is_kept_after_all_is_found_as_it_reads_now(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        here = await talked(clock, memory)
        await memory.disappearance.vanish("discord", ["s", "old"])
        await memory.kept.revise(
            "discord", '["s", "old", ""]', "old the boat is called Kestrel", "the boat is called Heron", clock.now()
        )
        assert await here.found("boat") == []
        assert await memory.disappearance.keep("discord", ["s", "old"])
        assert (await here.found("boat"))[0] == "the boat is called Heron"
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        assert await (await server(memory, clock)).found("parrot Xerxes")
