"""Filters for echoes of the prompt before an answer: headings, instructions, the question, recalled lines."""

from collections.abc import Iterable, Iterator

from memory.text.display_names import LYRA
from memory.text.function_words import FIRST_PERSON
from memory.text.generated.stream_filters import OpeningFilter, StreamFilter
from memory.text.lazy_patterns import lazy_pattern
from memory.text.prompt_lines import QUOTED
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences

_LEAD = lazy_pattern(r"^[\s>|*#\"“„-]+")
_RECEIPT = lazy_pattern(r"^>?\s*(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4}(?: \d\d:\d\d)?, (?P<who>[^:\n]{1,60}):\s*")
_TO_HER = lazy_pattern(r"(?i)\b(?:you|your|lyra)\b")
_OWN = lazy_pattern(rf"(?i)\b(?:{FIRST_PERSON})\b")
_ASKED_FOR = lazy_pattern(
    r"(?i)\b(?:repeat|say|quote|spell|copy|echo|correct|proofread|translate|rewrite|rephrase|exact(?:ly)?|literally|verbatim|wiederhol\w*"
    r"|zitier\w*|korrigier\w*|übersetz\w*|sag\w*|wörtlich|repite|di|traduce|répète|dis|traduis)\b|\bwhat (?:did|have) (?:i|we)\b|\bwas hab\w* (?:ich|wir)\b"
)
# The line that tells the day, as a whole: its first sentence alone may be an answer.
_TODAY = lazy_pattern(
    r"^Today is (?P<day>[^\W\d]+, \d\d [^\W\d]+ \d{4}), \d\d:\d\d\. (?P<asked>(?P<from>The message at the end is from .+?), whom .+)$"
)
# The same line anywhere, or at the end what may still become it.
_MOMENT = lazy_pattern(
    r"Today is [^\W\d]+, \d\d [^\W\d]+ \d{4}, \d\d:\d\d\. (?P<whole>The message at the end is from )"
    r"|(?:Today is[^\n]{0,100}|\b(?:T|To|Tod|Toda|Today|Today |Today i))$"
)
_GOES_ON = QUOTED.further.rstrip()
_LABEL = lazy_pattern(r"^(?:> )?[\"“„]?(?P<who>[^\W\d_][^:\"”\n]{0,30})[\"”]?: ")
_LEAST_QUESTION, _LEAST, _LEAST_TO_HER = 3, 5, 6
_MOST_ECHOES, _MOST_WORDS = 4, 40
"""How many lines or sentences of a prompt, and how many words, may be repeated before an answer; more stand in place of one."""
_SOURCE = lazy_pattern(r"\[\w+\] \d{4}-\d\d-\d\dt\d\d:")
_LEAST_OF_RULES, _MOST_LOOKED_AT = 10, 2_000


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
        yield from (one for one in sentences(line) if _TO_HER.search(one) and len(one.split()) >= _LEAST_TO_HER)


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
        label = _LABEL.match(told)
        labelled = [told[label.end() :]] if label and label["who"] != LYRA else []
        yield from (one for text in (told, *labelled) for one in (text, *sentences(text)) if not hers and _is_theirs(one))


def _is_theirs(one: str) -> bool:
    words = len(one.split())
    return (is_question(one) and words >= _LEAST_QUESTION) or (words >= _LEAST and _OWN.search(one) is not None)


def _plain(text: str) -> str:
    return " ".join(_LEAD.sub("", text).casefold().split())


class WithoutEcho(OpeningFilter):
    """A streaming filter that drops echoes of the prompt from the beginning of an answer.

    Text that may still turn out to be an echo is held back. An answer that goes on echoing is `ended`. With an echo go the labels
    before it with hers or one of these `names`, as a conversation of several people has them.
    """

    def __init__(self, repeatable: frozenset[str], names: Iterable[str] = ()) -> None:
        super().__init__(is_open=not repeatable)
        self._echoes: list[str] = []
        self._names = frozenset(map(str.casefold, (LYRA, *names)))
        self._entries = sorted(repeatable, key=len, reverse=True)

    def _known(self, *, final: bool) -> str:
        while not self.ended:
            held = self._held
            while (label := _LABEL.match(held)) and label["who"].casefold() in self._names:
                held = held[label.end() :]
            plain = _plain(held)
            if not final and (any(one.startswith(plain) for one in self._entries) or self._may_be_named(held)):
                return ""
            found = next((one for one in self._entries if plain.startswith(one) and _ends(plain, one)), None)
            if final and self._breaks_off(plain):
                return ""
            if found is None:
                self._open = True
                return self._held
            self._held = _after(held, found)
            self._echoes.append(found)
            self.ended = len(self._echoes) >= _MOST_ECHOES and sum(len(one.split()) for one in self._echoes) >= _MOST_WORDS
            if final and not self._held.strip():
                return ""
        return ""

    def _breaks_off(self, plain: str) -> bool:
        """Return whether a text is an echo that was cut off before its end."""
        ended = plain.endswith((".", "!", "?", "…", ":"))
        return not ended and len(plain.split()) >= _LEAST and any(one.startswith(plain) for one in self._entries)

    def _may_be_named(self, held: str) -> bool:
        """Return whether a text may be the beginning of a label."""
        begun = held.casefold().lstrip('"“„').replace("”", '"')
        return any(f"{name}{end}".startswith(begun) for name in self._names for end in (": ", '": '))


def _ends(plain: str, entry: str) -> bool:
    """Return whether an entry matches up to a word boundary."""
    return len(plain) == len(entry) or not (plain[len(entry)].isalnum() and entry[-1].isalnum())


def _after(text: str, entry: str) -> str:
    words = iter(entry.split())
    at = len(text) - len(_LEAD.sub("", text))
    for word in words:
        while text[at : at + 1].isspace():
            at += 1
        at = next(end for end in range(at + 1, len(text) + 1) if text[at:end].casefold() == word)
    return text[at:].lstrip('"”“ \t').lstrip("\n")


class UpToMoment(StreamFilter):
    """A streaming filter that ends an answer where it goes on with the line of its prompt that tells the time and who asks."""

    def _known(self, *, final: bool) -> str:
        line = None if final else _MOMENT.search(self._held)
        self.ended = line is not None and line["whole"] is not None
        shown = self._held[: line.start()] if line else self._held
        self._held = self._held[len(shown) :]
        return shown


class CopyDetector:
    """A streaming filter that ends a digest which begins as a copy of its request, and has no more to come but that.

    Ten words of the rules are such a beginning, a line of them, and two headers of sources with what stands between these. What it has
    read until then is passed on, so that it is told why the digest is refused.
    """

    def __init__(self, rules: str, data: str) -> None:
        self.ended = False
        self._lines = frozenset(line for line in rules.splitlines() if len(line.split()) > 1)
        self._rules = f" {' '.join(rules.casefold().split())}"
        self._data = f" {' '.join(data.casefold().split())}"
        self._begun = ""
        self._open = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far: all of it until it has ended."""
        if self.ended:
            return ""
        if not self._open:
            self._begun += piece
            begun = f" {' '.join(self._begun.casefold().split())}"
            in_rules, in_data = begun in self._rules, begun in self._data
            line, ends, _ = self._begun.lstrip().partition("\n")
            self.ended = (in_rules and begun.count(" ") > _LEAST_OF_RULES) or (in_data and len(_SOURCE.findall(begun)) > 1)
            self.ended = self.ended or (bool(ends) and line.strip() in self._lines)
            self._open = not (in_rules or in_data) or len(self._begun) > _MOST_LOOKED_AT
        return piece
