"""What is believed of what a model writes: good sentences that are refused, and wrong ones that are found.

`python -m tests.bench.believing` reads what a strong model answered to requests of Lyra's own, where it lies beside this
repository (see `conversations.py`), and prints the share of its sentences that is refused and, of each sort of alteration, the
share that is found.
"""

import json
import os
import random
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console as Rich
from rich.table import Table

from memory.derive.consolidate import acquainted
from memory.derive.drafting import supported
from memory.derive.entries import parse
from memory.errors import WriterRefused
from memory.ports import Entry, Source, Task, TaskKind
from tests.bench.alterations import SORTS, Alterer, known_names

_WRITTEN = ("gist", "merge", "profile", "era", "narrative", "self")
_HEADER = re.compile(r"\[([^\]]+)\] (\S+(?: to \S+)?)(?: [A-Z][a-z]{2})?(?: · (.+))?")
_CLAUSE = re.compile(r"[,;:]\s|\b(?:and|but|because|so|while|which|who)\b")
_PLAIN = re.compile(r"(?:[a-zäöüß'’]+ ){2,8}[a-zäöüß'’]+")
_SPEAKERS = ("Ada", "Ben", "Lyra")


@dataclass(frozen=True, slots=True)
class Written:
    """One sentence that a model wrote, what it was given for it, and the number of the request."""

    request: int
    kind: TaskKind
    entry: Entry
    sources: tuple[Source, ...]
    beside: tuple[str, ...] = ()
    known: tuple[Source, ...] = ()


def written() -> list[Written]:
    """Return the sentences, [] where there are none."""
    path = Path(os.environ.get("LYRA_EVAL", "../shared/eval")) / "writing" / "strong.jsonl"
    if not path.exists():
        return []
    found: list[Written] = []
    told: list[Source] = []
    for at, line in enumerate(path.read_text("utf-8").splitlines()):
        row = json.loads(line)
        if row["kind"] in _WRITTEN:
            found += _of(at, row, told)
        if row["kind"] == "gist":
            told += [Source("", "", "", one.entry.text) for one in found if one.request == at]
    return found


def _of(at: int, row: dict[str, Any], told: Sequence[Source]) -> list[Written]:
    sources = tuple(_sources(row["messages"][1]["content"]))
    known = tuple(acquainted(sources, told)) if row["kind"] == "gist" else ()
    try:
        entries = parse(row["answer"], [source.label for source in sources])
    except WriterRefused as refusal:
        entries = [Entry(refusal.answer, ())]
    return [Written(at, row["kind"], one, sources, tuple(other.text for other in entries), known) for one in entries]


def _sources(prompt: str) -> Iterator[Source]:
    """Yield the sources that stand in a prompt, as they were given."""
    found: tuple[str, str, str] | None = None
    text: list[str] = []
    for line in [*prompt.splitlines(), "==="]:
        header = _HEADER.fullmatch(line)
        if found and (header or line.startswith("===")):
            yield Source(found[0], found[2], found[1], "\n".join(text))
            found, text = None, []
        if header:
            found = (header[1], header[2], header[3] or "")
        elif line.startswith("|"):
            text.append(line[2:])


def refused(one: Written, text: str) -> str:
    """Return why a sentence in the place of one that was written is refused, '' where it stands."""
    beside = [Entry(other, ()) for other in one.beside if other != one.entry.text]
    entries = [Entry(text, one.entry.cites), *beside]
    task = Task(one.kind, one.sources, known=one.known)
    return "\n".join(why for why in supported(entries, task)[1] if why.startswith(text))


def shares(sentences: Sequence[Written], seed: int = 15, *, verbose: bool = False) -> Table:
    """Return the shares that are refused as they were written, and found of each sort of alteration."""
    table = Table("of what a strong model wrote", "refused", "of", "%")
    bad = {one: why for one in sentences if (why := refused(one, one.entry.text))}
    table.add_row("as it was written", str(len(bad)), str(len(sentences)), f"{100 * len(bad) / len(sentences):.1f}")
    alterer = Alterer(known_names([one.entry.text for one in sentences]), _SPEAKERS, seed)
    altered = [(one, change) for one in sentences for change in alterer.alterations(one.entry.text, one.sources)]
    shown = [f"{one.request} {one.kind}: {why}" for one, why in bad.items()]
    added = [(one, clause) for one, clause in _with_another_clause(sentences, seed) if one not in bad]
    told = sum(bool(refused(one, clause)) for one, clause in added)
    table.add_row("a clause of another gist added", str(told), str(len(added)), f"{100 * told / len(added):.1f}")
    for sort in SORTS:
        some = [(one, change) for one, change in altered if change.sort == sort]
        missed = [(one, change) for one, change in some if not refused(one, change.text)]
        found = len(some) - len(missed)
        table.add_row(f"another {sort}", str(found), str(len(some)), f"{100 * found / len(some):.1f}")
        shown += [f"{one.request} [{', '.join(one.entry.cites)}] {change.word!r}: {change.text}" for one, change in missed]
    if verbose:
        print("\n".join(shown))
    return table


def _with_another_clause(sentences: Sequence[Written], seed: int) -> Iterator[tuple[Written, str]]:
    """Yield each sentence of a gist with a clause without names and numbers from a gist of another request behind it."""
    gists, chosen = [one for one in sentences if one.kind == "gist"], random.Random(seed)
    clauses = [
        (one.request, clause.strip(" ."))
        for one in gists
        for clause in _CLAUSE.split(one.entry.text)
        if _PLAIN.fullmatch(clause.strip(" ."))
    ]
    for one in gists:
        clause = chosen.choice([clause for request, clause in clauses if request != one.request])
        yield one, f"{one.entry.text.rstrip('.')}, and {clause}."


def main() -> None:
    """Print the shares."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("-v", action="store_true", help="print what is refused and what is missed")
    parser.add_argument("--seed", type=int, default=15, help="another row of alterations")
    asked = parser.parse_args()
    if sentences := written():
        Rich().print(shares(sentences, asked.seed, verbose=asked.v))
    else:
        print("The answers are not here.")


if __name__ == "__main__":
    main()
