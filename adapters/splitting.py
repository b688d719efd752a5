"""Split long text into parts a platform accepts: cut where a reader would pause, with code fences and marks closed and reopened."""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from adapters.markdown_structure import LIST_MARKER, SPOILER, Block, FencedCode, Run, blocks, indent, runs, with_spoiler_closed
from adapters.markup import units

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ITEM = re.compile(LIST_MARKER)
_HEADING = re.compile(r"\s*#{1,6}\s[^\n]*\s*")
_SPACE = re.compile(r"\s*")
_PAUSES = "。！？；，、"
# What stays whole: code spans, links, mentions and emoji, bare URLs.
_WHOLE = (
    r"```[^`\n]+```|``[^`\n]+(?:`[^`\n]+)*+``|`[^`\n]+`"
    r"|!?\[[^\[\]\n]*\]\([^\s()]*+(?:\([^\s()]*\)[^\s()]*+)*+(?:[ \t]+\"[^\"\n]*\")?\)"
    r"|<[^\s<>]+>"
    rf"|(?<![A-Za-z+.-])[A-Za-z][A-Za-z+.-]*+://[^\s<>()（）{_PAUSES}]+"
)
_WORD = re.compile(rf"(?>{_WHOLE}|[^\s{_PAUSES}])++[{_PAUSES}]*\s*|[{_PAUSES}]+\s*|\s+")
_ATOM = re.compile(rf"(?P<whole>{_WHOLE})|.", re.DOTALL)
_LOOKS_FENCED = re.compile(r"\A\s*(?=```|~~~)")
# What is a list, a table or code only at the beginning of a line.
_BEGINS_BLOCK = re.compile(r"\s*(?:[-*+>#~`|]|\d+[.)])")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*\s*\Z")

_Cutter = Callable[[str], Iterable[str]]


