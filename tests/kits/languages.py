"""Everyday facts in fourteen languages, told among small talk and asked about: the set under tests/sets/languages."""

import json
import os
import random
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.app import RandomIds
from bot.models.local import e5, gemma, minilm
from bot.models.local.e5 import E5
from bot.models.local.gemma import Gemma
from bot.models.local.minilm import MiniLM
from memory.core import Memory, Ports
from memory.index.hits import Certainty
from memory.ports import Embedder
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import View

SET = Path(__file__).parents[1] / "sets" / "languages"
LANGUAGES = tuple(sorted(path.stem for path in SET.glob("*.jsonl")))
FURTHER = tuple(sorted(f"further/{path.stem}" for path in (SET / "further").glob("*.jsonl")))
FIRST = 5


@dataclass(frozen=True, slots=True)
class Told:
    """What is told in a language, the question to each of it, and what else is said."""

    facts: Sequence[str]
    questions: Sequence[str]
    others: Sequence[str]


def told(language: str) -> Told:
    """Return what the set has of a language."""
    rows = [json.loads(line) for line in (SET / f"{language}.jsonl").read_text().splitlines()]
    about = [row for row in rows if "fact" in row]
    return Told(
        [row["fact"] for row in about], [row["question"] for row in about], [row["other"] for row in rows if "other" in row]
    )


def local_models() -> tuple[MiniLM, E5 | None]:
    """Return the local model and the one for other languages, None where that is not installed."""
    first, others = minilm.folder(), e5.folder()
    assert first is not None, "`make model` installs it"
    return MiniLM(first), E5(others) if others else None


def large_model() -> Gemma | None:
    """Return the large model of the home that LYRA_LARGE names, None if none is named."""
    home = os.environ.get("LYRA_LARGE")
    found = gemma.folder(Path(home)) if home else None
    assert found or not home, "`lyra setup --large` fetches it"
    return Gemma(found) if found else None


async def places(
    first: Embedder | None, others: Embedder | None, language: str, asked_in: Sequence[str], few: int = 60
) -> dict[str, list[int | None]]:
    """Return, for each language that is asked in, the place of every fact told in a language, None behind the first five.

    The talk is one conversation, with the small talk of all these languages in it; of each only the first `few`.
    """
    facts = told(language).facts[:few]
    talk = list(facts) + [text for one in dict.fromkeys([language, *asked_in]) for text in told(one).others[:few]]
    async with _kept(first, others, talk) as view:
        found: dict[str, list[int | None]] = {}
        for one in asked_in:
            found[one] = []
            for fact, question in zip(facts, told(one).questions, strict=False):
                hits = [hit.exchange.text for hit in await view.recall.messages(question, FIRST)]
                found[one].append(hits.index(fact) if fact in hits else None)
        return found


async def certain(first: Embedder, others: Embedder | None, language: str, asked_in: str) -> tuple[int, int]:
    """Return of how many of twenty facts told the fact is not weak, and for how many of twenty that were not told all is weak."""
    facts, answered, recognized = told(language).facts, 0, 0
    async with _kept(first, others, [*facts[::2], *told(language).others[:40]]) as view:
        await view.open_to(told(asked_in).questions[0])
        await view.embed()
        for at, (fact, question) in enumerate(zip(facts, told(asked_in).questions, strict=True)):
            hits = await view.recall.messages(question, 10)
            found = {hit.exchange.text for hit in hits if hit.certainty is not Certainty.WEAK}
            answered += at % 2 == 0 and fact in found
            recognized += at % 2 == 1 and not found
    return answered, recognized


@asynccontextmanager
async def _kept(first: Embedder | None, others: Embedder | None, talk: list[str]) -> AsyncIterator[View]:
    random.Random(14).shuffle(talk)
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        memory = await Memory.open(Path(folder) / "lyra.db", b"k" * 32, Ports(clock, RandomIds(), first, others))
        async with memory:
            domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", "ada"), "UTC", clock.now())
            view = memory.view(domain)
            session = await view.sessions.get(SessionRef("console", "talk"), "talk")
            start = clock.now() - len(talk) * 60_000_000
            await view.say(
                session, [NewExchange(Kind.SAID, text, str(n), start + n * 60_000_000, "ada") for n, text in enumerate(talk)]
            )
            await view.embed()
            yield view


def shares(found: Sequence[int | None]) -> tuple[float, float]:
    """Return how many of a hundred are the first, and how many are among the first five."""
    return 100 * sum(one == 0 for one in found) / len(found), 100 * sum(one is not None for one in found) / len(found)
