"""Recall finds what was said, by words in any script, at once, and nothing that was not asked for."""

import asyncio
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.index.hits import Hit
from memory.index.when.question_times import parse_question
from memory.index.when.told_times import times_told
from memory.text.lexical import key_words
from memory.types import MINUTE
from tests.kits.memory_kit import BagOfWords, Clock, Corner, Ids, above, at_home, corner, gists_about, opened, said, utc
from tests.kits.size import examples
from tests.kits.tabled import tabled

REPO = Path(__file__).resolve().parents[2]
SAID = [
    "My sister Ottilie moved to Reykjavík in 1998",
    "we were running along the river",
    "the invoice number is 4711",
    "私の猫の名前はチューリングです",
    "我住在上海，我喜欢喝绿茶",
    "ฉันชอบกินข้าวผัดกุ้ง",
    "Der Schlüssel liegt unter der Fußmatte",
    "the weather was fine, as ever",
]


async def told(here: Corner) -> None:
    """Say all of it, each in a session of its own, so that nothing stands beside anything."""
    for n, text in enumerate(SAID):
        there = await corner(here.memory, here.clock, "ada", place=f"place {n}")
        await there.say(text, source=f"s{n}")


FIRST = tabled("recall", "first")
NOTHING = ["", "   ", "the and of", "?!", "\n\t", "zyzzyva", "🐈", "%", "'; DROP TABLE items; --"]


async def test_a_message_is_found_by_stem_name_number_and_without_spaces(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here)
        found = {question: (await here.found(question))[:1] for question in FIRST}
    assert found == {question: [SAID[n]] for question, n in FIRST.items()}


async def test_what_nobody_spoke_of_finds_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await told(here)
        assert {question: found for question in NOTHING if (found := await here.found(question))} == {}


async def test_a_hit_carries_its_receipts_and_its_neighbours(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        before, at, after = [await here.say(text) for text in ("one thing", "the parrot is called Xerxes", "another thing")]
        hit = (await here.view.recall.messages("what is the parrot called?", 1))[0]
        assert hit.exchange == at and (hit.before, hit.after) == (before, after)
        assert hit.session == "dm" and hit.why == ("words: parrot, called",)
        others = (await here.view.recall.messages("parrot", 3))[1:]
        assert {other.why for other in others} == {("beside a hit",)}


@settings(max_examples=examples(20))
@example(["was gestern", "what was said on 3 March", "today", "vor 2026", "what did I say about the invoice last week"])
@given(st.lists(st.one_of(st.text(max_size=60), st.text("\ud800\udfff\x00'\"*()^:-+~ NEAR AND OR", max_size=40)), max_size=8))
def test_any_question_is_only_words_and_finds_only_what_holds_one_of_them_or_was_said_when_it_asks(questions: list[str]) -> None:
    async def scenario(folder: str) -> None:
        async with at_home(Path(folder), None) as here:
            await told(here)
            for question in questions:
                words = set(key_words(question).values())
                window = parse_question(question, here.clock.now(), here.domain.time_zone).window
                for hit in await here.view.recall.messages(question, 50):
                    if "the time that is asked for" in hit.why:
                        said = hit.exchange
                        tells = times_told(said.text, said.said_at, here.domain.time_zone)
                        assert window and (window.holds(said.said_at) or tells.within(window)), (question, said)
                        continue
                    held = set(key_words(f"Tuesday 03 March 2026 Ada: {hit.exchange.text}").values())
                    assert words & held, (question, hit.exchange.text)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(folder))


