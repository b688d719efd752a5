"""Code in Markdown, as far as all clients agree on where it begins and ends."""

import re
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPAN = re.compile(r"(?<!`)(?:`[^`\n]+`|``[^`\n]+(?:`[^`\n]+)*+``)(?!`)")
_FENCE = re.compile(r"( *)```[^`\n]*\n")

Pieces = list[tuple[str, str]]


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Divide a text into "text", code "span" and "fence" as all clients see it; the rest, from where they may not, is "unclear"."""
    lines = _LINE.findall(text)
    at = 0
    plain: list[str] = []
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if not fence:
            plain.append(lines[at])
            at += 1
            continue
        yield from _spans("".join(plain))
        plain = []
        end = _fence_end(lines, at, fence[1])
        yield ("fence" if end else "unclear", "".join(lines[at : end or len(lines)]))
        at = end or len(lines)
    yield from _spans("".join(plain))


def _fence_end(lines: list[str], at: int, indent: str) -> int:
    """Return the line after a fence that all clients close there, 0 where they may not."""
    blank = True
    for end in range(at + 1, len(lines)):
        line = lines[end]
        if line.rstrip() == f"{indent}```":
            return 0 if blank else end + 1
        if "```" in line or (line.strip() and not line.startswith(indent)):
            return 0
        blank = blank and not line.strip()
    return 0


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """Divide a text without fences into text and code spans of one line each."""
    at = 0
    for span in _SPAN.finditer(text):
        before = text[at : span.start()]
        unclear = "`" in before or before.endswith("\\") or span[0].rstrip("`").endswith("\\")
        yield ("unclear" if unclear else "text", before)
        yield ("span", span[0])
        at = span.end()
    yield ("unclear" if "`" in text[at:] or "\0" in text else "text", text[at:])
