"""What she answers without a model to questions about the times of a diary of two years."""

import re
from pathlib import Path

from bot.context.turn_retrieval import search_parts
from bot.models.offline.voice import VoiceQuestion
from memory.types import NewExchange
from tests.kits.size import few
from tests.kits.two_years import LANGUAGES, NOW, Dated, dated, kept, two_years
from tests.unit.test_sought import Asked

LEAST = 0.87
_QUOTE = re.compile(r'["„]([^"“\n]+)["“]')
_FRAMED = {
    "english": re.compile(r"\b(?:From|On|Around|You told me|Nothing)\b"),
    "german": re.compile(r"\b(?:Vom|Am|Um den|Du hast mir|Nichts)\b"),
}


def good(asked: Dated, answer: str, diary: list[NewExchange]) -> bool:
    """Say whether an answer quotes something, nothing but what was said then, and is framed in the question's language."""
    then = {one.text for one in diary if asked.then(one.said_at)}
    quotes = _QUOTE.findall(answer)
    return (
        bool(quotes)
        and then.issuperset(quotes)
        and any(asked.holds.casefold() in quote.casefold() for quote in quotes)
        and _FRAMED[asked.language].search(_QUOTE.sub("", answer)) is not None
    )


async def answered(folder: Path, language: str, asked: list[Dated]) -> list[str]:
    """Return what she answers to questions about the diary in a language."""
    given = []
    async with kept(folder, language) as here:
        for one in asked:
            question = VoiceQuestion(one.question, "Ada", NOW, "UTC")
            came = await search_parts(Asked(here.view, here.session), question)
            given.append(question.answer(came.hits, lambda _: False, came.above).text)
    return given


async def test_she_quotes_what_was_said_then_and_speaks_the_language_of_the_question(tmp_path: Path) -> None:
    bad, asked = [], [one for one in dated() if one.language in few(LANGUAGES)]
    for language in few(LANGUAGES):
        diary = list(two_years(language))
        of = [one for one in asked if one.language == language]
        given = await answered(tmp_path, language, of)
        bad += [f"{one.question}\n  {answer}" for one, answer in zip(of, given, strict=True) if not good(one, answer, diary)]
    print(*bad, f"{len(asked) - len(bad)} of {len(asked)}", sep="\n")
    assert len(asked) - len(bad) >= LEAST * len(asked)
