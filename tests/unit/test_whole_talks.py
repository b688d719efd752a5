"""Short talks without a model, each with a question at its end (`tests/sets/talks`): what only asks hides nothing, a day to come is ahead,
what is off or moved is told as it is now, and what no message answers is answered by none."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.context.turn_retrieval import search_parts
from bot.models.offline.voice import VoiceQuestion
from memory.types import MINUTE, Kind, NewExchange
from tests.kits.memory_kit import Clock, Corner, cornered, said, utc
from tests.unit.test_sought import Asked

SET = Path(__file__).parents[1] / "sets" / "talks"
SATURDAY = utc("2026-11-28T17:00")


class Talk(NamedTuple):
    """What is said, what is asked then, and what the answer has to hold and to lack."""

    said: list[str]
    asked: str
    holds: list[str]
    lacks: list[str]


def talks(name: str) -> list[Talk]:
    """Return the talks of a file of the set."""
    return [Talk(**json.loads(line)) for line in (SET / f"{name}.jsonl").read_text("utf-8").splitlines()]


async def answered(here: Corner, asked: str) -> str:
    """Say something, keep it with her answer, and return that."""
    here.said += 1
    here.clock.forward(MINUTE)
    question = VoiceQuestion(asked, "Ada", here.clock.now(), "UTC")
    came = await search_parts(Asked(here.view, here.session), question)
    given = question.answer(came.hits, lambda _: False, came.above)
    reply = NewExchange(Kind.REPLY, given.text, f"r{here.said}", here.clock.now() + 1, "Lyra", "assistant", echo=given.echo)
    await here.view.say(here.session, [said(asked, f"m{here.said}", here.clock.now()), reply])
    return given.text


@pytest.mark.parametrize(("name", "of", "least"), [("cases", 103, 103), ("unseen", 40, 37)])
async def test_what_is_asked_after_a_talk_is_answered_as_it_holds_then(tmp_path: Path, name: str, of: int, least: int) -> None:
    bad: list[str] = []
    every = talks(name)
    for at, talk in enumerate(every):
        async with cornered(tmp_path / f"{at}.db", None, clock=Clock(SATURDAY)) as here:
            *_, given = [await answered(here, text) for text in (*talk.said, talk.asked)]
            if not all(one in given for one in talk.holds) or any(one in given for one in talk.lacks):
                bad.append(f"{talk.said} {talk.asked}\n  {given}")
    print(*bad, f"{len(every) - len(bad)} of {len(every)}", sep="\n")
    assert len(every) == of
    assert len(every) - len(bad) >= least
