"""What derivation in one domain works with, and how the bank of a shared one is kept."""

from dataclasses import dataclass, replace

from memory.derive.dry_run import Check
from memory.places.consent import is_on
from memory.places.places import Places
from memory.ports import Clock, Writer
from memory.store.database import Database
from memory.store.lineage import Seal
from memory.store.locks import Holders
from memory.tiers import episodes
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class BankRules:
    """When a conversation is over, how many pairs of message and reply one call reads, and how large the block may be.

    The block is folded when it passes `max_tokens * headroom`, and never shown with more than `max_tokens`.
    """

    idle_minutes: int = 10
    most_turns: int = 40
    max_tokens: int = 2000
    headroom: float = 1.25

    def closing(self, rules: episodes.Rules) -> episodes.Rules:
        """Return when episodes end where the bank is on: a short silence ends even a short conversation."""
        return replace(rules, idle_minutes=self.idle_minutes, least=min(rules.least, 2))


@dataclass(frozen=True, slots=True)
class Context:
    """One domain, who writes there, and by which rules; what has to pass a `regression_check` is published only if it does."""

    db: Database
    seal: Seal
    clock: Clock
    domain: Domain
    writer: Writer
    fallback: Writer
    rules: episodes.Rules
    holders: Holders
    max_transcript_chars: int = 24_000
    bank: BankRules = BankRules()
    regression_check: Check | None = None

    async def closing(self) -> episodes.Rules:
        """Return when the episodes of the domain end: where its bank is on, with the conversation."""
        return self.bank.closing(self.rules) if await is_on(Places(self.db, self.seal), self.domain) else self.rules
