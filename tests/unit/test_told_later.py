"""What is told later than it was, or before it is, belongs to the time that it tells of: the set under tests/sets/told_later."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.context.turn_retrieval import search_parts
from bot.models.offline.voice import VoiceQuestion
from tests.kits.memory_kit import Clock, Corner, cornered, said, utc
from tests.unit.test_sought import Asked

SET = Path(__file__).parents[1] / "sets" / "told_later"
NOW = utc("2026-11-26T20:00")
LANGUAGES = ("english", "german", "spanish", "french")
_QUOTE = re.compile(r'["„«]\u00a0?([^"“»\n]+?)\u00a0?["“»]')


@dataclass(frozen=True)
class Case:
    """A question, and the messages that are wanted in this order, somewhere, and perhaps."""

    language: str
    question: str
    wanted: list[str]
    somewhere: list[str]
    perhaps: list[str]

    def listed(self, ids: list[str]) -> bool:
        """Say whether this is the list that is wanted."""
        allowed = {*self.wanted, *self.somewhere, *self.perhaps}
        return (
            [one for one in ids if one in self.wanted] == self.wanted
            and set(self.somewhere) <= set(ids) <= allowed
            and len(ids) == len(set(ids))
        )

    def first(self, ids: list[str]) -> bool:
        """Say whether the first of these are what is wanted."""
        own = {*self.wanted, *self.somewhere}
        first = [one for one in ids if one not in self.perhaps][: len(own)]
        return set(first) == own


def cases() -> list[Case]:
    """Return the questions of the set."""
    return [Case(**json.loads(line)) for line in (SET / "questions.jsonl").read_text("utf-8").splitlines()]


def messages(language: str) -> dict[str, dict[str, str]]:
    """Return the messages of a language by their ids."""
    rows = [json.loads(line) for line in (SET / "messages.jsonl").read_text("utf-8").splitlines()]
    return {row["id"]: row for row in rows if row["language"] == language}


@asynccontextmanager
async def kept(folder: Path, language: str) -> AsyncIterator[Corner]:
    """Open a memory that holds the messages in a language, at the instant of the questions."""
    clock = Clock(NOW)
    async with cornered(folder / f"{language}.db", None, clock=clock) as here:
        await here.view.say(here.session, [said(one["text"], one["id"], utc(one["at"])) for one in messages(language).values()])
        yield here


async def answer(here: Corner, question: str) -> str:
    """Return what she answers without a model."""
    asked = VoiceQuestion(question, "Ada", NOW, "UTC")
    came = await search_parts(Asked(here.view, here.session), asked)
    return asked.answer(came.hits, lambda _: False, came.above).text


async def test_she_lists_what_was_told_of_a_time_in_the_order_of_the_days_told_of(tmp_path: Path) -> None:
    bad = []
    for language in LANGUAGES:
        ids = {one["text"]: name for name, one in messages(language).items()}
        async with kept(tmp_path, language) as here:
            for case in (one for one in cases() if one.language == language):
                told = await answer(here, case.question)
                if not case.listed([ids[quote] for quote in _QUOTE.findall(told) if quote in ids]):
                    bad.append(f"{case.question}\n{told}")
    print(*bad, f"{len(cases()) - len(bad)} of {len(cases())}", sep="\n")
    assert len(cases()) - len(bad) >= 0.95 * len(cases())


async def test_what_was_told_of_a_time_is_found_first_where_that_time_is_asked_for(tmp_path: Path) -> None:
    bad = []
    for language in LANGUAGES:
        ids = {one["text"]: name for name, one in messages(language).items()}
        async with kept(tmp_path, language) as here:
            for case in (one for one in cases() if one.language == language):
                hits = [ids[hit.exchange.text] for hit in await here.view.recall.messages(case.question, 20)]
                if not case.first(hits):
                    bad.append(f"{case.question} {hits}")
    print(*bad, f"{len(cases()) - len(bad)} of {len(cases())}", sep="\n")
    assert len(cases()) - len(bad) >= 0.9 * len(cases())


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What did I do on Halloween?", "31 October 2026, told on 2 November 2026:"),
        ("What happened in September?", "September 2026, told on 18 November 2026:"),
    ],
)
async def test_she_says_which_day_it_was_and_when_it_was_told(tmp_path: Path, question: str, line: str) -> None:
    async with kept(tmp_path, "english") as here:
        assert f"- {line}" in await answer(here, question)
