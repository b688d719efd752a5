"""What was superseded never stands above what holds now."""

from pathlib import Path

import pytest

from memory.index.hits import Hit
from memory.ports import Embedder
from tests.flow.test_recall_asked import embedders
from tests.kits.memory_kit import at_home, said
from tests.kits.size import few
from tests.kits.standing import pairs, told

LEAST = 0.95


@pytest.mark.parametrize("embedder", few(embedders()), ids=lambda one: one.name if one else "words")
async def test_what_holds_now_stands_above_what_held_before_unless_that_is_asked_for(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    good, every = 0, pairs()
    for language in ("en", "de"):
        async with told(tmp_path / language, embedder, language) as here:
            for pair in pairs(language):
                hits = [hit.exchange.text for hit in await here.view.recall.messages(pair.question, 10)]
                good += pair.good(hits)
                if not pair.good(hits):
                    print(pair.wanted, pair.question, *hits[:4], sep="\n  ")
    print(f"{good} of {len(every)}")
    assert len(every) == 40 and good >= LEAST * len(every)


async def test_what_the_asker_said_of_themself_stands_above_what_others_did(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        texts = ("I live in Linz, it is quiet there and I like it", "Ada"), ("I live in Oslo", "Ben")
        await here.view.say(here.session, [said(text, who, speaker=who) for text, who in texts])
        first = [(await here.view.recall.messages("where do I live?", 2, asker=who))[0] for who in ("Ada", "Ben")]
        assert [hit.exchange.speaker for hit in first] == ["Ada", "Ben"]
        (bens, _) = await here.view.recall.messages("where does Ben live?", 2, asker="Ada")
        assert bens.exchange.speaker == "Ben"


async def test_what_comes_up_from_further_behind_comes_with_its_neighbours_in_one_more_read(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(12):
            await here.say(f"and I live in Linz still, number {n}, where I live")
        before = await here.say("something else, on gardens")
        now = await here.say("By now I live in Graz")
        after = await here.say("one more word on gardens")

        async def read(question: str, k: int) -> tuple[list[Hit], int]:
            await here.view.recall.messages(question, k)
            reads = here.memory.db.reads
            return await here.view.recall.messages(question, k), here.memory.db.reads - reads

        (first,), reads = await read("where do I live?", 1)
        assert (first.exchange, first.before, first.after) == (now, before, after)
        assert reads == 3, "what changed, what was found, and what came up"
        hits, reads = await read("gardens", 2)
        assert {hit.exchange.key for hit in hits} == {before.key, after.key} and reads == 2
        assert all(hit.before for hit in hits)
