"""The block: what of the bank is in view, newest first, grouped by rung, within a budget of tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from memory.text.budget import tokens
from memory.text.time import periods
from memory.types import Statement

HEAD = "Notes of earlier conversations here. Use them only when directly relevant."


@dataclass(frozen=True, slots=True)
class Noted:
    """What the bank says of one period, in the order in which it was written."""

    rung: str
    period: str
    bullets: Sequence[Statement]

    @property
    def label(self) -> str:
        """The rung and what of it is covered, as it is shown."""
        return f"{self.rung}:{periods.shown(self.period)}"

    @property
    def text(self) -> str:
        """The label, and the bullets below it, each on a line of its own."""
        return "\n".join([f"[{self.label}]", *(f"- {bullet(one)}" for one in self.bullets)])


def bullet(one: Statement) -> str:
    """Return what a bullet says on one line, so that nothing in it can look like a label."""
    return " ".join(one.text.splitlines())


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered bank and the bullets that it shows; '' where it shows none."""

    text: str = ""
    shown: Sequence[Statement] = ()


def entries(standing: Sequence[Statement]) -> list[Noted]:
    """Return what stands in the bank by period: conversations before days, weeks and months, and the newest first."""
    ordered = sorted(standing, key=lambda one: (one.kind, one.period, one.key))
    found = [
        Noted(kind, period, list(bullets)) for (kind, period), bullets in groupby(ordered, lambda one: (one.kind, one.period))
    ]
    newest = sorted(found, key=_time, reverse=True)
    return sorted(newest, key=lambda entry: periods.RUNGS.index(entry.rung))


def _time(entry: Noted) -> tuple[int, str]:
    # Where clocks are set back, conversations are told apart by when they were, not by what the clock said.
    return (min(one.first_at for one in entry.bullets) if entry.rung == periods.CONVERSATION else 0), entry.period


def render(found: Sequence[Noted], max_tokens: int | None = None) -> Block:
    """Render entries in their order, leaving out those that do not fit any more; None for all of them."""
    text = HEAD
    shown: list[Statement] = []
    for entry in found:
        longer = f"{text}\n{entry.text}"
        if max_tokens is None or tokens(longer) <= max_tokens:
            text = longer
            shown += entry.bullets
    return Block(text, shown) if shown else Block()


def size(found: Sequence[Noted]) -> int:
    """Return how many tokens all of the entries take."""
    return tokens(render(found).text)
