"""What somebody corrects later is told as it holds now, and what corrects nothing changes nothing."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli.json_output import hit as as_row
from bot.context.turn_retrieval import search_parts
from bot.models.offline.voice import OfflineVoice, VoiceQuestion
from memory.ports import Embedder
from memory.types import MINUTE, Discretion, DomainKind, DomainRef, Exchange, Identity, Kind, NewExchange, SessionRef
from memory.view.recalled import RecallLimits
from tests.flow.test_recall_asked import embedders
from tests.kits.long_talk import request
from tests.kits.memory_kit import HOUR, Clock, Corner, among, at_home, corner, opened, said
from tests.kits.size import few
from tests.unit.test_sought import Asked

SET = Path(__file__).parents[1] / "sets" / "corrections"
BETWEEN: dict[str, list[str]] = json.loads((SET / "between.json").read_text("utf-8"))
_CORRECTED = re.compile(r"(?i)correct|berichtig|corrig|corregi")


@dataclass(frozen=True)
class Told:
    """How a case went: whether the answer holds the right, and what recall puts first and marks."""

    asked: str
    answer: str
    answered: bool
    ranked: bool
    marked: bool


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file of the set."""
    return [json.loads(line) for line in (SET / f"{name}.jsonl").read_text("utf-8").splitlines()]


def lines(case: dict[str, Any]) -> list[tuple[str, str]]:
    """Return who says what in a case; a number stands for so many messages about something else."""
    said: list[tuple[str, str]] = []
    talk = iter(BETWEEN[case["language"]])
    for one in case["said"]:
        if isinstance(one, int):
            said += [("Ada", next(talk)) for _ in range(one)]
        elif isinstance(one, list):
            said.append((str(one[0]).title(), str(one[1])))
        else:
            said.append(("Ada", one))
    return said


async def told(here: Corner, case: dict[str, Any]) -> Told:
    """Say what is said in a case, each message answered by a receipt; then ask."""
    for speaker, text in lines(case):
        here.said += 1
        here.clock.forward(MINUTE)
        await here.view.say(here.session, [said(text, f"m{here.said}", here.clock.now(), speaker)])
        receipt = NewExchange(Kind.REPLY, "Kept.", f"r{here.said}", here.clock.now() + 1, "Lyra", "assistant", echo=True)
        await here.view.say(here.session, [receipt])
    await here.view.embed()
    here.clock.forward(5 * MINUTE)
    voice, question = OfflineVoice(), VoiceQuestion(case["asked"], "Ada", here.clock.now(), "UTC")
    came = await search_parts(Asked(here.view, here.session), voice, question)
    answer = voice.answer(question, came.hits, lambda _: False, came.above).text
    return judged(case, answer, [as_row(hit, "UTC") for hit in await here.view.recall.messages(case["asked"], 10)])


def judged(case: dict[str, Any], answer: str, rows: Sequence[dict[str, Any]]) -> Told:
    """Say how a case went."""
    holds, old = case["holds"], case["old"]
    right = next((at for at, row in enumerate(rows) if holds in row["content"]), None)
    if old is None:
        fine = holds in answer and not _CORRECTED.search(answer)
        marked = right is not None and "corrected_by" in rows[right]
        return Told(case["asked"], answer, fine, right == 0, not marked)
    wrong = next((at for at, row in enumerate(rows) if old in row["content"] and holds not in row["content"]), None)
    begin = answer.find(old)
    after = answer.find(holds, begin + 1) if begin >= 0 else answer.find(holds)
    fine = after >= 0 and (begin < 0 or bool(_CORRECTED.search(answer[begin:after])))
    ranked = right is not None and (wrong is None or right < wrong)
    return Told(case["asked"], answer, fine, ranked, ranked and (wrong is None or "corrected_by" in rows[wrong]))


async def lived(folder: Path, name: str, embedder: Embedder | None) -> list[tuple[dict[str, Any], Told]]:
    """Return how each case of a file went, each among other people."""
    clock, went = Clock(), []
    async with opened(folder / "lyra.db", None, clock=clock, embedder=embedder) as memory:
        for n, case in enumerate(cases(name)):
            shared = any(isinstance(one, list) for one in case["said"])
            ref = DomainRef(DomainKind.SERVER if shared else DomainKind.DM, "console", f"p{n}")
            domain = await memory.places.domain(ref, "UTC", clock.now())
            view = memory.view(domain)
            here = Corner(memory, clock, domain, view, await view.sessions.get(SessionRef("console", f"p{n}"), f"p{n}"))
            went.append((case, await told(here, case)))
    return went


