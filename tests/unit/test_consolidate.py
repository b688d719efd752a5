"""Consolidation: what was said becomes gists, merges and a summary, each made once, from what is said and nothing else."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from bot.errors import ModelFiltered
from bot.models.port import ChatMessage, Toolbox
from bot.models.writer import ModelWriter
from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.ports import Entry
from memory.store.lineage import parents
from memory.tiers import summaries
from memory.tiers.episodes import EpisodeRules
from memory.types import Digest
from tests.kits.memory_kit import DAY, HOUR, Corner, Writer, answering, at_home, gists_about, raising
from tests.kits.roomless import Roomless


class Filtered(Roomless):
    """A model whose endpoint takes nothing with a knife in it."""

    name = "filtered"

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        if "knife" in messages[1]["content"]:
            raise ModelFiltered("status 400, content_filter")
        yield "Ada said that the oven is warm. [m1]"

    async def close(self) -> None:
        """Let go of nothing."""


ONE = ConsolidationRules(EpisodeRules(count=1))


async def worked(here: Corner, writer: Writer | ModelWriter, *, asked: bool = False, redo: bool = False) -> int:
    """Close what is over, or all of it, and write what is due; return how many digests were written."""
    work = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    await work.close_episodes(here.session, asked=asked)
    return await work.digest(here.session, redo=redo)


async def summary(here: Corner, writer: Writer) -> list[Digest]:
    """Ask for the summary."""
    return (
        await Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True)).summary(here.session)
    )


async def tree(here: Corner) -> list[tuple[str, int, int]]:
    """Return where every digest stands."""
    rows = await here.memory.db.all("SELECT tier, level, position FROM digests ORDER BY tier, level, position")
    return [(row["tier"], row["level"], row["position"]) for row in rows]


async def edge(here: Corner) -> list[tuple[str, int, int]]:
    """Return where the digests stand that together cover everything."""
    return [(d.tier, d.level, d.position) for d in await summaries.frontier(here.memory.db, here.session)]


async def test_twenty_messages_make_a_gist_that_cites_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        writer = Writer()
        messages = [await here.say(f"remark {n} about the garden") for n in range(19)]
        assert await worked(here, writer) == 0 and writer.tasks == []
        messages.append(await here.say("remark 19 about the garden"))
        assert await worked(here, writer) == 1
        (task,) = writer.tasks
        assert task.kind == "gist" and [source.text for source in task.sources] == [m.text for m in messages]
        assert {source.speaker for source in task.sources} == {"Ada"}
        assert task.sources[0].said_at.startswith("2026-03-03T12:01")
        (gist,) = await summaries.frontier(here.memory.db, here.session)
        assert await parents(here.memory.db, gist.key) == [m.key for m in messages]
        assert [hit.digest.id for hit in await gists_about(here.view, "garden", 3)] == [gist.id]
        assert await worked(here, writer) == 0 and len(writer.tasks) == 1, "what is done is not done again"


async def test_what_the_models_endpoint_filters_holds_up_nothing_that_comes_after_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in ("I hurt my hand with the knife", "the oven is warm"):
            for n in range(4):
                await here.say(f"{text}, {n}")
            here.clock.forward(6 * HOUR)
        assert await worked(here, ModelWriter(Filtered())) == 2
        rows = await here.memory.db.all("SELECT text, writer FROM digests ORDER BY position")
        assert [row["writer"] for row in rows] == ["extractive", "model:filtered"]
        assert "knife" in rows[0]["text"] and rows[1]["text"] == "Ada said that the oven is warm."


async def test_silence_and_the_end_of_a_month_make_gists(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        writer = Writer()
        for n in range(4):
            await here.say(f"remark {n}")
        here.clock.forward(5 * HOUR)
        assert await worked(here, writer) == 0
        here.clock.forward(HOUR)
        assert await worked(here, writer) == 1
        await here.say("a single remark")
        here.clock.forward(27 * DAY)
        assert await worked(here, writer) == 0, "one remark is too little, whatever the silence"
        here.clock.forward(2 * DAY)
        assert await worked(here, writer) == 1, "a new month began"


async def test_asked_to_what_there_is_becomes_a_gist(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await worked(here, Writer(), asked=True) == 0
        await here.say("one remark")
        assert await worked(here, Writer(), asked=True) == 1
        assert [d.text for d in await summary(here, Writer())] == ["one remark"], "one gist needs no summary"


async def test_echoes_are_in_no_gist_and_hold_no_merge_up(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        writer = Writer()
        await here.reply("You told me of tomatoes", [], echo=True)
        for n in range(8):
            await here.say(f"remark {n}")
        await worked(here, writer)
        assert "tomatoes" not in repr(writer.tasks)
        assert ("merge", 1, 0) in await tree(here)


@pytest.mark.parametrize(
    ("episodes", "top"),
    [
        (7, [("gist", 0, n) for n in range(7)]),
        (8, [("merge", 1, 0)]),
        (9, [("merge", 1, 0), ("gist", 0, 8)]),
        (70, [("merge", 2, 0), *(("gist", 0, n) for n in range(64, 70))]),
    ],
)
async def test_eight_neighbours_are_merged_into_one(tmp_path: Path, episodes: int, top: list[tuple[str, int, int]]) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        writer = Writer()
        for n in range(episodes):
            await here.say(f"remark {n}")
        written = await worked(here, writer)
        assert await edge(here) == top
        assert written == len(await tree(here)) == len(writer.tasks) == episodes + episodes // 8 + episodes // 64
        assert max(len(task.sources) for task in writer.tasks) <= 8
        assert await worked(here, writer) == 0


async def test_a_merge_is_made_once_and_for_good(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        writer = Writer()
        for n in range(30):
            await here.say(f"remark {n}")
            await worked(here, writer)
        merges = [task.sources[0].text.split("\n")[0] for task in writer.tasks if task.kind == "merge"]
        assert merges == ["remark 0", "remark 8", "remark 16"]


async def test_the_summary_is_made_when_something_is_new_and_reused_when_not(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        writer = Writer()
        assert await summary(here, writer) == []
        for n in range(3):
            await here.say(f"remark {n}")
        await worked(here, writer)
        (first,) = await summary(here, writer)
        assert first.text == "remark 0\nremark 1\nremark 2"
        calls = len(writer.tasks)
        assert await summary(here, writer) == [first] and len(writer.tasks) == calls
        await here.say("remark 3")
        await worked(here, writer)
        (second,) = await summary(here, writer)
        assert "remark 3" in second.text and second.id != first.id
        assert [where for where in await tree(here) if where[0] == "summary"] == [("summary", 0, 0)]


async def test_forgetting_rebuilds_only_what_stands_above(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=2))) as here:
        messages = [await here.say(f"remark {n}") for n in range(34)]
        await worked(here, Writer())
        await summary(here, Writer())
        assert await edge(here) == [("merge", 1, 0), ("merge", 1, 1), ("gist", 0, 16)]
        before = {row["item"] for row in await here.memory.db.all("SELECT item FROM digests")}
        await here.view.forget_message(messages[5].id)
        after = {row["item"] for row in await here.memory.db.all("SELECT item FROM digests")}
        assert len(before - after) == 3, "a gist, the merge above it, the summary"
        writer = Writer()
        assert await worked(here, writer) == 2
        assert [task.kind for task in writer.tasks] == ["gist", "merge"]
        assert [source.text for source in writer.tasks[0].sources] == ["remark 4"]
        assert await edge(here) == [("merge", 1, 0), ("merge", 1, 1), ("gist", 0, 16)]
        (made,) = await summary(here, writer)
        assert "remark 4" in made.text and "remark 5" not in made.text.split("\n")


async def test_a_writer_out_of_reach_leaves_everything_and_a_later_run_finishes(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        for n in range(3):
            await here.say(f"remark {n}")
        writer = Writer(moves=[answering(Entry("remark 0", ("m1",))), raising(WriterFailed("The model cannot be reached."))])
        with pytest.raises(WriterFailed):
            await worked(here, writer)
        assert await tree(here) == [("gist", 0, 0)], "what was done stays"
        assert await here.found("remark") and await here.count("refusals") == 0
        assert await worked(here, writer) == 2, "at once, no lease is left behind"
        assert (await here.memory.backlog()).dirty == 0


async def test_long_talk_is_split_and_its_parts_are_merged(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=5), max_transcript_chars=100)) as here:
        texts = ["a" * 40 + " one", "b" * 40 + " two", "c" * 250, "d three", "e" * 90]
        messages = [await here.say(text) for text in texts]
        writer = Writer()
        assert await worked(here, writer) == 1
        *parts, last = writer.tasks
        assert {task.kind for task in parts} == {"gist"} and last.kind == "merge"
        assert [s.text for s in last.sources] == [s.text for task in parts for s in task.sources], "every sentence is joined"
        assert all(sum(len(source.text) for source in task.sources) <= 100 for task in parts)
        assert "".join(source.text for task in parts for source in task.sources) == "".join(texts), "nothing is dropped"
        (gist,) = await summaries.frontier(here.memory.db, here.session)
        assert await parents(here.memory.db, gist.key) == [m.key for m in messages]
        cited = await here.memory.db.all("SELECT parent FROM lineage WHERE child = :g AND cited = 1", {"g": gist.key})
        assert {row["parent"] for row in cited} == {m.key for m in messages}


async def test_an_extracted_gist_is_made_anew_once_there_is_a_model(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        for n in range(9):
            await here.say(f"remark {n}")
        await worked(here, Writer("copier", extractive=True))
        await summary(here, Writer("copier", extractive=True))
        first = (await summaries.frontier(here.memory.db, here.session))[-1]
        reply = await here.reply("as I gather", [first.key])
        model = Writer("model")
        assert await worked(here, model) == 1, "only the reply is new, unless asked to redo"
        assert await worked(here, model, redo=True) == 10, "nine gists and the merge above"
        assert {row["writer"] for row in await here.memory.db.all("SELECT writer FROM digests")} == {"model"}
        assert await worked(here, model, redo=True) == 0
        assert reply.text in await here.found("gather"), "a reply outlives the gist it was made from"
        cited = await here.memory.db.all("SELECT parent FROM lineage WHERE child = :r", {"r": reply.key})
        last = [row for row in await here.memory.db.all("SELECT item, text FROM exchanges") if row["text"] == "remark 8"]
        assert [row["parent"] for row in cited] == [row["item"] for row in last], "and rests on the message instead"


async def test_the_log_of_what_was_done_holds_no_words(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        await here.say("a secret tomato")
        await worked(here, Writer())
        (line,) = await here.memory.db.all("SELECT kind, detail FROM activity")
        assert line["kind"] == "gist" and "tomato" not in line["detail"] and here.session.id in line["detail"]


async def test_what_a_model_will_not_write_leaves_the_extracted_gists_as_they_are_and_is_not_asked_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        for n in range(3):
            await here.say(f"remark {n}")
        await worked(here, Writer("copier", extractive=True))
        before = await here.memory.db.all("SELECT item FROM digests ORDER BY item")
        model = Writer("model", moves=[answering(Entry("Ada met Humphrey", ("m1",)))] * 20)
        for _ in range(3):
            assert await worked(here, model, redo=True) == 0
        assert len(model.tasks) == 6, "twice for each"
        after = await here.memory.db.all("SELECT item FROM digests ORDER BY item")
        assert [row["item"] for row in after] == [row["item"] for row in before]


async def test_what_a_model_will_not_write_is_not_asked_for_again_after_a_new_summary(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        for n in range(3):
            await here.say(f"remark {n}")
        copier = Writer("copier", extractive=True)
        await worked(here, copier)
        await summary(here, copier)
        model = Writer("model", moves=[answering(Entry("Ada met Humphrey", ("m1",)))] * 20)
        await worked(here, model, redo=True)
        await here.say("and one more")
        await worked(here, copier)
        assert len(await summary(here, copier)) == 1
        asked = len(model.tasks)
        await worked(here, model, redo=True)
        assert len(model.tasks) == asked + 2, "only for the new one"
