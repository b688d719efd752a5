"""Filters for what models imitate of the prompt: receipts before their lines, turns of other speakers, and echoes of it.

An echo is a heading, an instruction, the question or a recalled line before the answer.
"""

import re
from collections.abc import Iterable, Iterator

from memory.text.display_names import LYRA
from memory.text.prompt_lines import QUOTED
from memory.text.questions import is_question

_WHO = r"[^\W\d_][\w'’-]{0,20}(?: [A-ZÀ-Þ][\w'’-]{0,19})?"
_TURN = re.compile(rf"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?(?P<who>{_WHO})[*_]*:[*_]*(?=[^\S\n]|$|\n)[^\S\n]*")
_MAY_BE_TURN = re.compile(rf"^[^\S\n]*(?:[*_#>]+[^\S\n]*)?(?:{_WHO} ?[*_]*:?[*_]*)?$")
_NAME, _HERSELF = "lyra", "assistant"
_THEIRS = frozenset(("user", "human"))
_FENCE = "```"
_LEAD = re.compile(r"^[\s>|*#\"“„-]+")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")
_RECEIPT = re.compile(r"^>?\s*(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4}(?: \d\d:\d\d)?, (?P<who>[^:\n]{1,60}):\s*")
_TO_HER = re.compile(r"(?i)\b(?:you|your|lyra)\b")
_OWN = re.compile(r"(?i)\b(?:i|i['’]m|my|ich|mein\w*|yo|mis?|je|j['’]\w+|mon|ma|mes)\b")
_ASKED_FOR = re.compile(
    r"(?i)\b(?:repeat|say|quote|spell|copy|echo|correct|proofread|translate|rewrite|rephrase|exact(?:ly)?|literally|verbatim|wiederhol\w*"
    r"|zitier\w*|korrigier\w*|übersetz\w*|sag\w*|wörtlich|repite|di|traduce|répète|dis|traduis)\b|\bwhat (?:did|have) (?:i|we)\b|\bwas hab\w* (?:ich|wir)\b"
)
_GOES_ON = QUOTED.further.rstrip()
_LEAST_QUESTION, _LEAST, _LEAST_TO_HER = 3, 5, 6


class WithoutTurns:
    """A streaming filter that drops invented turns of others.

    Before the answer, Lyra's own label is stripped along with any turn invented before it. After it, the text ends where a line
    begins with "User:", or with a name that "Lyra:" answers. Lists of such labels and code blocks are kept.
    """

    def __init__(self) -> None:
        self.ended = False
        self._line = ""
        self._inside = False
        self._held = ""
        self._theirs = False
        self._before = ""
        self._fenced = False
        self._said = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        shown = ""
        for part in piece.splitlines(keepends=True):
            if self.ended:
                break
            self._line += part
            if self._inside:
                shown += self._pass(part)
            elif part.endswith("\n"):
                shown += self._judge(self._line)
            elif self._is_known():
                shown += self._judge(self._line)
                self._inside = True
            if part.endswith("\n"):
                self._line, self._inside = "", False
        return shown

    def rest(self) -> str:
        """Return what was held back, at the end of the text."""
        shown = "" if self.ended or self._inside or not self._line else self._judge(self._line)
        if self.ended:
            return shown
        # Unanswered turns: drop invented ones after an answer, and bare ones before it.
        unsaid = self._said or not _TURN.sub("", self._held).strip()
        return shown + ("" if self._theirs and unsaid else self._held)

    def _is_known(self) -> bool:
        """Return whether an incomplete line can already be classified."""
        if label := self._label(self._line):
            return self._is_hers(self._who(label), self._before) and bool(self._line[label.end() :].strip())
        begun = self._line.strip()
        return bool(begun) and not (self._theirs or _FENCE.startswith(begun) or _MAY_BE_TURN.match(self._line))

    def _is_hers(self, who: str, listed: str) -> bool:
        """Return whether a label is Lyra's own; a bare "Assistant:" may also be an entry in a list of roles."""
        return (bool(self._held) or not listed) and (who == _NAME or (who == _HERSELF and (self._theirs or not self._said)))

    def _label(self, line: str) -> re.Match[str] | None:
        return None if self._fenced else _TURN.match(line)

    def _who(self, label: re.Match[str] | None) -> str:
        return label["who"].strip().casefold() if label else ""

    def _pass(self, text: str) -> str:
        self._said = self._said or bool(text.strip())
        return text

    def _judge(self, line: str) -> str:
        """Return the text that can be shown once a line is complete, including what was held back."""
        if line.lstrip().startswith(_FENCE):
            self._fenced = not self._fenced
        label = self._label(line)
        who = self._who(label)
        listed, self._before = self._before, (who if line.strip() else self._before)
        if label and self._is_hers(who, listed):
            return self._hers(line, label.end())
        # Further lines of an invented turn belong to it.
        if self._held and (not line.strip() or (self._theirs and (not who or who in _THEIRS))):
            self._held += line
            return ""
        held, self._held, self._theirs = self._held, "", False
        if who and not listed:
            self._held, self._theirs = line, who in _THEIRS
            return self._pass(held) if held else ""
        return self._pass(held + line)

    def _hers(self, line: str, end: int) -> str:
        """Process a line that begins with Lyra's label."""
        self._held, self._theirs = "", False
        self.ended = self._said
        return "" if self.ended else self._pass(line[end:])


_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.+Z-]*"
_DAY = r"(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4} \d\d:\d\d"
_MARKS = r"(?:[|>][|>\s]*)?"
# For example: [m1] 2026-11-20T21:04+01:00 · Ada |, and 20 November 2026 21:04, Ada:
_SOURCE = rf"(?:\[[^][\n]*\]\s*)?{_ISO}\s*(?:·[^|:\n]{{1,40}}(?:[|:]|$))?"
_QUOTED = rf"{_DAY}, [^|:\n]{{1,40}}:"
_OF_A_DIGEST = re.compile(rf"^{_MARKS}(?:(?:{_SOURCE}|{_QUOTED})\s*)*")
_LABEL = r"\[[a-gm-s]\d{1,3}\](?!\(|:)"
_OF_AN_ANSWER = re.compile(rf"^(?:{_MARKS}(?:{_SOURCE.removesuffix('?')}|{_QUOTED}|{_LABEL})[^\S\n]*)+")
# An incomplete line that may still become such a receipt.
_BEGUN = re.compile(
    rf"^[^\S\n]*{_MARKS}(?:\[[^][\n]*\][^\S\n]*{_MARKS})*(?:\[[^][\n]*)?(?:[^\W\d]+,? ?)?(?:\d{{1,4}}(?:[- ][^\n]{{0,70}})?)?$"
)


def unmarked(line: str) -> str:
    """Return a line of a digest without leading receipts and marks."""
    return _OF_A_DIGEST.sub("", line)


class WithoutReceipts:
    """A streaming filter that drops receipts from the beginning of lines. A possible receipt is held back."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        shown = ""
        for part in piece.splitlines(keepends=True):
            ends = part.endswith("\n")
            if self._inside:
                shown += part
            else:
                self._held += part
                shown += self._known(whole=ends)
            self._inside = self._inside and not ends
        return shown

    def rest(self) -> str:
        """Return what was held back, at the end of the answer."""
        return self._known(whole=True)

    def _known(self, *, whole: bool) -> str:
        if not whole and not self._held[:1].isalpha() and _BEGUN.match(self._held):
            return ""
        known, self._held, self._inside = _OF_AN_ANSWER.sub("", self._held), "", True
        return known


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
