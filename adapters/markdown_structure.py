"""The structure of a Markdown text: its blocks, with fenced code apart, and the runs of text between two marks."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from adapters.markup import units

SPOILER = "||"
# All blanks behind a marker are its own: "-   -   -   x" would be read in four ways a marker otherwise, which no text ends.
LIST_MARKER = r" *(?:[-*+]|\d{1,9}[.)]) ++"
_LIST_ITEM = re.compile(LIST_MARKER)
# "||```" hides code: on Discord the fence need not begin its line.
_LINE = re.compile(r"(?m:^ {0,3}\|\|(?=`{3}))|[^\n]*\n|[^\n]+")
_FENCE = re.compile(rf"(?P<lead>(?P<item>(?:{LIST_MARKER})*) *)(?P<mark>`{{3,}}(?=[^`]*$)|~{{3,}})(?P<info>.*)")
_LONGEST_FENCE = 100
# What opens or closes a run, what ends all runs (another block), and what is neither (an escape, a URL).
_EMPHASIS = re.compile(
    r"\\.|<[^\s<>]+>|(?<!\w)\w+://\S+|(?P<block>\n\s*(?:[-*+][ \t]|[>#]|\|(?!\|)|\d+[.)]))|(?P<blank>\n\s*\n)"
    r"|(?P<mark>`+|\*\*|\*|__|_|~~)",
    re.DOTALL,
)
_OVER_PARAGRAPHS = ("**", "__", "~~")
# In a row of a table, in code and behind a backslash "||" hides nothing; between two blanks it opens no spoiler.
_SPOILER = re.compile(
    r"(?P<code>`++)[^`]+(?P=code)|\\.|^[ \t]*\|(?!\|)[^\n]*$|(?P<blanks>(?<=\S) (?=\|\| ))?(?P<mark>\|\|)",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class FencedCode:
    """A fenced block, always closed: its opening line, body and closing line, and the line that reopens it."""

    opening: str
    body: str
    closing: str
    reopening: str

    def __str__(self) -> str:
        return self.opening + self.body + self.closing


Block = str | FencedCode


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """Text between two marks of a kind, such as bold text or a spoiler: where its marks begin and end."""

    start: int
    end: int
    mark: str

    @property
    def inner_start(self) -> int:
        """Where the text behind the opening mark begins."""
        return self.start + len(self.mark)

    @property
    def inner_end(self) -> int:
        """Where the closing mark begins."""
        return self.end - len(self.mark)


def closed(text: str) -> str:
    """Return Markdown with its last code fence and spoiler closed, for a text that is still being written."""
    found = list(blocks(text))
    text, marks = "".join(map(str, found)), _spoiler_marks(found)
    if len(marks) % 2 == 0:
        return text
    if not text[marks[-1] + len(SPOILER) :].strip():
        return text[: marks[-1]]
    return with_spoiler_closed(text.rstrip())


def with_spoiler_closed(text: str) -> str:
    """Return a text with the closing mark of a spoiler, on a line of its own behind code and a row of a table."""
    own_line = text.endswith("|") or not text.rpartition("\n")[2].strip(" `~")
    return f"{text}\n{SPOILER}" if own_line else text + SPOILER


def blocks(text: str, longest_fence: int = _LONGEST_FENCE) -> Iterator[Block]:
    """Split a text at blank lines outside list items, and around fenced code; joined, the blocks are the text again.

    Only code differs from its text: a fence that is not closed is closed, and one longer than `longest_fence` is none.
    """
    lines = deque(_LINE.findall(text))
    block: list[str] = []
    margin, blank, behind_mark = 0, False, False
    marks: list[int] = []
    while lines:
        line = lines.popleft()
        fence = _FENCE.match(line.rstrip())
        item = _LIST_ITEM.match(line)
        margin = item.end() if item else margin if line[0].isspace() else 0
        if fence and len(fence["mark"]) <= longest_fence and (fence["item"] or len(fence["lead"]) <= margin + 3):
            yield "".join(block)
            block = []
            yield _code(
                fence, lines, min(margin, len(fence["lead"])), 2 * longest_fence, hidden=behind_mark or len(marks) % 2 == 1
            )
        else:
            if blank and line.strip() and (not margin or indent(line) < margin):
                yield "".join(block)
                block = []
            block.append(line)
            _add_spoiler_marks(line, 0, len(line), marks)
            behind_mark = line.rstrip().endswith(SPOILER) or (behind_mark and not line.strip())
        blank = not line.strip()
    yield "".join(block)


def runs(parts: Sequence[Block]) -> list[Run]:
    """Return the runs of a text in order, with positions in its joined blocks. Spoilers alone go on over code and lists."""
    text, marks = "".join(map(str, parts)), _spoiler_marks(parts)
    found = [run for start, end in _prose(parts) for run in _emphasis(text, start, end)]
    # The last one of an odd number hides nothing.
    found.extend(Run(one, other + len(SPOILER), SPOILER) for one, other in zip(marks[::2], marks[1::2], strict=False))
    return sorted(found)


def indent(line: str) -> int:
    """Return how many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))


