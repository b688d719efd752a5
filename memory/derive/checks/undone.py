"""What was only asked for or announced, and is told as done: "book a table" is no table that was booked. English alone is read."""

import re
from collections.abc import Iterator, Sequence

from memory.ports import Source
from memory.text.lexical import stem
from memory.text.time.dates import WORD

_CLAUSES = re.compile(r"[.;:!?\n,]|\b(?:and|but)\b")
_OPEN = re.compile(
    r"(?i)\b(?:wants?|wanted|wanna|needs?|needed|plans?|planned|planning|reminds?|reminded|let['’]?s|if|whether|hopes?|hoped|asked|told"
    r"|promised?|agreed|offered|suggested|decided|refused|should|would|could|must|might|may|will|to|be)\b"
)
"""What a sentence has that tells nothing as done."""
_ANNOUNCING = re.compile(
    r"(?i)(?:\b(?:please|will|shall|should|must|gonna|let['’]?s|might|(?:can|could|would|will) you"
    r"|(?:going|have|has|need|needs|want|wants|plan|plans|remind me|remember|forget|try|like) to)|['’]ll)(?: [\w'’]+){0,2}$"
)
_DONE = re.compile(r"\b[a-z]{3,}ed\b")
_IRREGULAR = {
    "bought": "buy", "sold": "sell", "went": "go", "gave": "give", "took": "take", "wrote": "write", "sent": "send", "paid": "pay",
    "made": "make", "brought": "bring", "built": "build", "met": "meet", "spoke": "speak", "drove": "drive", "flew": "fly",
    "began": "begin", "quit": "quit", "left": "leave", "found": "find", "chose": "choose", "ate": "eat", "ran": "run",
}  # fmt: skip
_BEFORE_A_VERB = frozenset("please just then now also to and lyra".split())
_LONGEST_BEFORE = 48
_STATES = frozenset("loved liked hated wanted needed missed enjoyed hoped looked seemed".split())
"""Verbs that nobody orders: who writes "love it" left out who does."""


def undone(text: str, cited: Sequence[Source]) -> Iterator[str]:
    """Yield the words by which a sentence says that something was done that its sources only ask for or announce."""
    claimed = dict.fromkeys(
        word
        for clause in _CLAUSES.split(text)
        if not _OPEN.search(clause)
        for word in WORD.findall(clause)
        if word in _IRREGULAR or (_DONE.fullmatch(word) and word not in _STATES)
    )
    if not claimed:
        return
    told: dict[str, list[tuple[str, re.Match[str]]]] = {}
    for clause in (part for source in cited for part in _CLAUSES.split(source.text)):
        for word in WORD.finditer(clause):
            told.setdefault(stem(word.group().casefold()), []).append((clause, word))
    for done in claimed:
        verb = stem(_IRREGULAR.get(done, done))
        uses = [*told.get(verb, ()), *told.get(stem(done), ())]
        if uses and all(word.group().casefold() != done and _is_open(clause, word) for clause, word in uses):
            yield done


def _is_open(clause: str, verb: re.Match[str]) -> bool:
    """Return whether a clause asks for what a verb in it says, or announces it."""
    before = clause[max(0, verb.start() - _LONGEST_BEFORE) : verb.start()].rstrip()
    is_order = verb.start() < _LONGEST_BEFORE and all(word.casefold() in _BEFORE_A_VERB for word in WORD.findall(before))
    return not verb.group().endswith(("s", "ing")) and (is_order or bool(_ANNOUNCING.search(before)))
