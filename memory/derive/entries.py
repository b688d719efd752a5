"""Parsing of a model's answer into sentences with the sources each one cites."""

import re
from collections.abc import Iterable, Iterator, Sequence

from localization.sentences import lazy
from memory.errors import WriterRefused
from memory.ports import Entry
from memory.text.generated.invented import unmarked

_BULLET = re.compile(r"^[-*•‣◦–—·]\s+")
_NUMBER = re.compile(r"^\(?(\d{1,3})[.)]\s+")
_BOLD = re.compile(r"^\*\*(.+?)\*\*")
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")

_LEAD = r"(?:sources?|cit(?:es?|ed|ations?)|ref(?:s|erences?)?|labels?|messages?|lines?|see)"
# Possessive quantifiers rule out backtracking: a long run of blanks behind a bracket costs no more than its length.
_GROUP = re.compile(
    rf"(?<!\s)(?:(?<![\s(—–-])[\s(—–-]*+\b{_LEAD}\s*+:)?\s*+"
    rf"(?:\[\s*+(?:{_LEAD}\b\s*+:?)?([^][]++)\]|【([^】]++)】|\(\s*+(?:{_LEAD}\b\s*+:?)?([^()]++)\))"
    rf"|(?<![\s—–-])[\s—–-]*+\b{_LEAD}\s*+:([^][()]{{1,1000}}+)$"
    r"|(?<=[.!?…。])\s*+[—–-]?\s*+((?:[a-z]{1,3}\d{1,6}[\s,;&]*+)++)$|\[([^][()]++)$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;/&+]|\band\b", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|–|—|\.{2,3}|…|\bto\b)\s*")
_LABEL_LIKE = re.compile(r"[A-Za-z]{1,3}-?\d{1,6}")
_NUMBERED = re.compile(r"([a-z]*)-?0*(\d{1,6})")
# The label with more of the header that it stands in: [m1 · Ada], [m1: 2026-03-02].
_HEADER = re.compile(r"\s*([A-Za-z]{1,3}\d{1,6})\s*[·:|]\s")
# A sentence within the mark that stands for it in the request's form.
_TAGGED = re.compile(r"^<(sentence|fact|paragraph|line|bullet)>(.*)</\1>", re.IGNORECASE)
# What announces a sentence.
_TITLE = re.compile(
    r"^(?:(?:first|second|third|fourth|fifth|next|last)\s+(?:sentence|fact|paragraph|bullet|line)"
    r"|(?:sentence|fact|paragraph|bullet|summary|gist|satz|zusammenfassung)(?:\s*#?\d{1,3})?)\s*:\s+(?=\S)",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)]*\s*$")
_ENDING = re.compile(r"\s*[.!?…。！？]+(?=\s|$)")
_SPACE_BEFORE = re.compile(r"\s+(?=[.,;:!?](?:\s|$))")


def parse(answer: str, labels: Sequence[str]) -> list[Entry]:
    """Return the sentences of an answer with the known labels that each cites, in order.

    Bullets, numbering, several sentences per line and other spellings of citations are handled. Unknown labels are
    removed. Headings and lead-in lines (ending in a colon) are dropped. So is a sentence without citations, as long as at least
    as many others have some: one stray remark should not cost the digest, but an answer that mostly cites nothing was not
    written from its sources. In that case, and if nothing is cited at all, raises WriterRefused.
    """
    known = _Labels(labels)
    parsed: list[Entry] = []
    for line in _lines(answer):
        for entry in _sentences(line, known):
            if entry.text.endswith(":"):
                continue
            if entry.text:
                parsed.append(entry)
            elif parsed and not parsed[-1].cites:
                # A citation on a line of its own belongs to the sentence above.
                parsed[-1] = Entry(parsed[-1].text, entry.cites)
    cited = [entry for entry in parsed if entry.cites]
    if not cited:
        raise WriterRefused(lazy("The answer cites none of its sources."), answer)
    if len(parsed) > 2 * len(cited):
        raise WriterRefused(
            lazy("Only {cited} of {said} sentences of the answer cite a source.", cited=len(cited), said=len(parsed)), answer
        )
    return _once(cited)


def _once(cited: Iterable[Entry]) -> list[Entry]:
    """Return every sentence once, with what it cites wherever it stands."""
    by_words: dict[str, Entry] = {}
    for entry in cited:
        words = " ".join(_WORDS.findall(entry.text.casefold()))
        before = by_words.get(words)
        by_words[words] = Entry(before.text, tuple(dict.fromkeys((*before.cites, *entry.cites)))) if before else entry
    return list(by_words.values())


