"""Personal details that people ask for in words that name little of them: "how old am I?", "where am I from?"

No word of these questions is in what answers them, and they are too short for their meaning to tell much. So how each is asked and
how it is told is listed, in personal_details.toml.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from memory.text.lazy_patterns import lazy_pattern
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.wordings import read_wordings

_ASKING, _TELLING = 80, 200
"""How many characters are read of a question, its last ones, and of each sentence that may tell it: both are short."""


@dataclass(frozen=True, slots=True)
class PersonalDetail:
    """A detail about oneself: how it is asked, how it is told (the surest way first), and words that tell it, to search for."""

    asks: re.Pattern[str]
    tells: tuple[re.Pattern[str], ...]
    words: str

    def surest(self, texts: Iterable[str]) -> list[str]:
        """Return those of some texts in which somebody tells it of themself, in the surest way that any of them does."""
        told = {text: [one[:_TELLING] for one in sentences(text) if not is_question(one) and not _untold(one)] for text in texts}
        ways = ([text for text, said in told.items() if any(map(way.search, said))] for way in self.tells)
        return next(filter(None, ways), [])


def asked_detail(question: str) -> PersonalDetail | None:
    """Return the detail that a question asks of the asker, None if it asks for something else."""
    return next((detail for detail in _details() if detail.asks.search(question[-_ASKING:])), None)


def _untold(sentence: str) -> bool:
    """Return whether a sentence repeats what somebody else says, or tells what is not so: "I feel like I'm 80"."""
    return _telling_nothing().search(sentence[:_TELLING]) is not None


@cache
def _telling_nothing() -> re.Pattern[str]:
    return re.compile(read_wordings(__file__)["untold"], re.IGNORECASE)


@cache
def _details() -> tuple[PersonalDetail, ...]:
    listed = read_wordings(__file__)
    return tuple(
        PersonalDetail(
            lazy_pattern("".join(one["asks"]), re.IGNORECASE),
            tuple(lazy_pattern(way, re.IGNORECASE) for way in _ways(one["tells"])),
            one["words"],
        )
        for name, one in listed.items()
        if name not in ("parts", "untold")
    )


def _ways(lines: Iterable[str]) -> list[str]:
    """Join the lines of each pattern: a line that begins with "|" goes on with the one before."""
    ways: list[str] = []
    for line in lines:
        if line.startswith("|"):
            ways[-1] += line
        else:
            ways.append(line)
    return ways
