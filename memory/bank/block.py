"""The block: the part of the bank in view, newest first, grouped by rung, within a token budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from memory.text.budget import tokens
from memory.text.time import periods
from memory.types import Statement

HEAD = "Notes of earlier conversations here. Use them only when directly relevant."


@dataclass(frozen=True, slots=True)
class BankEntry:
    """The bank's entry for one period, its bullets in the order they were written."""

    rung: str
    period: str
    bullets: Sequence[Statement]

    @property
    def label(self) -> str:
        """The rung and period, as displayed."""
        return f"{self.rung}:{periods.period_label(self.period)}"

    @property
    def text(self) -> str:
        """The label, followed by the bullets, one per line."""
        return "\n".join([f"[{self.label}]", *(f"- {bullet(one)}" for one in self.bullets)])


def bullet(one: Statement) -> str:
    """Return a bullet on one line, so that nothing in it can look like a label."""
    return " ".join(one.text.splitlines())


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered bank and the bullets it shows; '' if it shows none."""

    text: str = ""
    shown: Sequence[Statement] = ()


def entries(standing: Sequence[Statement]) -> list[BankEntry]:
    """Return the standing bullets by period: conversations before days, weeks and months, each newest first."""
    ordered = sorted(standing, key=lambda one: (one.kind, one.period, one.key))
    found = [
        BankEntry(kind, period, list(bullets)) for (kind, period), bullets in groupby(ordered, lambda one: (one.kind, one.period))
    ]
    newest = sorted(found, key=_time, reverse=True)
    return sorted(newest, key=lambda entry: periods.RUNGS.index(entry.rung))


def _time(entry: BankEntry) -> tuple[int, str]:
    # Where clocks are set back, conversations are ordered by instant, not by local time.
    return (min(one.first_at for one in entry.bullets) if entry.rung == periods.CONVERSATION else 0), entry.period


def render(found: Sequence[BankEntry], max_tokens: int | None = None) -> Block:
    """Render entries in order, skipping those that no longer fit; with None, all of them."""
    text = HEAD
    shown: list[Statement] = []
    for entry in found:
        longer = f"{text}\n{entry.text}"
        if max_tokens is None or tokens(longer) <= max_tokens:
            text = longer
            shown += entry.bullets
    return Block(text, shown) if shown else Block()


def size(found: Sequence[BankEntry]) -> int:
    """Return the token count of all entries."""
    return tokens(render(found).text)
