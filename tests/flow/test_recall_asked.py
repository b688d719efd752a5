"""What was said stands above the question about it, and a time that is asked for decides what comes first."""

from collections import Counter
from pathlib import Path

import pytest

from bot.models.local import minilm as weights
from bot.models.local.minilm import MiniLM
from memory.index.hits import Certainty
from memory.ports import Embedder
from tests.kits.asked import asked, cases, kept, never_said, timed
from tests.kits.memory_kit import Clock, Corner, cornered
from tests.kits.size import few

LEAST = 0.95
_JUST_NOW = 6


def embedders() -> list[Embedder | None]:
    """Return no embedder, and the local model where it is installed."""
    folder = weights.folder()
    return [None, MiniLM(folder)] if folder else [None]


@pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
@pytest.mark.parametrize("answered", [True, False])
async def test_what_was_said_stands_above_the_question_about_it_and_her_own_words(
    tmp_path: Path, embedder: Embedder | None, answered: bool
) -> None:
    async with asked(tmp_path, embedder, answered=answered) as here:
        for which in ("asked", "again"):
            missed = []
            for case in cases():
                first = (await here.found(getattr(case, which)))[:1]
                if first != [case.said]:
                    missed.append((getattr(case, which), first))
            top = len(cases()) - len(missed)
            print(which, f"{top} of {len(cases())}", *missed, sep="\n")
            assert which == "again" or top >= LEAST * len(cases())


@pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
async def test_what_was_never_said_is_found_weak_and_what_was_said_is_not(tmp_path: Path, embedder: Embedder | None) -> None:
    async with asked(tmp_path, embedder, answered=False) as here:
        lost = [case.again for case in cases() if await surest(here, case.again) is Certainty.WEAK]
        never = [await surest(here, question) for question in never_said()]
        print(lost, Counter(never))
        assert len(lost) <= 1
        assert never.count(Certainty.WEAK) >= 0.6 * len(never)
        assert never.count(Certainty.SURE) <= 1


@pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
async def test_what_was_said_just_now_is_found_before_its_vector_is_there(tmp_path: Path, embedder: Embedder | None) -> None:
    clock, first, found = Clock(), 0, 0
    for at in range(0, len(cases()), _JUST_NOW):
        (folder := tmp_path / str(at)).mkdir()
        async with cornered(folder / "lyra.db", None, clock=clock, embedder=embedder) as here:
            now = cases()[at : at + _JUST_NOW]
            for case in [one for one in cases() if one not in now]:
                await here.say(case.said)
            await here.view.embed()
            for case in now:
                await here.say(case.said)
            for case in now:
                texts = await here.found(case.again)
                first += texts[:1] == [case.said]
                found += case.said in texts[:3]
    print(first, found, "of", len(cases()))
    assert first >= 0.8 * len(cases())
    assert found >= LEAST * len(cases())


async def surest(here: Corner, question: str) -> Certainty:
    """Return how sure the surest of the first ten hits is."""
    hits = await here.view.recall.messages(question, 10)
    return min((hit.certainty for hit in hits), key=list(Certainty).index, default=Certainty.WEAK)


@pytest.mark.parametrize("embedder", few(embedders()), ids=lambda one: one.name if one else "words")
async def test_a_time_that_is_asked_for_decides_what_comes_first(tmp_path: Path, embedder: Embedder | None) -> None:
    async with kept(tmp_path, embedder) as here:
        missed = []
        repeated = sum(one.holds != "" for one in timed())
        assert len(timed()) >= 40 and repeated >= 10
        for one in timed():
            hits = await here.view.recall.messages(one.question, 50)
            if not one.good(hits):
                rank = next((n for n, hit in enumerate(hits, start=1) if one.fits(hit)), None)
                missed.append(
                    (one.question, rank, hits[0].exchange.source_id if hits else "", hits[0].exchange.text if hits else "")
                )
        good = len(timed()) - len(missed)
        print(f"{good} of {len(timed())}", *missed, sep="\n")
        assert good >= LEAST * len(timed())
        week = await here.view.recall.messages("What did I do last week?", 20)
        assert {hit.exchange.source_id.rsplit("-", 1)[0] for hit in week} >= {f"2026-03-0{day}" for day in range(2, 9)}
