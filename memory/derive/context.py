"""The context of derivation in one domain."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memory.places.consent import is_on
from memory.places.places import Places
from memory.ports import Clock, Writer
from memory.store.bounds import Bounds
from memory.store.database import ClaimHolders, DatabaseAccess, Transaction
from memory.store.lineage import Seal
from memory.tiers import episodes
from memory.types import Domain

Put = Callable[[Transaction], Awaitable[object]]
"""Writes a piece of work in a transaction."""
Check = Callable[[Put], Awaitable[bool]]
"""Returns whether publishing a piece of work does no harm."""


async def closing(
    places: Places, domain: Domain, rules: episodes.EpisodeRules, bank: episodes.BankRules
) -> episodes.EpisodeRules:
    """Return when the episodes of a domain end: if its bank is on, with the conversation."""
    return bank.closing(rules) if await is_on(places, domain) else rules


@dataclass(frozen=True, slots=True)
class Context:
    """One domain, its writers, and its rules; digests are published only if they pass the `regression_check`, if any."""

    db: DatabaseAccess
    seal: Seal
    clock: Clock
    domain: Domain
    writer: Writer
    fallback: Writer
    rules: episodes.EpisodeRules
    holders: ClaimHolders
    max_transcript_chars: int = 24_000
    bank: episodes.BankRules = episodes.BankRules()
    regression_check: Check | None = None

    @property
    def bounds(self) -> Bounds:
        """The bounds of a transaction that writes the domain."""
        return Bounds.of(self.domain.key)

    @property
    def rewriter(self) -> str | None:
        """The name of the writer that rewrites extractive gists; None if it is extractive itself."""
        return None if self.writer.extractive else self.writer.name

    async def closing(self) -> episodes.EpisodeRules:
        """Return when the episodes of the domain end: if its bank is on, with the conversation."""
        return await closing(Places(self.db, self.seal), self.domain, self.rules, self.bank)
