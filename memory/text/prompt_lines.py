"""How somebody's words stand in a prompt: one function renders every line of every prompt.

Whatever a text holds, it stays one person's: only its first line says who speaks, each further line begins with a mark, and
neither can hold a line break, an invisible character or a special token of a model.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory.text.budget import clip, tokens
from memory.text.display_names import COLONS, display_name, likeness
from memory.text.sanitize import sanitized


@dataclass(frozen=True, slots=True)
class Frame:
    """How a text is framed: what its first line begins with, and each further one.

    `bare` leaves the speaker out where the first line cannot be taken for anything else, `own` the mark as well; `note` is what
    nobody said, where the first line could be taken for somebody's. `names` are what the names of those who speak are known by.
    """

    first: str = ""
    further: str = "| "
    bare: bool = False
    own: bool = False
    note: str = ""
    names: frozenset[str] = frozenset()

    def among(self, names: Iterable[str]) -> "Frame":
        """Return this frame where these speak: a line that begins with one of their names is taken for theirs."""
        return replace(self, names=frozenset(map(likeness, names)))


QUOTED = Frame("> ", "> | ")
"""What is remembered or quoted, line by line."""
NOTED = Frame("> ", "> | ", note="Note")
"""What is known, in nobody's words."""
FOLLOWED = Frame("- ", "- | ")
"""How somebody wants to be talked to, of which every line has a form of its own."""
SOURCE = Frame("| ", "| ")
"""What a digest is made from, below a header that says who speaks."""
SPOKEN = Frame()
"""A message of a conversation in which speakers are told apart."""
ALONE = Frame(bare=True)
"""A message of a conversation with one person."""
REPLY = Frame(bare=True, own=True)
"""A reply of Lyra's: only lines that could be taken for another's are marked, so that she does not write marks herself."""

_COLON = rf"(?:(?<!\d)[{COLONS}]|[{COLONS}](?!\d))(?!//)"
# A first line that could be a speaker's, a quotation's or a heading's; a link or a time of day is none.
_MISLEADING = re.compile(rf"\s*(?:[>|]|[^\n]{{0,80}}?{_COLON}|(?i:today is\b))")
# Such a line in a reply, where lists and headings are common: a quotation's, or some words and a colon.
_HEADED = re.compile(
    rf"\s*(?:>|(?!(?:[-*+•–]|\d{{1,3}}[.)])\s)(?:\W?\d\d?:\d\d(?::\d\d)?\W?\s*)?"
    rf"(?P<head>[^\s!?;{COLONS}]{{1,40}}(?:[^\S\n]+[^\s!?;{COLONS}]{{1,40}}){{0,5}})\s{{0,9}}{_COLON})"
)
_MOST_OF_A_NAME = 3


def prompt_line(text: str, frame: Frame, *, label: str = "", speaker: str = "", note: str = "", most: int | None = None) -> str:
    """Return a text as it stands in a prompt, of at most `most` tokens: its label, its speaker and its words, then a note.

    Where it is longer than that, the middle of the text is left out.
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


def _framed(text: str, frame: Frame, label: str, speaker: str, note: str) -> str:
    said = [line.rstrip() for line in sanitized(text).strip().split("\n")]
    first, *further = said
    who = display_name(speaker) if speaker and not (frame.bare and _plain(first, frame, speaker)) else ""
    lead = ", ".join(part for part in (_one_line(label), who) if part)
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
    """Say whether a first line needs no speaker before it to be taken for its speaker's."""
    if frame.own:
        return first.startswith(f"{speaker}:") or not _speaks(first, frame)
    return not _MISLEADING.match(first)


def _speaks(line: str, frame: Frame) -> bool:
    """Say whether a line of a reply or a note could be somebody's: it quotes, or has a name before a colon."""
    found = _HEADED.match(line)
    if found is None or found["head"] is None:
        return found is not None
    words = found["head"].split()
    written_as_a_name = len(words) == 1 or not any(word[0].islower() for word in words)
    return (len(words) <= _MOST_OF_A_NAME and written_as_a_name) or likeness(found["head"]) in frame.names


def _one_line(text: str) -> str:
    return " ".join(sanitized(text).split())
