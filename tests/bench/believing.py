"""What is believed of what a model writes: good sentences that are refused, and wrong ones that are found.

`python -m tests.bench.believing` reads what a strong model answered to requests of Lyra's own, where it lies beside this
repository (see `conversations.py`), and prints the share of its sentences that is refused and, of each sort of alteration, the
share that is found. With `-v` it prints what it missed.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.derive.drafting import sound
from memory.derive.entries import parse
from memory.errors import WriterRefused
from memory.ports import Entry, Source
from tests.bench.alterations import SORTS, Alterer, known_names

_WRITTEN = ("gist", "merge", "profile", "era", "narrative", "self")
_HEADER = re.compile(r"\[([^\]]+)\] (\S+(?: to \S+)?)(?: · (.+))?")
_SPEAKERS = ("Ada", "Ben", "Lyra")


@dataclass(frozen=True, slots=True)
class Written:
    """One sentence that a model wrote, what it was given for it, and the number of the request."""

    request: int
    kind: str
    entry: Entry
    sources: tuple[Source, ...]


def written() -> list[Written]:
    """Return the sentences, [] where there are none."""
    path = Path(os.environ.get("LYRA_EVAL", "../shared/eval")) / "writing" / "strong.jsonl"
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [one for at, row in enumerate(rows) if row["kind"] in _WRITTEN for one in _of(at, row)]


def _of(at: int, row: dict[str, object]) -> Iterator[Written]:
    messages = row["messages"]
    assert isinstance(messages, list)
    sources = tuple(_sources(messages[1]["content"]))
    try:
        for entry in parse(str(row["answer"]), [source.label for source in sources]):
            yield Written(at, str(row["kind"]), entry, sources)
    except WriterRefused as refusal:
        yield Written(at, str(row["kind"]), Entry(refusal.answer, ()), sources)


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
    return "\n".join(sound([Entry(text, one.entry.cites)], one.sources)[1])


def main() -> None:
    """Print the shares."""
    verbose = "-v" in sys.argv
    sentences = written()
    bad = {one: why for one in sentences if (why := refused(one, one.entry.text))}
    print(f"refused {len(bad)} of {len(sentences)} as they were written")
    for one, why in bad.items():
        print(f"  {one.request} {one.kind}: {why}" if verbose else f"  {one.request} {one.kind}")
    alterer = Alterer(known_names([one.entry.text for one in sentences]), _SPEAKERS)
    altered = [(one, change) for one in sentences for change in alterer.alterations(one.entry.text, one.sources)]
    for sort in SORTS:
        some = [(one, change) for one, change in altered if change.sort == sort]
        missed = [(one, change) for one, change in some if not refused(one, change.text)]
        print(f"{sort}: found {len(some) - len(missed)} of {len(some)}, {1 - len(missed) / len(some):.1%}")
        for one, change in missed if verbose else ():
            print(f"  {one.request} [{', '.join(one.entry.cites)}] {change.word!r}: {change.text}")


if __name__ == "__main__":
    main()
