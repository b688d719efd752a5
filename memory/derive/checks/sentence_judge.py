"""The verdict on the sentences of one answer.

A sentence may contain no name, number or date that its sources do not hold, put nobody in another's place, neither deny what
they say nor say what they deny, and tell nothing as done that they only ask for. Claims must be supported by the cited
messages; names may also come from the rest of the writer's input, the conversation and the known facts about people, which
then become sources as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from memory.derive.checks.concrete_words import ConcreteWords
from memory.derive.checks.evidence import Evidence, SentenceFindings
from memory.derive.checks.misattribution import displaced
from memory.derive.checks.written_names import WrittenNames
from memory.ports import Source
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.sentence_splitting import clauses
from memory.text.time.dates import MONTHS, WORD
from memory.text.word_forms.verb_forms import PAST_FORMS
from memory.text.wordings import read_wordings

_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?\n]")
_WORDINGS = read_wordings(__file__)
_DENYING = frozenset(" ".join(_WORDINGS["denying"].values()).split())
_TURNING = re.compile(_WORDINGS["turning"], re.VERBOSE)
_OPEN, _ANNOUNCING = (re.compile(_WORDINGS[name], re.IGNORECASE | re.VERBOSE) for name in ("open", "announcing"))
_LIGHT = (
    ((STOP_WORDS | FUNCTION_WORDS) - _DENYING)
    | MONTHS.keys()
    | frozenset("said says told asked lyra yet still even also".split())
)
_ANSWERING = frozenset("say says said tell or yes".split())
_JOINING = frozenset("and but because so und aber weil et mais y pero".split())
_SCOPE, _BESIDE, _PAIR = 2, 3, 2
_DONE = re.compile(r"\b[a-z]{3,}ed\b")
_VERB_OF = {PAST_FORMS.get(verb, [verb])[0]: verb for verb in _WORDINGS["done"].split()}
"""Irregular verbs by their past forms."""
_STATING = frozenset(_WORDINGS["stating"].split())
_BEFORE_A_VERB = frozenset("please just then now also to and lyra".split())
_LONGEST_BEFORE = 48
_NEITHER = (frozenset[str](), frozenset[str]())


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a text: its content words, and which of them each negation, and each turning word, precedes or is."""

    words: tuple[str, ...]
    denials: tuple[int, ...]
    turns: tuple[tuple[int, str], ...]

    @property
    def denies(self) -> bool:
        return bool(self.denials or self.turns)

    def denied(self, most: int = 1) -> Iterator[tuple[str, ...]]:
        """Yield the first content words after each negation."""
        yield from (self.words[at : at + most] for at in self.denials if at < len(self.words))

    def around(self, at: int) -> set[str]:
        return set(self.words[max(0, at - _SCOPE) : at + _BESIDE])

    def turned(self, at: int) -> set[str]:
        """Return the turning words that a negation denies in turn."""
        return {word for place, word in self.turns if at <= place <= at + 1}

    def may_mean(self, turned: set[str], opposite: set[str]) -> bool:
        """Return whether a negation may be of this clause: it denies, has a word `opposite` to what the negation is about, or turns
        by other words than those that are denied in turn, `turned`."""
        if self.denials or not opposite.isdisjoint(self.words):
            return True
        return any(word not in turned for _, word in self.turns)


