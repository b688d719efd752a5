"""Words about the same everyday thing, as related_words.toml lists them: "where does she live" is answered by "I moved"."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from memory.text.lexical import key_words, query_stems, stem
from memory.text.told.personal_details import PersonalDetail, asked_detail
from memory.text.wordings import read_wordings


@dataclass(frozen=True, slots=True)
class _WordGroup:
    """Stems that ask and stems that answer, and the words that answer. If `single`, a person has one value at a time: the newest holds."""

    asks: frozenset[str]
    tells: frozenset[str]
    words: str
    single: bool


@cache
def _groups() -> tuple[_WordGroup, ...]:
    return tuple(
        _WordGroup(_stems(one["asks"]), _stems(one["tells"]), one["tells"], many == "single")
        for many, things in read_wordings(__file__).items()
        for one in things.values()
    )


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.casefold().split())).union(key_words(words).values())


def telling(asked: str) -> frozenset[str]:
    """Return the stems that answer what a stem asks for, without itself."""
    return frozenset().union(*(kin.tells for kin in _groups() if asked in kin.asks)) - {asked}


def singles(stems: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the single-valued groups that any of these stems ask for or answer."""
    there = frozenset(stems)
    return frozenset(at for at, kin in enumerate(_groups()) if kin.single and there & (kin.asks | kin.tells))


def asked_singles(stemmed: str) -> frozenset[str]:
    """Return a name for each single-valued group that a stem asks for; stems of a group share it."""
    return frozenset(f"#{at}" for at, kin in enumerate(_groups()) if kin.single and stemmed in kin.asks)


def answering_words(asked: Iterable[str]) -> str:
    """Return the words that answer what any of these stems ask for, to extend a search."""
    there = frozenset(asked)
    return " ".join(kin.words for kin in _groups() if there & kin.asks)


class Sought(NamedTuple):
    """What a question asks for: the stems of its words, and the detail of oneself that it asks for, None if it asks for none."""

    stems: frozenset[str]
    detail: PersonalDetail | None

    @property
    def words(self) -> str:
        """The words that answer it, also where no word of it names that."""
        return f"{answering_words(self.stems)} {self.detail.words if self.detail else ''}".strip()


def sought(text: str) -> Sought:
    """Return what a question asks for."""
    return Sought(frozenset(query_stems(text)), asked_detail(text))
