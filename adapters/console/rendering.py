"""How an answer looks on a screen: its Markdown, under Lyra's name, wrapped, as much of it as the screen has lines."""

import re
from dataclasses import dataclass
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Heading, Markdown
from rich.segment import Segment
from rich.text import Text

from adapters.markup import count_marks

_MOST_MARKS = 600
"""More than this would block the event loop."""
_BEGINNING = re.compile(r" *(?:\d+\. |- )?(?:(?! )(?:(?!  ).)*  +)?")
"""What precedes a line's words: blanks, the marker of a list entry, and a first column."""
_LEAST_COLUMNS = 20
"""The least columns left for words; otherwise only the leading blanks count as indent."""


class _PlainHeading(Heading):
    """A heading at the left, as wide as its words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Answer(Markdown):
    elements: ClassVar = {**Markdown.elements, "heading_open": _PlainHeading}


def markdown(text: str) -> RenderableType:
    """Return a text as Markdown that shows all of it: line breaks stay, HTML is literal, links show their target.

    With more than 600 marks it is shown unparsed.
    """
    if count_marks(text) > _MOST_MARKS:
        return Text(text)
    answer = _Answer(text, hyperlinks=False)
    answer.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("image").parse(text)
    for token in answer.parsed:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return answer


@dataclass(frozen=True, slots=True)
class Indented:
    """A block under a name: the name before its first line, equal indentation before the others."""

    name: Text
    what: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        indent = self.name.cell_len
        narrow = options.update(width=max(1, options.max_width - indent), height=None)
        for at, line in enumerate(_without_empty_ends(console.render_lines(self.what, narrow, pad=False))):
            yield from console.render(self.name, options) if not at else [Segment(" " * indent)]
            yield from line
            yield Segment.line()


@dataclass(frozen=True, slots=True)
class Tail:
    """The last lines of a block, as many as fit the screen."""

    what: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self.what, options.update(height=None), pad=False)[-max(1, console.size.height - 2) :]
        for at, line in enumerate(lines):
            if at:
                yield Segment.line()
            yield from line


def _without_empty_ends(lines: list[list[Segment]]) -> list[list[Segment]]:
    def empty(line: list[Segment]) -> bool:
        return not "".join(segment.text for segment in line).strip()

    while len(lines) > 1 and empty(lines[-1]):
        lines = lines[:-1]
    while len(lines) > 1 and empty(lines[0]):
        lines = lines[1:]
    return lines


def wrapped(text: str, width: int) -> str:
    """Wrap a text between words to lines of at most `width` columns, each indented to where its words began.

    A word longer than a line stays whole.
    """
    return "\n".join(part for line in text.split("\n") for part in _wrapped_line(line, width))


def _wrapped_line(line: str, width: int) -> list[str]:
    if cell_len(line) <= width:
        return [line]
    found = _BEGINNING.match(line)
    beginning = found[0] if found and width - cell_len(found[0]) >= _LEAST_COLUMNS else line[: len(line) - len(line.lstrip(" "))]
    indent, parts, held = " " * cell_len(beginning), [], beginning
    empty = True
    for word in line[len(beginning) :].split(" "):
        if not empty and cell_len(held) + 1 + cell_len(word) > width:
            parts.append(held)
            held, empty = indent, True
        held += word if empty else f" {word}"
        empty = False
    return [*parts, held]