@cache
def _poles() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Return for each word, by its stem, those that say the same and those that say the opposite."""
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for pair in _WORDINGS["opposites"]:
        one, other = (frozenset(map(stem, words.split())) for words in pair)
        found |= dict.fromkeys(one, (one, other)) | dict.fromkeys(other, (other, one))
    return found


def _alike(word: str) -> frozenset[str]:
    """Return the stems that say the same as a stem, itself among them, where it has an opposite."""
    return _poles().get(word, _NEITHER)[0]


def _opposed(word: str) -> frozenset[str]:
    return _poles().get(word, _NEITHER)[1]


def contradictions(text: str, cited: Sequence[Source], names: WrittenNames) -> list[str]:
    """Return the words that a sentence denies and its sources do not, or the other way round."""
    said = [clause for source in cited for clause in _clauses(source.text, names)]
    written = list(_clauses(text, names))
    found: list[str] = []
    for clause in written:
        for at in clause.denials:
            about = clause.around(at)
            turned, opposite = clause.turned(at), set[str]().union(*map(_opposed, about))
            if not any(one.may_mean(turned, opposite) for one in _closest(about, said)):
                found.append(" ".join(("not", *clause.words[at : at + 1])))
        found += [word for word in clause.words if not clause.denials and _is_opposed(word, clause, said)]
    plain, affirmed = [one for one in said if not one.denies], [one for one in written if not one.denies]
    for clause in said:
        for denied in dict.fromkeys((*clause.denied(), *clause.denied(_PAIR))):
            if _is_said(denied, affirmed) and not _is_said(denied, plain):
                found.append(" ".join(denied))
    return found


def _is_opposed(word: str, clause: _Clause, said: Sequence[_Clause]) -> bool:
    """Return whether sources say the opposite of a word about the same, and not what it says."""
    if not (opposite := _opposed(word)):
        return False
    rest = set(clause.words) - {word}
    about_it = [one for one in said if not rest or not rest.isdisjoint(one.words)]
    if any(one.denials or not _alike(word).isdisjoint(one.words) for one in about_it):
        return False
    return any(not opposite.isdisjoint(one.words) for one in about_it)


def _closest(about: set[str], said: Sequence[_Clause]) -> Sequence[_Clause]:
    """Return the clauses that share the most words with what a negation is about, all of them if none shares any."""
    shared = [len(about.intersection(one.words)) for one in said]
    most = max(shared, default=0)
    return [one for one, n in zip(said, shared, strict=True) if n == most]


def _is_said(words: Sequence[str], said: Sequence[_Clause]) -> bool:
    return any(set(words) <= set(one.words) for one in said)


def _clauses(text: str, names: WrittenNames) -> Iterator[_Clause]:
    words, denials, turns, before = list[str](), list[int](), list[tuple[int, str]](), ""
    for m in (*_PIECE.finditer(text), None):
        piece = m.group().casefold().replace("’", "'") if m else "."
        if not piece[0].isalnum() or piece in _JOINING:
            if words or denials:
                yield _Clause(tuple(words), tuple(denials), tuple(turns))
            words, denials, turns = [], [], []
        elif (piece in _DENYING and not (piece == "no" and before in _ANSWERING)) or piece.endswith("n't"):
            denials.append(len(words))
        else:
            turns += [(len(words), stem(piece))] * bool(_TURNING.match(piece))
            if (piece not in _LIGHT or _opposed(stem(piece))) and piece.isalpha() and not names.knows(piece):
                words.append(stem(piece))
        before = piece


def undone(text: str, cited: Sequence[Source]) -> Iterator[str]:
    """Yield the words by which a sentence says that something was done that its sources only ask for or announce.

    "book a table" is no table that was booked. English alone is read.
    """
    claimed = dict.fromkeys(
        word
        for clause in clauses(text)
        if not _OPEN.search(clause)
        for word in WORD.findall(clause)
        if word in _VERB_OF or (_DONE.fullmatch(word) and word not in _STATING)
    )
    if not claimed:
        return
    uses_by_stem: dict[str, list[tuple[str, re.Match[str]]]] = {}
    for clause in (part for source in cited for part in clauses(source.text)):
        for word in WORD.finditer(clause):
            uses_by_stem.setdefault(stem(word.group().casefold()), []).append((clause, word))
    for done in claimed:
        verb = stem(_VERB_OF.get(done, done))
        uses = [*uses_by_stem.get(verb, ()), *uses_by_stem.get(stem(done), ())]
        if uses and all(word.group().casefold() != done and _is_open(clause, word) for clause, word in uses):
            yield done


def _is_open(clause: str, verb: re.Match[str]) -> bool:
    """Return whether a clause asks for what a verb in it says, or announces it."""
    before = clause[max(0, verb.start() - _LONGEST_BEFORE) : verb.start()].rstrip()
    is_order = verb.start() < _LONGEST_BEFORE and all(word.casefold() in _BEFORE_A_VERB for word in WORD.findall(before))
    return not verb.group().endswith(("s", "ing")) and (is_order or bool(_ANNOUNCING.search(before)))


class SentenceJudge:
    """The judge of one answer's sentences, `written`, by the writer's input with its `names`. Not to be kept beyond the check."""

    def __init__(self, given: Sequence[Source], written: Sequence[str], known: Sequence[Source] = ()) -> None:
        self.names = WrittenNames(given, known, written)
        self._evidence = Evidence(self.names)

    def judge(self, text: str, cited: Sequence[Source]) -> SentenceFindings:
        """Return the unsupported words of a sentence, and the sources that supplied a name to it."""
        judged = self._evidence.judge(text, cited)
        wrong = [
            *judged.missing,
            *displaced(text, cited, self.names),
            *contradictions(text, cited, self.names),
            *undone(text, cited),
        ]
        spoken_of = ConcreteWords(cited)
        return SentenceFindings(tuple(one for one in dict.fromkeys(wrong) if not spoken_of.calls(one.strip())), judged.supplied)
