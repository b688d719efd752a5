"""Bullets: the form of a bank entry, and how it is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from localization.sentences import lazy
from memory.derive.context import Context
from memory.derive.drafting import wording
from memory.errors import WriterRefused
from memory.places import opted_out
from memory.places.consent import TIER
from memory.ports import Entry
from memory.store.database import Transaction
from memory.tiers import statements
from memory.tiers.source_lines import SourceLine, as_statement, grounds

_WORD_BYTES = 20


@dataclass(frozen=True, slots=True)
class Form:
    """The range of an entry's bullet count, and its limit of words."""

    least: int
    most: int
    words: int

    def cut(self, lines: Sequence[SourceLine]) -> Callable[[Sequence[Entry]], list[Entry]]:
        """Return a function that trims an answer written from these lines to this form, from its end.

        It raises WriterRefused if too little is left.
        """

        def cut(entries: Sequence[Entry]) -> list[Entry]:
            standing = [entry for entry in entries if grounds(entry, lines)]
            if not standing:
                raise WriterRefused(lazy("no bullet rests on what people said"), wording(entries))
            kept = standing[: self.most]
            while sum(length(entry.text) for entry in kept) >= self.words:
                kept.pop()
            if len(kept) < min(self.least, len(lines)):
                raise WriterRefused(
                    lazy(
                        "{kept} bullets instead of {least} to {most} within the words",
                        kept=len(kept),
                        least=self.least,
                        most=self.most,
                    ),
                    wording(entries),
                )
            return kept

        return cut


def length(text: str) -> int:
    """Return the word count of a text; for unspaced or endless words, an estimate from its bytes."""
    return max(len(text.split()), len(text.encode("utf-8", "replace")) // _WORD_BYTES)


async def keep(
    tx: Transaction,
    context: Context,
    where: tuple[str, str],
    entries: Sequence[Entry],
    lines: Sequence[SourceLine],
    writer: str,
    now: int,
) -> None:
    """Store the bullets of a rung and period (`where`) that rest on what people said and name nobody who opted out."""
    (kind, period), seal, domain = where, context.seal, context.domain
    for entry in entries:
        rests = grounds(entry, lines)
        if rests and not await opted_out.is_named(tx, seal, domain, entry.text):
            new = as_statement(TIER, period, kind, " ".join(entry.text.split()), writer, rests)
            await statements.publish(tx, seal, domain, new, now)
