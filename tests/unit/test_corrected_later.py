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
from memory.types import MINUTE, DomainKind, DomainRef, Kind, NewExchange, SessionRef
from tests.flow.test_recall_asked import embedders
from tests.kits.memory_kit import Clock, Corner, opened, said
from tests.unit.test_sought import Asked

SET = Path(__file__).parents[1] / "sets" / "corrections"
BETWEEN: dict[str, list[str]] = json.loads((SET / "between.json").read_text("utf-8"))
each_way = pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
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


@each_way
@pytest.mark.parametrize("name", ["cases", "unseen", "further"])
async def test_what_is_corrected_is_told_as_it_holds_and_what_corrects_nothing_stays(
    tmp_path: Path, name: str, embedder: Embedder | None
) -> None:
    went = await lived(tmp_path, name, embedder)
    for kind, some in (
        ("corrected", [one for case, one in went if case["old"]]),
        ("nothing", [one for case, one in went if not case["old"]]),
    ):
        for what in ("answered", "ranked", "marked"):
            print(kind, what, sum(getattr(one, what) for one in some), "of", len(some))
        for one in some:
            if not (one.answered and one.ranked and one.marked):
                print("  ", one.asked, "|", one.answer.replace("\n", " / "), "|", one.answered, one.ranked, one.marked)
