"""Rendering of messages in prompts: one function renders every line of every prompt.

Whatever a text contains, it remains one person's: only its first line names a speaker, every further line begins with a mark,
and neither can contain a line break, an invisible character or a special token of a model.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory.text.budget import clip, tokens
from memory.text.display_names import COLONS, LYRA, display_name, likeness
from memory.text.sanitize import sanitized


@dataclass(frozen=True, slots=True)
class Frame:
    """How a text is framed: the prefix of its first line and of the others.

    `bare` omits the speaker if the first line cannot be mistaken for anything else, `own` the marks as well; `note` is a label
    for text that nobody said, if its first line could be mistaken for somebody's. `names` are the likenesses of the speakers'
    names.
    """

    first: str = ""
    further: str = "| "
    bare: bool = False
    own: bool = False
    note: str = ""
    names: frozenset[str] = frozenset()

    def among(self, names: Iterable[str]) -> "Frame":
        """Return this frame with these speakers: a line that begins with one of their names could be mistaken for theirs."""
        return replace(self, names=frozenset(map(likeness, set(names))))


QUOTED = Frame("> ", "> | ")
"""Remembered or quoted text, line by line."""
NOTED = Frame("> ", "> | ", note="Note")
"""Facts that are in nobody's words."""
FOLLOWED = Frame("- ", "- | ")
"""Manners, each line of which has a fixed form."""
SOURCE = Frame("| ", "| ")
"""Sources of a digest, below a header that names the speaker."""
SPOKEN = Frame()
"""A message in a conversation of several speakers."""
ALONE = Frame(bare=True)
"""A message in a conversation with one person."""
REPLY = Frame(bare=True, own=True)
"""A reply of Lyra's: only lines that could be mistaken for another's are marked, so that she does not learn to write marks."""

_COLON = rf"(?:(?<!\d)[{COLONS}]|[{COLONS}](?!\d))(?!//)"
# A first line that could be mistaken for a speaker's, a quotation or a heading; links and times of day are not.
_MISLEADING = re.compile(rf"\s*(?:[>|]|[^\n]{{0,80}}?{_COLON}|(?i:today is\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day, \d))")
# The same for a reply, where lists and headings are common: a quotation, or a few words and a colon.
_HEADED = re.compile(
    rf"\s*(?:>|(?!(?:[-*+•–]|\d{{1,3}}[.)])\s)(?:\W?\d\d?:\d\d(?::\d\d)?\W?\s*)?"
    rf"(?P<head>[^\s!?;{COLONS}]{{1,40}}(?:[^\S\n]+[^\s!?;{COLONS}]{{1,40}}){{0,5}})\s{{0,9}}{_COLON})"
)
_MOST_OF_A_NAME = 3
CUT = "[…]"
"""What people see at the end of an answer that was cut off."""


def prompt_line(text: str, frame: Frame, *, label: str = "", speaker: str = "", note: str = "", most: int | None = None) -> str:
    """Return a text as rendered in a prompt, of at most `most` tokens: label, speaker and text, then a note.

    A text that is too long loses its middle.
    """
    if most is None:
        return _framed(text, frame, label, speaker, note)
    room = most
    while True:
        shown = _framed(clip(text, room), frame, label, speaker, note)
        spent = tokens(shown)
        if spent <= most:
            return shown
        if not room:
            return clip(shown.replace("\n", " "), most)
        room = max(0, min(room - 1, room * most // spent))


def uncut(text: str) -> str:
    """Return an answer without the mark of one that was cut off: a model that reads the mark writes it itself."""
    return text.rstrip().removesuffix(CUT).rstrip() if text.rstrip().endswith(CUT) else text


def _framed(text: str, frame: Frame, label: str, speaker: str, note: str) -> str:
    text = uncut(text) if speaker == LYRA else text
    said = [line.rstrip() for line in sanitized(text).strip().split("\n")]
    first, *further = said
    who = display_name(speaker) if speaker and not (frame.bare and _plain(first, frame, speaker)) else ""
    lead = ", ".join(part for part in (label and _one_line(label), who) if part)
    if not lead and frame.note and _speaks(first, frame):
        lead = frame.note
    lines = [f"{frame.first}{lead}: {first}" if lead else f"{frame.first}{first}"]
    for line in further:
        if frame.own and not _speaks(line, frame):
            lines.append(line)
        elif line:
            lines.append(f"{frame.further}{line}")
    whole = "\n".join(lines)
    return f"{whole} ({_one_line(note)})" if note else whole


def _plain(first: str, frame: Frame, speaker: str) -> bool:
    """Return whether a first line needs no speaker before it to be attributed correctly."""
    if frame.own:
        return first.startswith(f"{speaker}:") or not _speaks(first, frame)
    return not _MISLEADING.match(first)


def _speaks(line: str, frame: Frame) -> bool:
    """Return whether a line of a reply or note could be mistaken for somebody's: a quotation, or a name before a colon."""
    found = _HEADED.match(line)
    if found is None or found["head"] is None:
        return found is not None
    words = found["head"].split()
    written_as_a_name = len(words) == 1 or not any(word[0].islower() for word in words)
    return (len(words) <= _MOST_OF_A_NAME and written_as_a_name) or likeness(found["head"]) in frame.names


def _one_line(text: str) -> str:
    return " ".join(sanitized(text).split())
