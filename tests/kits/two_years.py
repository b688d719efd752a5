"""A diary of two years in English and in German, and what is asked about its times: the set under tests/sets/times."""

import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from memory.index.hits import Hit
from memory.text.time.times import local
from memory.types import NewExchange
from tests.kits.fresh import copies
from tests.kits.memory_kit import Clock, Corner, corner, cornered, opened, said, utc
from tests.kits.tabled import tabled

SET = Path(__file__).parents[1] / "sets" / "times"
NOW = utc("2026-10-22T20:00:00")
DAYS = 730
LANGUAGES = ("english", "german")
_HOURS = (8, 14, 19, 22)
_NOTES = tabled("diary", "notes")
_WORDS = {
    "english": {
        "friend": "Nora Teo Wen Ilse Mateusz".split(),
        "topic": "the budget,the choir,the move,old maps,the roof".split(","),
        "plant": "beans,two currants,thyme,garlic,mallows".split(","),
        "place": "the lock,the mill,the chapel,the quarry".split(","),
        "dish": "lentils,risotto,leek soup,dumplings,a curry,noodles".split(","),
        "title": "Middlemarch,Solaris,Orlando,The Leopard,Stoner".split(","),
    },
    "german": {
        "friend": "Nora Teo Wen Ilse Mateusz".split(),
        "topic": "das Budget,den Chor,den Umzug,alte Karten,das Dach".split(","),
        "plant": "Bohnen,Johannisbeeren,Thymian,Knoblauch,Malven".split(","),
        "place": "Wehr,Steinbruch,Bahnhof,Turm".split(","),
        "dish": "Linsen,Risotto,Lauchsuppe,Klöße,Curry,Nudeln".split(","),
        "title": "Middlemarch,Solaris,Orlando,Stoner,Momo".split(","),
    },
}
_BIRTHDAYS = {
    "english": (("2025-01-12", "My birthday is on the 9th of April."), ("2025-03-02", "Nora's birthday is the 2nd of July.")),
    "german": (("2025-01-12", "Mein Geburtstag ist am 9. April."), ("2025-03-02", "Noras Geburtstag ist der 2. Juli.")),
}


@dataclass(frozen=True)
class Dated:
    """A question about a time in a language, from when to when what it asks for was said, and what that holds."""

    question: str
    language: str
    first: str
    last: str
    holds: str

    def then(self, said_at: int) -> bool:
        """Say whether an instant is in that time."""
        at = local(said_at, "UTC").isoformat()
        return self.first <= at[: len(self.first)] and at[: len(self.last)] <= self.last

    def good(self, hits: list[Hit]) -> bool:
        """Say whether the first of these hits is what is asked for."""
        return bool(hits) and self.then(hits[0].exchange.said_at) and self.holds.casefold() in hits[0].exchange.text.casefold()


def dated() -> list[Dated]:
    """Return the questions of the set."""
    return [Dated(**json.loads(line)) for line in (SET / "questions.jsonl").read_text("utf-8").splitlines()]


def two_years(language: str) -> Iterator[NewExchange]:
    """Yield the diary in a language, the same each time: three or four notes a day, none but such as return all the time."""
    chosen = random.Random(730)
    today = local(NOW, "UTC").date()

    def told(day: date, hour: int, text: str) -> NewExchange:
        at = utc(f"{datetime(day.year, day.month, day.day, hour, chosen.randrange(60)):%Y-%m-%dT%H:%M}")
        return said(text, f"{day}-{hour}", at)

    for n in range(DAYS):
        day = today - timedelta(days=DAYS - 1 - n)
        for hour, forms in zip(_HOURS, _NOTES[language], strict=True):
            words = {name: chosen.choice(some) for name, some in _WORDS[language].items()}
            form = chosen.choice(forms)
            note = told(day, hour, form.format(n=chosen.randrange(3, 60), **words))
            # The last day is not over, and not every night is told of.
            if note.said_at < NOW and (hour != _HOURS[-1] or n % 3 == 0 or day == today - timedelta(days=1)):
                yield note
        for on, text in _BIRTHDAYS[language]:
            if on == day.isoformat():
                yield told(day, 20, text)


@asynccontextmanager
async def kept(folder: Path, language: str) -> AsyncIterator[Corner]:
    """Open a memory that holds the diary in a language, at the instant of the questions; it is written once in each process."""
    clock, path = Clock(NOW), folder / f"{language}.db"
    if language not in _written:
        with TemporaryDirectory() as first:
            own = Path(first) / "lyra.db"
            async with cornered(own, None, clock=clock) as here:
                await here.view.say(here.session, list(two_years(language)))
            _written[language] = copies(own)
    _written[language](path)
    async with opened(path, None, clock=clock) as memory:
        yield await corner(memory, clock)


_written: dict[str, Callable[[Path], None]] = {}
