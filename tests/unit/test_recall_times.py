"""Whatever words a time is told with, in English or in German, what was said then comes first."""

from pathlib import Path

from memory.text.times import local
from tests.kits.memory_kit import Clock, corner, opened
from tests.kits.two_years import LANGUAGES, NOW, Dated, dated, two_years

LEAST = 0.65


async def missed(folder: Path, language: str) -> list[tuple[str, str, str]]:
    """Return the questions in a language whose first hit is not what they ask for, with that hit."""
    clock = Clock(NOW)
    async with opened(folder / f"{language}.db", None, clock=clock) as memory:
        here = await corner(memory, clock)
        await here.view.say(here.session, list(two_years(language)))
        found = [(one, await here.view.recall.messages(one.question, 50)) for one in _of(language)]
    return [
        (
            one.question,
            f"{local(hits[0].exchange.said_at, 'UTC'):%Y-%m-%d %H:%M}" if hits else "",
            hits[0].exchange.text if hits else "",
        )
        for one, hits in found
        if not one.good(hits)
    ]


def _of(language: str) -> list[Dated]:
    return [one for one in dated() if one.language == language]


async def test_what_was_said_at_the_time_that_is_asked_for_comes_first(tmp_path: Path) -> None:
    asked = dated()
    assert len(asked) == 40 and [len(_of(language)) for language in LANGUAGES] == [25, 15]
    wrong = [one for language in LANGUAGES for one in await missed(tmp_path, language)]
    print(f"{len(asked) - len(wrong)} of {len(asked)}", *wrong, sep="\n")
    assert len(asked) - len(wrong) >= LEAST * len(asked)