def _lines(answer: str) -> Iterator[str]:
    said = _without_repeats(answer.splitlines())
    lines = [_TAGGED.sub(r"\2", _BULLET.sub("", unmarked(raw))) for raw in said]
    numbers = [int(match[1]) for line in lines if (match := _NUMBER.match(line))]
    # Numbers count as numbering only if they are consecutive: "3. Mai" can begin a sentence.
    numbered = numbers == list(range(1, len(numbers) + 1)) and (len(numbers) > 1 or len(lines) == 1)
    for line in lines:
        line = _TITLE.sub("", _BOLD.sub(r"\1", _NUMBER.sub("", line) if numbered else line))
        if _WORD.search(line) and not line.startswith(("#", "```")) and not line.endswith(":"):
            yield line


def _without_repeats(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of an answer without repetitions of earlier lines."""
    seen: set[str] = set()
    for raw in lines:
        # Runs of blanks would cost the patterns below their length squared.
        line = " ".join(raw.split())
        words = " ".join(_WORDS.findall(_GROUP.sub("", line).casefold()))
        if words not in seen or not words:
            yield line
        seen.add(words)


class _Labels:
    """The known labels, in order."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = tuple(labels)
        self._places = {label.casefold(): place for place, label in enumerate(labels)}
        letters = {label.rstrip("0123456789").casefold() for label in labels}
        self._letter = letters.pop() if len(letters) == 1 else None
        """The letter of all labels, which some models leave out."""

    def cited(self, text: str, *, square: bool = True) -> list[str] | None:
        """Return the known labels listed in a text, or None if it is not a list of labels.

        Within `square` brackets a number alone may stand for a label, and a label for the header that it is copied with.
        """
        if square and (header := _HEADER.match(text)):
            text = header[1]
        found: list[str] = []
        for part in filter(None, (part.strip(" \t`'\"#*^") for part in _BETWEEN.split(text))):
            place = self._place(part, square=square)
            ends = [self._place(end, square=square) for end in _RANGE.split(part)]
            if place is not None:
                found.append(self._labels[place])
            elif len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                found += self._labels[ends[0] : ends[1] + 1]
            elif all(self._place(word) is not None or _LABEL_LIKE.fullmatch(word) for word in part.split()):
                found += [self._labels[at] for word in part.split() if (at := self._place(word)) is not None]
            else:
                return None
        return list(dict.fromkeys(found))

    def _place(self, written: str, *, square: bool = False) -> int | None:
        """Return the place of a label as a model writes it, None for anything else."""
        folded = written.casefold()
        numbered = _NUMBERED.fullmatch(folded)
        if folded in self._places or not numbered:
            return self._places.get(folded)
        letter = numbered[1] or (self._letter if square else None)
        return self._places.get(f"{letter}{numbered[2]}") if letter else None


def _sentences(line: str, known: _Labels) -> Iterator[Entry]:
    """Yield each sentence of a line with what it cites; an entry without text is a citation alone."""
    found = list(_citations(line, known))
    if len(found) > 1 and found[0][0] == 0 and _WORD.search(line[found[-1][1] :]):
        yield from _led(line, found)
        return
    text, cites, at = "", list[str](), 0
    for start, end, labels in [*found, (len(line), len(line), [])]:
        between = line[at:start]
        stop = _ENDING.match(between)
        # After a citation a new sentence begins if the one before has ended before or right after it. A line that begins with
        # its citation is not split: its next citation would belong to what follows.
        if cites and text.strip() and _WORD.search(between) and (stop or _ENDED.search(text)):
            cut = stop.end() if stop else 0
            yield Entry(_tidy(text + between[:cut]), tuple(cites))
            text, cites, between = "", [], between[cut:]
        text += between
        cites += [label for label in labels if label not in cites]
        at = end
    text = _tidy(text)
    if text or cites:
        yield Entry(text, tuple(cites))


def _led(line: str, found: Sequence[tuple[int, int, list[str]]]) -> Iterator[Entry]:
    """Yield each sentence of a line in which all citations stand before what rests on them."""
    cites = list[str]()
    for (_, end, labels), following in zip(found, [*(start for start, _, _ in found[1:]), len(line)], strict=True):
        cites += [label for label in labels if label not in cites]
        if text := _tidy(line[end:following]):
            yield Entry(text, tuple(cites))
            cites = []


def _citations(line: str, known: _Labels) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the span of each citation in the line, with its known labels."""
    for group in _GROUP.finditer(line):
        square, corner, round_, bare, last, unclosed = group.groups()
        labels = known.cited(square or corner or round_ or bare or last or unclosed, square=bool(square or corner or unclosed))
        # Square brackets around something like labels are meant as labels. Other spellings may be plain text.
        if labels or (labels is not None and (square or corner)):
            yield group.start(), group.end(), labels


def _tidy(text: str) -> str:
    # What a table or code around a citation left behind.
    text = _SPACE_BEFORE.sub("", " ".join(text.replace("``", "").split()).rstrip(" |"))
    return text if _WORD.search(text) else ""