LEAST = {
    # name: answered, ranked and marked with words alone · with the local model · not touched, with either
    "unseen": ((29, 29, 29), (30, 30, 30), (7, 7, 8)),
    "cases": ((33, 33, 33), (34, 34, 34), (10, 11, 11)),
    "further": ((25, 26, 26), (24, 26, 26), (12, 12, 12)),
}
WAYS = [(name, one) for one in embedders() for name in (few(LEAST) if one else LEAST)]


@pytest.mark.parametrize(
    ("name", "embedder"), WAYS, ids=lambda one: one if isinstance(one, str) else one.name if one else "words"
)
async def test_what_is_corrected_is_told_as_it_holds_and_what_corrects_nothing_changes_nothing(
    tmp_path: Path, name: str, embedder: Embedder | None
) -> None:
    went = await lived(tmp_path, name, embedder)
    counts = []
    for some in ([one for case, one in went if case["old"]], [one for case, one in went if not case["old"]]):
        counts.append(tuple(sum(getattr(one, what) for one in some) for what in ("answered", "ranked", "marked")))
        print(len(some), counts[-1], *(one for one in some if not (one.answered and one.ranked and one.marked)), sep="\n  ")
    words, model, untouched = LEAST[name]
    assert all(n >= least for n, least in zip(counts[0], model if embedder else words, strict=True))
    assert all(n >= least for n, least in zip(counts[1], untouched, strict=True))


DINNER, RIGHT = "dinner with Tom is on Friday at 7", "no wait, at 6"
WHEN = "when is dinner with Tom?"
_BESIDES = ("the cat sleeps", "I painted the fence", "my bike is red", "the soup was salty")


async def recalled(here: Corner, question: str = WHEN) -> list[tuple[str, bool]]:
    """Return what a question finds, best first, and whether each is marked as corrected."""
    hits = await here.view.recall.messages(question, 10)
    return [(hit.exchange.text, hit.correction is not None) for hit in hits]


async def others_say(here: Corner, speaker: str, text: str) -> Exchange:
    """Keep a message of somebody's in the conversation."""
    here.said += 1
    here.clock.forward(MINUTE)
    (kept,) = (await here.view.say(here.session, [said(text, f"m{here.said}", here.clock.now(), speaker)])).stored
    return kept


async def test_who_takes_a_correction_back_is_told_that_and_what_tells_of_oneself_corrects_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "no, at 8", "actually tomorrow I can't come over", "I meant that as a joke", "no, 7 was right"):
            await here.say(text)
        hits = {hit.exchange.text: hit for hit in await here.view.recall.messages(WHEN, 10)}
        assert [one.text if (one := hits[text].correction) else "" for text in (DINNER, "no, at 8")] == ["no, 7 was right"] * 2
        assert await here.count("corrections") == 3
        for text in ("the fair lasts until Monday, the show is open", "Tuesday, actually"):
            await here.say(text)
        assert await here.count("corrections") == 4


async def test_whichever_correction_is_forgotten_the_last_one_left_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "I fed the cat", RIGHT):
            first = await here.say(text)
        await here.say("the cat sleeps")
        last = await here.say("sorry, I meant at 5:30")
        assert (await recalled(here))[:2] == [(last.text, False), (DINNER, True)]
        await here.view.forget_message(last.id)
        assert (await recalled(here))[:2] == [(RIGHT, False), (DINNER, True)]
        again = await here.say("wait, it's at 8")
        await here.view.forget_message(first.id)
        assert (await recalled(here))[:2] == [(again.text, False), (DINNER, True)]
        await here.view.forget_message(again.id)
        assert await here.count("corrections") == 0
        assert (await recalled(here))[0] == (DINNER, False)