async def test_what_was_just_said_is_found_by_the_next_question(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(40):
            await here.say(f"parrot number {n}")
            assert len(await here.found("parrot", 100)) == n + 1


async def test_questions_asked_at_the_same_time_find_each_message_once(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("parrot one")
        await here.found("parrot")
        for n in range(2, 6):
            await here.say(f"parrot {n}")
            for found in await asyncio.gather(*(here.found("parrot") for _ in range(5))):
                assert len(found) == n and len(set(found)) == n


async def test_what_another_process_kept_and_forgot_is_seen_at_once(tmp_path: Path) -> None:
    clock = Clock()
    async with (
        opened(tmp_path / "lyra.db", clock=clock, ids=Ids("a")) as one,
        opened(tmp_path / "lyra.db", clock=clock, ids=Ids("b")) as other,
    ):
        here, there = await corner(one, clock), await corner(other, clock)
        first = await here.say("the parrot is called Xerxes")
        assert await there.found("parrot") == [first.text]
        there.said = 100
        second = await there.say("the parrot is green")
        assert len(await here.found("parrot")) == 2
        await here.view.forget_message(first.id)
        assert await there.found("parrot") == [second.text] == await here.found("parrot")
        await there.view.forget_message(second.id)
        assert await here.found("parrot green Xerxes") == []


async def test_echoes_and_commands_are_not_found(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.reply("You told me of a parrot", [], echo=True)
        assert await here.found("parrot") == []
        await here.reply("Parrots are birds", [])
        assert await here.found("parrot") == ["Parrots are birds"]


@pytest.mark.parametrize(
    "question", ["what is it now?", "what did Ada say yesterday?", "what did we do before the move?", "zyzzyva"]
)
async def test_an_empty_memory_finds_nothing(tmp_path: Path, question: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        assert await here.found(question) == []
        assert not await here.view.recall.everything(question, 5) and not await gists_about(here.view, question, 5)
        assert not await above(here.view, question, 5)
        await here.view.forget_message((await here.say("it is gone")).id)
        assert await here.found(question) == []


@pytest.mark.parametrize("question", [" " * 5_000 + "parrot", "parrot" + "\n" * 5_000, " " * 5_000])
async def test_a_question_that_is_mostly_empty_finds_by_its_words(tmp_path: Path, question: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say("the parrot is green")
        assert await here.found(question) == ["the parrot is green"] * ("parrot" in question)


async def test_a_question_may_leave_out_messages_and_keep_to_one_session(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        other = await corner(here.memory, here.clock, "ada", place="other")
        first, second = await here.say("a red parrot"), await other.say("a blue parrot", source="x")
        assert [h.exchange for h in await here.view.recall.messages("parrot", 5, exclude=[first.key])] == [second]
        assert [h.exchange for h in await here.view.recall.messages("parrot", 5, session=other.session)] == [second]


async def test_messages_that_score_alike_come_in_the_order_they_were_stored(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        stored = []
        for n in range(30):
            there = await corner(here.memory, here.clock, "ada", place=f"place {n}")
            said = await there.say(f"a parrot of house{n}", source=f"s{n}", at=here.clock.now() + 7 * n * MINUTE)
            stored.append(said.key)
        for k in (1, 7, 30):
            assert [hit.exchange.key for hit in await here.view.recall.messages("parrot", k)] == stored[:k]


def receipts(hits: list[Hit]) -> str:
    """Return all that a person or a prompt could see of hits."""
    return json.dumps(
        [
            [hit.exchange.id, hit.exchange.text, hit.exchange.said_at, hit.session, hit.score, hit.why]
            + [near.id if near else None for near in (hit.before, hit.after)]
            for hit in hits
        ]
    )


words = st.lists(st.sampled_from("parrot tomato river garden running 1998 winter seven".split()), min_size=1, max_size=6)


@settings(max_examples=examples(6))
@given(st.lists(words, min_size=1, max_size=8), st.lists(words, max_size=12), st.lists(words, min_size=1, max_size=4))
def test_what_others_say_moves_no_rank_score_or_id(
    mine: list[list[str]], others: list[list[str]], asked: list[list[str]]
) -> None:
    async def run(folder: str, noise: list[list[str]]) -> list[str]:
        async with at_home(Path(folder), None) as here:
            bob = await corner(here.memory, here.clock, "bob")
            for n in range(max(len(mine), len(noise))):
                at = here.clock.now()
                if n < len(noise):
                    await bob.say(" ".join(noise[n]))
                here.clock.at = at
                if n < len(mine):
                    await here.say(" ".join(mine[n]))
            return [receipts(await here.view.recall.messages(" ".join(question), 10)) for question in asked]

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        assert asyncio.run(run(one, [])) == asyncio.run(run(other, others))


@pytest.mark.parametrize("asked", ["julie", "who is Julie?", "Julien"])
async def test_a_name_with_the_stem_of_a_month_finds_nothing_for_its_day(tmp_path: Path, asked: str) -> None:
    async with at_home(tmp_path) as here:
        for day in ("2026-07-01T00:30", "2026-07-02T12:00", "2026-07-31T23:30"):
            await here.view.say(here.session, [said("we bought a tent", day, utc(day))])
        await here.view.say(
            here.session, [said("Julie has a boat", "1", utc("2026-03-02")), said("Julie sings", "2", utc("2026-07-03"))]
        )
        found = {hit.exchange.text for hit in await here.view.recall.messages(asked, 10) if hit.words}
        assert found == {"Julie has a boat", "Julie sings"}
        assert any(hit.words for hit in await here.view.recall.messages("the tent of July", 1))
        chosen = await here.view.selecting.select("Julien", None)
        assert {one.text for one in chosen.messages} <= {"Julie has a boat", "Julie sings"}
