"""Split long text into parts a platform accepts: cut where a reader would pause, with code fences and marks closed and reopened."""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from adapters.spoilers import kept_hidden, room_for_marks

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MARKER = r" *(?:[-*+]|\d{1,9}[.)]) +"
_ITEM = re.compile(_MARKER)
_FENCE = re.compile(rf"(?P<lead>(?P<item>(?:{_MARKER})*) *)(?P<mark>`{{3,}}(?=[^`]*$)|~{{3,}})(?P<info>.*)")
_HEADING = re.compile(r"\s*#{1,6}\s[^\n]*\s*")
_LONGEST_MARK = 100
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
# A mark of a run such as bold, or what has none or ends all: an escape, a URL, a new block.
_MARK = re.compile(
    r"\\.|<[^\s<>]+>|(?<!\w)\w+://\S+|(?P<block>\n\s*(?:[-*+>#|]|\d+[.)]|\n))|(?P<mark>`+|\*\*|\*|__|_|~~|\|\|)", re.DOTALL
)
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*\s*\Z")

_Cutter = Callable[[str], Iterable[str]]


def split(text: str, most: int) -> list[str]:
    """Split Markdown into parts of at most `most` UTF-16 units (16 or more), in order; a text that fits is its only part.

    Cuts fall between blocks, else between list items, lines, sentences, words; a link, a mention or a code span is cut only
    if it is longer than a part. A code fence or a bold run that must be cut, or one of another mark, is closed, and reopened
    in the next part; so is a spoiler of several blocks. Only whitespace at the cuts is lost; text that a cut alone would
    turn into a fence is escaped. A blank text has no parts.
    """
    if units(text) <= most:
        return [text] if text.strip() else []
    most -= (room := room_for_marks(text, most))
    parts = _Parts(most)
    for block in _with_headings(_blocks(text, most // 8), most):
        if isinstance(block, _Code) and units(str(block).strip()) > most:
            parts.add_code(block)
        elif isinstance(block, _Code):
            parts.add(str(block), ())
        else:
            parts.add_prose(block)
    return kept_hidden(parts.all()) if room else parts.all()


def closed(text: str) -> str:
    """Return Markdown with its last code fence closed, for a text that is still being written."""
    return "".join(map(str, _blocks(text, _LONGEST_MARK)))


@dataclass(frozen=True, slots=True)
class _Code:
    """A fenced block, always closed: its opening line, body and closing line, and the line that reopens it."""

    opening: str
    body: str
    closing: str
    again: str

    def __str__(self) -> str:
        return self.opening + self.body + self.closing


class _Parts:
    """Fills parts one after another. While a head is set, each part begins with it and ends with the tail."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._done: list[str] = []
        self._pieces: list[str] = []
        self._used = 0
        self._head = ""
        self._tail = ""
        self._runs: deque[_Run] = deque()
        self._begun: dict[str, _Run] = {}
        self._taken = 0
        self._spare = 0

    def add_prose(self, block: str) -> None:
        """Append a block; where it is cut between two marks of a kind, each part has them."""
        runs, self._taken = sorted(_runs(block)) if units(block) > self._most else [], 0
        spare = sum(map(len, {mark for _, _, mark in runs}))
        if 4 * spare <= self._most:
            self._runs, self._spare = deque(runs), spare
        self.add(block, _PROSE)
        self._runs, self._begun, self._spare = deque(), {}, 0

    def add(self, text: str, cutters: Sequence[_Cutter]) -> None:
        """Append a text whole, in a new part if needed, or cut it with the first of the cutters."""
        fresh = _LOOKS_FENCED.sub(r"\\", text) if cutters and not self._head else text
        room = self._most - units(self._tail) - self._spare
        if self._pieces and self._used + units(text if self._head else text.rstrip()) <= room:
            self._append(text)
        elif self._spare + units(self._head) + units(fresh if self._head else fresh.strip()) <= room:
            self._end_part()
            self._append(fresh if self._head else fresh.lstrip())
        else:
            for piece in cutters[0](text):
                self.add(piece, cutters[1:])
            return
        self._taken += len(text)

    def add_code(self, code: _Code) -> None:
        """Append a fenced block that is longer than a part."""
        first = code.body[: code.body.find("\n") + 1]
        wanted = units(code.opening + first + code.closing)
        if self._used + (wanted if wanted <= self._most else self._most // 2) > self._most:
            self._end_part()
        self._append(code.opening)
        self._head, self._tail = code.again, "\n" + code.closing.rstrip()
        for line in _LINE.findall(code.body):
            self.add(line, _CODE)
        closing = self._tail.removeprefix("\n")
        self._head = self._tail = ""
        self._append(closing + "\n")

    def all(self) -> list[str]:
        """End the last part, and return all parts."""
        self._end_part()
        return self._done

    def _append(self, text: str) -> None:
        if self._pieces or text.strip():
            self._pieces.append(text)
            self._used += units(text)

    def _end_part(self) -> None:
        text = "".join(self._pieces)
        if self._head:
            text = text.removesuffix("\n") + self._tail
            # The list item that indented the fence stays behind in the first part.
            self._tail = "\n" + self._tail.strip()
        while self._runs and self._runs[0][0] < self._taken:
            run = self._runs.popleft()
            self._begun[run[2]] = run
        marks = [mark for start, end, mark in sorted(self._begun.values()) if start + len(mark) < self._taken < end - len(mark)]
        if text.strip():
            self._done.append(text.strip() + "".join(reversed(marks)))
        head = self._head + "".join(marks)
        self._pieces = [head] if head else []
        self._used = units(head)


_Run = tuple[int, int, str]
"""Where a run begins and ends, and its mark."""


def _runs(block: str) -> Iterator[_Run]:
    """Yield what stands between two marks of a kind, such as bold text or code."""
    opened, code = dict[str, int](), ""
    for found in _MARK.finditer(block):
        mark, start, end = found["mark"], found.start(), found.end()
        if found["block"]:
            opened, code = {}, ""
        elif mark and code in ("", mark):
            is_code, before, after = mark[0] == "`", block[start - 1 : start], block[end : end + 1]
            if mark in opened and (is_code or not before.isspace()):
                yield opened.pop(mark), end, mark
                code = ""
            elif is_code or not (after.isspace() or (mark[0] == "_" and before.isalnum())):
                opened[mark] = start
                code = mark if is_code else ""


def _blocks(text: str, longest_mark: int) -> Iterator[str | _Code]:
    """Split a text at blank lines outside list items, and around fenced code."""
    lines = iter(_LINE.findall(text))
    block: list[str] = []
    margin, blank = 0, False
    for line in lines:
        fence = _FENCE.match(line.rstrip())
        item = _ITEM.match(line)
        margin = item.end() if item else margin if line[0].isspace() else 0
        if fence and len(fence["mark"]) <= longest_mark and (fence["item"] or len(fence["lead"]) <= margin + 3):
            yield "".join(block)
            block = []
            yield _code(fence, lines, min(margin, len(fence["lead"])), 2 * longest_mark)
        else:
            if blank and line.strip() and (not margin or _indent(line) < margin):
                yield "".join(block)
                block = []
            block.append(line)
        blank = not line.strip()
    yield "".join(block)


def _code(fence: re.Match[str], lines: Iterator[str], margin: int, longest_opening: int) -> _Code:
    """Consume the lines of a fenced block up to its end; an overlong opening line continues inside."""
    mark, info = fence["mark"], fence["info"]
    body: list[str] = []
    closing = " " * len(fence["lead"]) + mark + "\n"
    for line in lines:
        bare = line.strip()
        if len(bare) >= len(mark) and not bare.strip(mark[0]) and _indent(line) <= margin + 3:
            closing = line if len(bare) == len(mark) else closing
            break
        body.append(line if line.endswith("\n") else line + "\n")
    if units(fence[0]) > longest_opening:
        return _Code(fence["lead"] + mark + "\n", "".join([info, "\n", *body]), closing, mark + "\n")
    return _Code(fence[0] + "\n", "".join(body), closing, mark + info + "\n")


def _with_headings(blocks: Iterable[str | _Code], most: int) -> Iterator[str | _Code]:
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
        if _ITEM.match(line) and (outermost is None or _indent(line) <= outermost):
            yield "".join(item)
            item = []
            outermost = _indent(line)
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


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def units(text: str) -> int:
    """Return the length of a text in UTF-16 units, as platforms count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


_CODE: tuple[_Cutter, ...] = (_WORD.findall, _graphemes, list)
_PROSE: tuple[_Cutter, ...] = (_items, _LINE.findall, _sentences, _WORD.findall, _atoms, _graphemes, list)
