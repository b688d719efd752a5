"""What was said and then asked about, and a diary of 760 days with questions about its times: the sets under tests/sets/asked."""

import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from memory.index.hits import Hit
from memory.ports import Embedder
from memory.text.time.times import local
from memory.types import Kind, NewExchange, SessionRef
from tests.kits.memory_kit import DAY, Clock, Corner, cornered, said, utc

SET = Path(__file__).parents[1] / "sets" / "asked"
NOW = utc("2026-03-15T18:00:00")
DAYS = 760
BIRTHDAY = (5, 12)
_FRIENDS = "Nora Teo Wen Ilse Mateusz Renske Noor".split()
_MORNINGS = (
    "Ran {n} km before work, the river was {sky}.",
    "Early swimming at the baths, {n} lengths, the water was {sky}.",
    "Coffee with {friend} at the corner place, we talked about {topic}.",
    "Planted {plant} on the balcony and watered the rest.",
    "{friend} called and told me about {topic}.",
    "Went climbing with {friend}, the {sky} route twice.",
    "Hiked up to {hill} with {friend}, {n} km in all.",
)
_EVENINGS = (
    "Cooked {dish} for dinner.",
    "Cooked {dish} for {friend} and me, too much salt.",
    "Cooked {dish} again, for two days.",
)
_NIGHTS = (
    "Watched the film {title} until late.",
    "Reading {title}, chapter {n}.",
    "Slept badly, yesterday was too much. Next week I will go to bed earlier.",
    "Bought {friend} a birthday present, a book on {topic}.",
)
_WORDS = {
    "friend": _FRIENDS,
    "sky": "grey blue green low high calm cold warm".split(),
    "topic": "the new flat,the choir,a job in Ghent,the garden,old maps,the strike,her brother,bees".split(","),
    "plant": "basil,tomatoes,two roses,thyme,a fig tree,radishes".split(","),
    "hill": "the Falkenstein,the old quarry,the Malberg,the chapel,the lake".split(","),
    "dish": "lentils,risotto,a fish soup,dumplings,pasta with sage,a curry,pancakes,potato salad,ramen".split(","),
    "title": "The Third Man,Solaris,The Leopard,Stalker,Middlemarch,Ikiru,Orlando,Playtime".split(","),
}


@dataclass(frozen=True)
class Case:
    """Something that was said, the question about it, what Lyra answers, and the question as it is asked again."""

    said: str
    asked: str
    answered: str
    again: str


@dataclass(frozen=True)
class Timed:
    """A question about a time, from when to when its first hit was said, and what that holds."""

    question: str
    first: str
    last: str
    holds: str

    def fits(self, hit: Hit) -> bool:
        """Say whether a hit was said in that time."""
        at = local(hit.exchange.said_at, "UTC").isoformat()
        return self.first <= at[: len(self.first)] and at[: len(self.last)] <= self.last

    def good(self, hits: list[Hit]) -> bool:
        """Say whether the first of these hits is what is asked for."""
        return bool(hits) and self.fits(hits[0]) and self.holds.casefold() in hits[0].exchange.text.casefold()


def cases() -> list[Case]:
    """Return the things that are said and asked about."""
    return [Case(**json.loads(line)) for line in (SET / "cases.jsonl").read_text("utf-8").splitlines()]


def never_said() -> list[str]:
    """Return questions about things of which nothing was said."""
    return [json.loads(line)["question"] for line in (SET / "never_said.jsonl").read_text("utf-8").splitlines()]


def timed() -> list[Timed]:
    """Return the questions about the diary."""
    return [Timed(**json.loads(line)) for line in (SET / "times.jsonl").read_text("utf-8").splitlines()]


def diary() -> Iterator[NewExchange]:
    """Yield a diary, the same each time: two to four notes a day, which tell the same things again and again."""
    chosen = random.Random(760)
    today = local(NOW, "UTC").date()

    def told(day: date, hour: int, form: str) -> NewExchange:
        words = {name: chosen.choice(some) for name, some in _WORDS.items()}
        at = utc(f"{datetime(day.year, day.month, day.day, hour, chosen.randrange(60)):%Y-%m-%dT%H:%M}")
        return said(form.format(n=chosen.randrange(3, 40), **words), f"{day}-{hour}", at)

    for n in range(DAYS):
        day = today - timedelta(days=DAYS - 1 - n)
        yield told(day, 8, _MORNINGS[n % len(_MORNINGS)])
        if (day.month, day.day) == BIRTHDAY:
            yield told(day, 12, "It's my birthday today, everybody came to the roof.")
        if day < today:
            yield told(day, 19, chosen.choice(_EVENINGS))
            if n % 3 == 0:
                yield told(day, 22, _NIGHTS[n // 3 % len(_NIGHTS)])


@asynccontextmanager
async def kept(folder: Path, embedder: Embedder | None) -> AsyncIterator[Corner]:
    """Open a memory that holds the diary, at the instant of the questions."""
    clock = Clock(NOW)
    async with cornered(folder / "lyra.db", None, clock=clock, embedder=embedder) as here:
        await here.view.say(here.session, list(diary()))
        await here.view.embed()
        yield here


@asynccontextmanager
async def asked(folder: Path, embedder: Embedder | None, *, answered: bool) -> AsyncIterator[Corner]:
    """Open a memory in which everything was said, and a day later asked in chat; `answered` by a model, or quoted."""
    clock = Clock(NOW)
    async with cornered(folder / "lyra.db", None, clock=clock, embedder=embedder) as here:
        for case in cases():
            await here.say(case.said)
        clock.forward(DAY)
        chat = await here.view.sessions.get(SessionRef("console", "chat"), "chat")
        for n, case in enumerate(cases()):
            await here.say(case.asked, session=chat)
            text = case.answered if answered else f'You told me: "{case.said}"'
            reply = NewExchange(Kind.REPLY, text, f"a{n}", clock.now() + 1, "Lyra", "assistant", echo=not answered)
            await here.view.say(chat, [reply])
        await here.view.embed()
        yield here