async def test_a_forgotten_statement_leaves_no_trace_beside_its_correction(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        await here.say(RIGHT)
        await here.view.forget_message(dinner.id)
        assert await here.count("corrections") == 0
        assert await recalled(here) == []
        (hit,) = await here.view.recall.messages(RIGHT, 10)
        assert hit.corrects is None


async def test_nobody_corrects_what_somebody_else_said_or_what_was_said_elsewhere(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        await others_say(here, "Ada", DINNER)
        await others_say(here, "Ben", RIGHT)
        (elsewhere,) = [await here.view.sessions.get(SessionRef("console", "other"), "other")]
        await here.say("no wait, at 5", session=elsewhere)
        own = await corner(here.memory, here.clock)
        await own.say("no wait, at 4", source="own")
        both = here.memory.view(here.domain, [own.domain])
        hits = await both.recall.messages(WHEN, 10)
        assert hits[0].exchange.text == DINNER and hits[0].correction is None
        assert await here.count("corrections") == 0


@pytest.mark.parametrize("corrections", [[RIGHT], [*_BESIDES, "wait, it's at 5", *_BESIDES, RIGHT]], ids=["one", "two"])
async def test_who_may_not_know_the_correction_is_told_what_they_may_know(tmp_path: Path, corrections: Sequence[str]) -> None:
    async with among(tmp_path, kind=DomainKind.ROOM) as here:
        ada = Identity("console", "ada")
        known = [text for text in (DINNER, *corrections[:-1]) if text not in _BESIDES]
        for n, text in enumerate((DINNER, *corrections)):
            await here.view.say(here.session, [NewExchange(Kind.SAID, text, f"a{n}", here.clock.now() + n, "Ada", "user", ada)])
        assert (await recalled(here))[0] == (RIGHT, False)
        asks = NewExchange(
            Kind.SAID,
            "don't tell Ben that",
            "asks",
            here.clock.now() + MINUTE,
            "Ada",
            "user",
            ada,
            discretion=Discretion(("Ben",), back=True),
        )
        await here.view.say(here.session, [asks])
        assert (await recalled(here))[:2] == [(known[-1], False), *((text, True) for text in known[-2::-1])][:2]


async def test_what_corrects_a_neighbour_of_a_hit_is_not_taken_for_what_mentions_somebody(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("Tom moved to Linz")
        await here.say("dinner is on Friday at 7")
        right = await here.say(RIGHT)
        came = await here.view.recall.at_once("where did Tom move?", RecallLimits(1, 0, 0), (), "Ada")
        assert right.key not in {hit.exchange.key for hit in came.hits}


async def test_an_edit_says_what_holds_now(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        right = await here.say(RIGHT)
        revise = here.memory.kept.revise
        assert await revise("console", "dm", dinner.source_id, DINNER.replace("Friday", "Friday,"), 1)
        assert (await recalled(here))[0] == (RIGHT, False), "a comma is no new value"
        assert await revise("console", "dm", right.source_id, "no wait, at 5", 2)
        assert (await recalled(here))[0] == ("no wait, at 5", False)
        assert await revise("console", "dm", dinner.source_id, DINNER.replace("7", "9"), 3)
        assert (await recalled(here))[0] == (DINNER.replace("7", "9"), False)
        assert await revise("console", "dm", right.source_id, "no wait, I'll come too", 4)
        assert await here.count("corrections") == 0


async def test_what_she_answered_is_corrected_in_the_words_it_rests_on(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        dinner = await here.say(DINNER)
        await here.say("the film starts at 9")
        await here.say(WHEN)
        answer = await here.reply("Dinner with Tom is at 7.", [dinner.key])
        await here.say("no, at 6")
        assert (await recalled(here))[0] == ("no, at 6", False)
        corrected = {one.exchange.key for one in await here.view.recall.messages(WHEN, 10) if one.correction}
        assert corrected == {dinner.key, answer.key}
        assert ("the film starts at 9", False) in await recalled(here, "when does the film start?")


async def test_an_answer_to_her_question_corrects_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("we have two cats, Tom has dinner at 7")
        await here.reply("Will all eight of you come to the party, and at 6?", [])
        await here.say("no, 5")
        assert await here.count("corrections") == 0


async def test_a_model_is_shown_both_and_which_of_them_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, "I fed the cat", RIGHT):
            await here.say(text)
        here.clock.forward(HOUR)
        there = await here.view.sessions.get(SessionRef("console", "there"), "there")
        asked = await here.say(WHEN, session=there)
        told = await request(Corner(here.memory, here.clock, here.domain, here.view, there), asked)
        lines = [line for line in str(told.messages).split("\\n") if DINNER in line or RIGHT in line]
        assert lines == [
            f"> Tuesday, 03 March 2026 12:01, corrected later, Ada: {DINNER}",
            f"> 03 March 2026 12:03, correcting what was said on 03 March 2026 12:01, Ada: {RIGHT}",
        ]


async def test_what_was_corrected_before_this_was_read_is_read_once(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in (DINNER, RIGHT):
            await here.say(text)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM corrections")
            await tx.run("INSERT INTO unheard (domain, item) SELECT domain, item FROM exchanges")
        assert (await recalled(here))[0] == (DINNER, False)
        await here.memory.read_again(here.domain)
        assert (await recalled(here))[0] == (RIGHT, False)
