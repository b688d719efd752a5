"""Filter for echoes of the prompt before an answer: headings, instructions, the question, recalled lines."""

import re
from collections.abc import Iterable, Iterator

from memory.text.display_names import LYRA
from memory.text.prompt_lines import QUOTED
from memory.text.questions import is_question

_LEAD = re.compile(r"^[\s>|*#\"“„-]+")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_RECEIPT = re.compile(r"^>?\s*(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4}(?: \d\d:\d\d)?, (?P<who>[^:\n]{1,60}):\s*")
_TO_HER = re.compile(r"(?i)\b(?:you|your|lyra)\b")
_OWN = re.compile(r"(?i)\b(?:i|i['’]m|my|ich|mein\w*|yo|mis?|je|j['’]\w+|mon|ma|mes)\b")
_ASKED_FOR = re.compile(
    r"(?i)\b(?:repeat|say|quote|spell|copy|echo|correct|proofread|translate|rewrite|rephrase|exact(?:ly)?|literally|verbatim|wiederhol\w*"
    r"|zitier\w*|korrigier\w*|übersetz\w*|sag\w*|wörtlich|repite|di|traduce|répète|dis|traduis)\b|\bwhat (?:did|have) (?:i|we)\b|\bwas hab\w* (?:ich|wir)\b"
)
# The line that tells the day, as a whole: its first sentence alone may be an answer.
_TODAY = re.compile(
    r"^Today is (?P<day>[^\W\d]+, \d\d [^\W\d]+ \d{4}), \d\d:\d\d\. (?P<asked>(?P<from>The message at the end is from .+?), whom .+)$"
)
_GOES_ON = QUOTED.further.rstrip()
_LEAST_QUESTION, _LEAST, _LEAST_TO_HER = 3, 5, 6


def repeatable(system: Iterable[str], said: Iterable[str], asked: str) -> frozenset[str]:
    """Return the lines and sentences of a prompt that no answer should begin with.

    `system` are the instructions, `said` are people's turns. Empty if the message asks for something to be repeated.
    """
    if _ASKED_FOR.search(asked):
        return frozenset()
    return frozenset(
        _plain(one)
        for one in (
            *(one for text in system for one in _of_system(text)),
            *(one for text in said for one in _of_people(text)),
        )
    ) - {""}


def _of_system(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.rstrip().endswith(":"):
            yield line
        yield from (one for one in _SENTENCE.split(line) if _TO_HER.search(one) and len(one.split()) >= _LEAST_TO_HER)


def _of_people(text: str) -> Iterator[str]:
    hers = False
    for line in text.splitlines():
        receipt = _RECEIPT.match(line)
        # A reply of hers may legitimately be her answer again.
        hers = receipt["who"].rpartition(", ")[2] == LYRA if receipt else hers and line.startswith(_GOES_ON)
        told = line[receipt.end() :] if receipt else line
        if receipt or line.rstrip().endswith(":"):
            yield line
        if today := _TODAY.match(line):
            yield from (line, today["asked"], f"{today['day']}:")
            # With the names as a model writes them, and the full stop that then ends it.
            yield from (f"{one}." for one in (today["from"], today["from"].replace('"', "")))
        yield from (one for one in (told, *_SENTENCE.split(told)) if not hers and _is_theirs(one))


def _is_theirs(one: str) -> bool:
    words = len(one.split())
    return (is_question(one) and words >= _LEAST_QUESTION) or (words >= _LEAST and _OWN.search(one) is not None)


def _plain(text: str) -> str:
    return " ".join(_LEAD.sub("", text).casefold().split())


class WithoutEcho:
    """A streaming filter that drops echoes of the prompt from the beginning of an answer.

    Text that may still turn out to be an echo is held back.
    """

    def __init__(self, repeatable: frozenset[str]) -> None:
        self._entries = sorted(repeatable, key=len, reverse=True)
        self._held = ""
        self._open = not repeatable

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        if self._open:
            return piece
        self._held += piece
        return self._known(whole=False)

    def rest(self) -> str:
        """Return what was held back, at the end of the answer."""
        return "" if self._open else self._known(whole=True)

    def _known(self, *, whole: bool) -> str:
        while True:
            plain = _plain(self._held)
            if not whole and any(one.startswith(plain) for one in self._entries):
                return ""
            found = next((one for one in self._entries if plain.startswith(one) and _ends(plain, one)), None)
            if found is None:
                self._open = True
                return self._held
            self._held = _after(self._held, found)
            if whole and not self._held.strip():
                return ""


def _ends(plain: str, entry: str) -> bool:
    """Return whether an entry matches up to a word boundary."""
    return len(plain) == len(entry) or not (plain[len(entry)].isalnum() and entry[-1].isalnum())


def _after(text: str, entry: str) -> str:
    """Return the text after an entry that it begins with."""
    words = iter(entry.split())
    at = len(text) - len(_LEAD.sub("", text))
    for word in words:
        while text[at : at + 1].isspace():
            at += 1
        at = next(end for end in range(at + 1, len(text) + 1) if text[at:end].casefold() == word)
    return text[at:].lstrip('"”“ \t').lstrip("\n")