def split(text: str, most: int) -> list[str]:
    """Split Markdown into parts of at most `most` UTF-16 units (16 or more), in order; a text that fits is its only part.

    Cuts fall between blocks, else between list items, lines, sentences, words; a link, a mention or a code span is cut only
    if it is longer than a part. A code fence, a bold run, a spoiler or a run of another mark that must be cut is closed, and
    reopened in the next part. Only whitespace at the cuts is lost; text that a cut alone would turn into a fence is
    escaped. A blank text has no parts.
    """
    if units(text) <= most:
        return [text] if text.strip() else []
    found = list(blocks(text, most // 8))
    parts = _Parts("".join(map(str, found)), most, _runs_to_cut(found, most))
    for block in _with_headings(found, parts.longest):
        if isinstance(block, FencedCode) and units(str(block).strip()) > parts.longest:
            parts.add_code(block)
        else:
            parts.add(str(block), () if isinstance(block, FencedCode) else _PROSE)
    return parts.all()


def _runs_to_cut(found: Sequence[Block], most: int) -> list[Run]:
    """Return the runs that a cut may fall into; only spoilers where parts are too short for more marks."""
    all_runs = runs(found)
    longest = most - 2 * _room(all_runs)
    cut: list[Run] = []
    waiting = deque(all_runs)
    end = 0
    for block in found:
        end += len(str(block))
        while waiting and waiting[0].start < end:
            run = waiting.popleft()
            if run.end > end or units(str(block)) > longest:
                cut.append(run)
    return cut if 4 * _room(cut) <= most else [run for run in cut if run.mark == SPOILER]


def _room(some: Iterable[Run]) -> int:
    """Return how many units the marks take at one end of a part; that of a spoiler may need a line of its own."""
    return sum(len(mark) + (mark == SPOILER) for mark in {run.mark for run in some})


class _Parts:
    """Fills parts one after another with a text, from its beginning to its end.

    While code is cut, each part begins with the head and ends with the tail. Runs that are open at a cut are closed there and
    reopened in the next part; a mark with nothing but whitespace between it and the cut moves to the other side.
    """

    def __init__(self, text: str, most: int, cut: Sequence[Run]) -> None:
        self._text = text
        self._most = most
        self._room = _room(cut)
        self._waiting = deque(cut)
        self._open: list[Run] = []
        self._taken = 0
        self._closed_until = 0
        self._done: list[str] = []
        self._pieces: list[str] = []
        self._used = 0
        self._begun = False
        self._head = ""
        self._tail = ""

    @property
    def longest(self) -> int:
        """How many units always fit into a new part."""
        return self._most - 2 * self._room

    def add(self, text: str, cutters: Sequence[_Cutter]) -> None:
        """Append a text whole, in a new part if needed, or cut it with the first of the cutters."""
        if self._taken < self._closed_until:
            text = self._without_closed(text)
        fresh = (_LOOKS_FENCED.sub(r"\\", text) if cutters else text).lstrip() if not self._head else text
        room = self._most - units(self._tail) - self._room
        if self._begun and self._used + units(text if self._head else text.rstrip()) <= room:
            self._append(text, text)
        elif self._begun and self._room + units(self._head) + units(fresh if self._head else fresh.rstrip()) <= room:
            self._end_part()
            self.add(text, cutters)
        elif not self._begun and self._used + units(fresh if self._head else fresh.rstrip()) <= room:
            self._append(text, fresh)
        else:
            for piece in cutters[0](text):
                self.add(piece, cutters[1:])

    def add_code(self, code: FencedCode) -> None:
        """Append a fenced block that is longer than a part."""
        end = self._taken + len(str(code))
        first = code.body[: code.body.find("\n") + 1]
        wanted = units(code.opening + first + code.closing)
        if self._begun and self._used + (wanted if wanted <= self.longest else self.longest // 2) > self._most - self._room:
            self._end_part()
        self._append(code.opening, code.opening)
        self._head, self._tail = code.reopening, "\n" + code.closing.rstrip()
        for line in _LINE.findall(code.body):
            self.add(line, _CODE)
        closing = self._tail.removeprefix("\n")
        self._head = self._tail = ""
        self._append("", closing + "\n")
        self._taken = end

    def all(self) -> list[str]:
        """End the last part, and return all parts."""
        self._end_part()
        return self._done

    def _append(self, text: str, shown: str) -> None:
        """Take a text, and show it in this part as it stands here."""
        self._taken += len(text)
        if self._begun or self._head or shown.strip():
            self._pieces.append(shown)
            self._used += units(shown)
            self._begun = True

    def _without_closed(self, text: str) -> str:
        """Take the marks that were closed before the cut already, and return the rest of a text."""
        closed = text[: self._closed_until - self._taken]
        self._taken += len(closed)
        return text[len(closed) :]

    def _end_part(self) -> None:
        """Close what is open, and begin the next part with it, unless this one has only begun."""
        if not self._begun:
            return
        text = "".join(self._pieces)
        if self._head:
            text = text.removesuffix("\n") + self._tail
            # The list item that indented the fence stays behind in the first part.
            self._tail = "\n" + self._tail.strip()
        while self._waiting and self._waiting[0].start < self._taken:
            self._open.append(self._waiting.popleft())
        self._open = [run for run in self._open if run.end > self._taken]
        if text := self._with_marks_closed(text.strip()):
            self._done.append(text)
        head = self._marks_reopened() + self._head
        self._pieces = [head] if head else []
        self._used = units(head)
        self._begun = False

    def _with_marks_closed(self, part: str) -> str:
        """Return a part with the marks of what is open closed, without those that open nothing in it."""
        cut = self._taken
        for run in reversed(self._open):
            if self._is_blank(run.inner_start, cut):
                part = part.removesuffix(run.mark).rstrip()
                cut = run.start
            else:
                part = with_spoiler_closed(part) if run.mark == SPOILER else part + run.mark
        return part

    def _marks_reopened(self) -> str:
        """Return the marks that the next part begins with; those of which only the closing mark is left are done."""
        while self._open and self._is_blank(max(self._taken, self._closed_until), self._open[-1].inner_end):
            self._closed_until = self._open.pop().end
        own_line = self._head or _BEGINS_BLOCK.match(self._text, max(self._taken, self._closed_until))
        return "".join(f"{run.mark}\n" if run.mark == SPOILER and own_line else run.mark for run in self._open)

    def _is_blank(self, start: int, end: int) -> bool:
        space = _SPACE.match(self._text, start)
        return space is not None and space.end() >= end


def _with_headings(blocks: Iterable[Block], most: int) -> Iterator[Block]:
    """Join a heading with the block below it if both fit into a part."""
    above = ""
    for block in blocks:
        if above and units(above + str(block)) > most:
            yield above
            above = ""
        if isinstance(block, str) and _HEADING.fullmatch(above + block):
            above += block
        else:
            yield above + str(block) if above else block
            above = ""
    yield above


def _items(block: str) -> Iterator[str]:
    """Split a block before the items of its outermost list."""
    item: list[str] = []
    outermost: int | None = None
    for line in _LINE.findall(block):
        if _ITEM.match(line) and (outermost is None or indent(line) <= outermost):
            yield "".join(item)
            item = []
            outermost = indent(line)
        item.append(line)
    yield "".join(item)


def _sentences(line: str) -> Iterator[str]:
    """Split a line after the words that end a sentence."""
    sentence: list[str] = []
    for word in _WORD.findall(line):
        sentence.append(word)
        if _SENTENCE_END.search(word):
            yield "".join(sentence)
            sentence = []
    yield "".join(sentence)


def _atoms(word: str) -> Iterator[str]:
    """Split a word around the links, mentions and code in it."""
    plain: list[str] = []
    for match in _ATOM.finditer(word):
        if match["whole"]:
            yield "".join(plain)
            plain = []
            yield match[0]
        else:
            plain.append(match[0])
    yield "".join(plain)


def _graphemes(text: str) -> Iterator[str]:
    """Split a text into user-perceived characters: combining marks, joined emoji and flags stay together."""
    seen = ""
    for c in text:
        flag = "\U0001f1e6" <= c <= "\U0001f1ff"
        joined = (
            unicodedata.category(c) in ("Mn", "Mc", "Me")
            or c == "\u200d"
            or seen.endswith("\u200d")
            or "\U0001f3fb" <= c <= "\U0001f3ff"
            or "\U000e0020" <= c <= "\U000e007f"
            or (c in "`~" and seen.endswith(c))
            or (flag and len(seen) == 1 and "\U0001f1e6" <= seen <= "\U0001f1ff")
        )
        if joined:
            seen += c
        else:
            yield seen
            seen = c
    yield seen


_CODE: tuple[_Cutter, ...] = (_WORD.findall, _graphemes, list)
_PROSE: tuple[_Cutter, ...] = (_items, _LINE.findall, _sentences, _WORD.findall, _atoms, _graphemes, list)