def _prose(parts: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield where the prose between two pieces of code begins and ends in the joined blocks."""
    end = 0
    for is_prose, some in groupby(parts, lambda part: isinstance(part, str)):
        start, end = end, end + sum(len(str(part)) for part in some)
        if is_prose:
            yield start, end


def _spoiler_marks(parts: Sequence[Block]) -> list[int]:
    text, marks = "".join(map(str, parts)), list[int]()
    for start, end in _prose(parts):
        _add_spoiler_marks(text, start, end, marks)
    return marks


def _add_spoiler_marks(text: str, start: int, end: int, marks: list[int]) -> None:
    """Add where the marks of spoilers in prose begin, opening and closing ones by turns."""
    for found in _SPOILER.finditer(text, start, end):
        if found["mark"] and (len(marks) % 2 == 1 or found["blanks"] is None):
            marks.append(found.start("mark"))


def _emphasis(text: str, start: int, end: int) -> Iterator[Run]:
    """Yield the runs of bold text, code and the like in prose."""
    opened, code = dict[str, int](), ""
    for found in _EMPHASIS.finditer(text, start, end):
        mark, at, after = found["mark"], found.start(), found.end()
        if found["block"]:
            opened, code = {}, ""
        elif found["blank"]:
            opened, code = {mark: at for mark, at in opened.items() if mark in _OVER_PARAGRAPHS}, ""
        elif mark and code in ("", mark):
            is_code, left, right = mark[0] == "`", text[at - 1 : at], text[after : after + 1]
            if mark in opened and (is_code or not left.isspace()):
                yield Run(opened.pop(mark), after, mark)
                code = ""
            elif is_code or not (right.isspace() or (mark[0] == "_" and left.isalnum())):
                opened[mark] = at
                code = mark if is_code else ""


def _code(fence: re.Match[str], lines: deque[str], margin: int, longest_opening: int, *, hidden: bool) -> FencedCode:
    """Take the lines of a fenced block up to its end; an overlong opening line continues inside.

    If it is hidden, its last line may go on behind the spoiler's closing mark.
    """
    mark, info = fence["mark"], fence["info"]
    body: list[str] = []
    closing = " " * len(fence["lead"]) + mark + "\n"
    while lines:
        line = lines.popleft()
        bare = line.strip()
        if hidden and line.startswith(mark + SPOILER):
            closing = mark
            lines.appendleft(line.removeprefix(mark))
            break
        if len(bare) >= len(mark) and not bare.strip(mark[0]) and indent(line) <= margin + 3:
            closing = line if len(bare) == len(mark) else closing
            break
        body.append(line if line.endswith("\n") else line + "\n")
    if units(fence[0]) > longest_opening:
        return FencedCode(fence["lead"] + mark + "\n", "".join([info, "\n", *body]), closing, mark + "\n")
    return FencedCode(fence[0] + "\n", "".join(body), closing, mark + info + "\n")
