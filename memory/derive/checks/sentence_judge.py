"""The verdict on the sentences of one answer.

A sentence may contain no name, number or date that its sources do not hold, put nobody in another's place, and neither deny
what they say nor say what they deny. Claims must be supported by the cited messages; names may also come from the rest of the
writer's input, the conversation and the known facts about people, which then become sources as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.derive.checks.evidence import Evidence, SentenceFindings
from memory.derive.checks.misattribution import displaced
from memory.derive.checks.written_names import WrittenNames
from memory.ports import Source
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.time.dates import MONTHS

_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?\n]")
_DENYING = frozenset(
    """
    not never no nobody none nothing neither nor without cannot kein keine keinen keinem keiner nicht nie niemals nichts niemand
    ohne pas jamais rien aucun aucune sans nunca nadie ningún ninguna niet geen nooit
    """.split()
)
_TURNING = re.compile(
    r"(?:stop|quit|refus|declin|reject|fail|avoid|allerg|cancel|instead|against|only|hardly|barely|unless|except|anymore|rather|little|few|lack|miss"
    r"|out|less|lost|lose|secret|un[a-z]{4,}|dis[a-z]{4,}|in[a-z]*able)"
)
_LIGHT = (
    ((STOP_WORDS | FUNCTION_WORDS) - _DENYING)
    | MONTHS.keys()
    | frozenset("said says told asked lyra yet still even also".split())
)
_ANSWERING = frozenset("say says said tell or yes".split())
_JOINING = frozenset("and but because so und aber weil et mais y pero".split())
_SCOPE, _BESIDE = 2, 3


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a text: its content words, and the positions of the words that each negation precedes."""

    words: tuple[str, ...]
    denials: tuple[int, ...]
    turns: bool

    @property
    def denies(self) -> bool:
        return bool(self.denials) or self.turns

    def denied(self) -> Iterator[str]:
        """Yield the first content word after each negation."""
        yield from (self.words[at] for at in self.denials if at < len(self.words))

    def around(self, at: int) -> set[str]:
        return set(self.words[max(0, at - _SCOPE) : at + _BESIDE])


def contradictions(text: str, cited: Sequence[Source], names: WrittenNames) -> list[str]:
    """Return the words that a sentence denies and its sources do not, or the other way round."""
    said = [clause for source in cited for clause in _clauses(source.text, names)]
    written = list(_clauses(text, names))
    found: list[str] = []
    for clause in written:
        for at in clause.denials:
            about = clause.around(at) if at < len(clause.words) else set[str]()
            alike = [one for one in said if not about.isdisjoint(one.words)]
            if not any(one.denies for one in alike or said):
                found.append(" ".join(("not", *clause.words[at : at + 1])))
    plain = {word for clause in said if not clause.denies for word in clause.words}
    affirmed = {word for clause in written if not clause.denies for word in clause.words}
    found += [word for clause in said for word in clause.denied() if word in affirmed - plain]
    return found


def _clauses(text: str, names: WrittenNames) -> Iterator[_Clause]:
    words, denials, turns, before = list[str](), list[int](), False, ""
    for m in (*_PIECE.finditer(text), None):
        piece = m.group().casefold().replace("’", "'") if m else "."
        if not piece[0].isalnum() or piece in _JOINING:
            if words or denials:
                yield _Clause(tuple(words), tuple(denials), turns)
            words, denials, turns = [], [], False
        elif (piece in _DENYING and not (piece == "no" and before in _ANSWERING)) or piece.endswith("n't"):
            denials.append(len(words))
        elif piece not in _LIGHT and piece.isalpha() and not names.knows(piece):
            turns = turns or bool(_TURNING.match(piece))
            words.append(stem(piece))
        else:
            turns = turns or bool(_TURNING.match(piece))
        before = piece


class SentenceJudge:
    """The judge of one answer's sentences, `written`, by the writer's input. Not to be kept beyond the check."""

    def __init__(self, given: Sequence[Source], written: Sequence[str], known: Sequence[Source] = ()) -> None:
        self._names = WrittenNames(given, known, written)
        self._evidence = Evidence(self._names)

    def judge(self, text: str, cited: Sequence[Source]) -> SentenceFindings:
        """Return the unsupported words of a sentence, and the sources that supplied a name to it."""
        judged = self._evidence.judge(text, cited)
        wrong = [*judged.missing, *displaced(text, cited, self._names), *contradictions(text, cited, self._names)]
        return SentenceFindings(tuple(dict.fromkeys(wrong)), judged.supplied)
