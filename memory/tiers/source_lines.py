"""Labelled source lines for the tiers above gists, each traced to people's messages, and those that a model has room for."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from memory.ports import Entry, Source
from memory.store.database import DatabaseAccess, Row
from memory.store.lineage import paged
from memory.text.budget import clip, tokens
from memory.text.lexical import key_words
from memory.text.time.times import iso_minute, local
from memory.tiers import exchanges
from memory.tiers.statements import Grounds, cited
from memory.types import Domain, Exchange, Kind, Statement

_LEAST = 48
_MOST_REPLACED = 3
_FIRST = {"p": 0, "m": 1, "g": 2, "f": 3}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One source: its item, and the messages of people it rests on, with the span of time in which they were said."""

    source: Source
    item: int
    said: tuple[int, ...]
    first_at: int
    last_at: int


async def of_messages(
    db: DatabaseAccess, domain: Domain, messages: Sequence[Exchange]
) -> tuple[list[SourceLine], dict[int, str]]:
    """Return messages as lines labelled m1, m2 and so on, and the texts of the messages in them by key.

    One that was corrected later is read with what corrects it, and rests on that as well; what corrects one of these is no line of its own.
    """
    right = await exchanges.amendments(db, [domain.key], [one.key for one in messages])
    by_key = await exchanges.among(db, sorted({key for some in right.values() for key in some}))
    lines: list[SourceLine] = []
    told = {key for one in messages if one.kind is Kind.SAID for key in right.get(one.key, ())}
    for at, one in enumerate((one for one in messages if one.key not in told), start=1):
        later = [by_key[key] for key in reversed(right.get(one.key, ())) if key in by_key]
        # An arrow is read in every language; what a word says stands in gists as it is.
        text = f"{one.text} (→ {'; '.join(message.text for message in later)})" if later else one.text
        source = Source(f"m{at}", one.speaker, iso_minute(one.said_at, domain.time_zone), text)
        said = tuple(message.key for message in (one, *later) if message.kind is Kind.SAID)
        lines.append(SourceLine(source, one.key, said, one.said_at, one.said_at))
    return lines, {one.key: one.text for one in (*by_key.values(), *messages)}


async def of_gists(db: DatabaseAccess, domain: Domain, gists: Sequence[Row]) -> list[SourceLine]:
    """Return the sentences of gists (rows of digests, oldest first) as lines labelled g1, g2 and so on."""
    said: dict[tuple[int, int], dict[int, int]] = {}
    rows = await paged(
        db,
        "SELECT c.digest, c.line, e.item, e.said_at FROM cites c JOIN exchanges e ON e.item = c.item "
        "WHERE e.kind = 'said' AND c.digest IN ({within})",
        [gist["item"] for gist in gists],
    )
    for row in rows:
        said.setdefault((row["digest"], row["line"]), {})[row["item"]] = row["said_at"]
    found: list[SourceLine] = []
    for gist in gists:
        for at, text in enumerate(str(gist["text"]).split("\n")):
            rests = said.get((gist["item"], at), {})
            times = rests.values() or [gist["first_at"], gist["last_at"]]
            # "In three weeks" is relative to the message that the sentence rests on.
            day = f"{local(min(times), domain.time_zone):%Y-%m-%d}"
            source = Source(f"g{len(found) + 1}", "", day, text)
            found.append(SourceLine(source, gist["item"], tuple(rests), min(times), max(times)))
    return found


async def of_statements(db: DatabaseAccess, domain: Domain, statements: Sequence[Statement], letter: str) -> list[SourceLine]:
    """Return statements as lines, labelled by a letter and their number."""
    rests = await cited(db, [one.key for one in statements])
    return [
        SourceLine(
            Source(f"{letter}{at}", "", f"{local(one.last_at, domain.time_zone):%Y-%m-%d}", one.text),
            *(one.key, tuple(message.key for message in rests[one.key]), one.first_at, one.last_at),
        )
        for at, one in enumerate(statements, start=1)
    ]


def grounds(entry: Entry, lines: Iterable[SourceLine]) -> Grounds | None:
    """Return the basis of an entry; None if no person said any of it."""
    rests = [line for line in lines if line.source.label in entry.cites]
    said = tuple(dict.fromkeys(item for line in rests for item in line.said))
    if not said:
        return None
    items = tuple(dict.fromkeys(line.item for line in rests))
    spoken = [line for line in rests if line.said]
    return Grounds(items, said, min(line.first_at for line in spoken), max(line.last_at for line in spoken))


def replaced(text: str, older: Sequence[SourceLine]) -> list[SourceLine]:
    """Return which of the older lines that a new one cites it takes the place of.

    A line that cites more than a few was given every label there is: it replaces those only whose words it mostly holds.
    """
    if len(older) <= _MOST_REPLACED:
        return list(older)
    new = set(key_words(text).values())
    return [one for one in older if 2 * len(new & (old := set(key_words(one.source.text).values()))) > len(old)]


def split_prefix(text: str, names: Collection[str]) -> tuple[str, str]:
    """Return the name among `names` that a line begins with, before a colon, and the rest; '' and the whole line for none."""
    head, colon, rest = text.partition(":")
    name = head.strip(" *_-").casefold()
    return (name, rest.strip(" *_")) if colon and name in names and rest.strip() else ("", text)


def fit(lines: Sequence[SourceLine], most: int) -> list[SourceLine]:
    """Return the lines that fit into `most` tokens, in their order.

    Manners go first, then messages, the newest first, then gists, then known facts. Long messages are clipped rather than left
    out.
    """
    by_label: dict[str, SourceLine] = {}
    for line in sorted(reversed(lines), key=lambda one: _FIRST.get(one.source.label[0], len(_FIRST))):
        room = most - _header(line)
        if room >= min(_LEAST, tokens(line.source.text)):
            short = replace(line, source=replace(line.source, text=clip(line.source.text, room)))
            by_label[line.source.label] = short
            most = room - tokens(short.source.text)
    return [by_label[line.source.label] for line in lines if line.source.label in by_label]


def cost(lines: Sequence[SourceLine]) -> int:
    """Return the estimated token count of lines."""
    return sum(_header(line) + tokens(line.source.text) for line in lines)


def _header(line: SourceLine) -> int:
    """Return the token count of a line's label, time and speaker, with separators."""
    return tokens(f"[{line.source.label}] {line.source.said_at} · {line.source.speaker} | ") + 1
