"""Everything that derives from a memory: digests, the tiers above them, banks, dreams.

Loaded separately from memory itself, because storing and recalling need none of it.
"""

from memory.bank.bank_maintenance import Bank
from memory.core import Memory
from memory.derive.consolidate import Consolidator
from memory.derive.estimating import Estimating
from memory.derive.ladder import Ladder
from memory.dream.dreamer import Dreamer
from memory.ports import ChatModel, Writer
from memory.types import Domain


class Deriving:
    """Factory for what derives in one domain of an open memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def consolidator(self, domain: Domain, writer: Writer, fallback: Writer) -> Consolidator:
        """Return the consolidator, which closes the episodes of one domain and writes its digests."""
        return Consolidator(self._memory.context(domain, writer, fallback))

    def estimating(self, domain: Domain, writer: Writer, room: int | None) -> Estimating:
        """Return the estimator of how much writing one domain needs; `room` is the prompt budget in tokens (None: unknown)."""
        return Estimating(self._memory.context(domain, writer, writer), room)

    def ladder(self, domain: Domain, writer: Writer) -> Ladder:
        """Return the ladder, which makes profile, eras, narrative and self-state of one domain."""
        return Ladder(self._memory.context(domain, writer, writer))

    def bank(self, domain: Domain, writer: Writer) -> Bank:
        """Return the bank of one domain."""
        return Bank(self._memory.context(domain, writer, writer))

    def dreamer(self, domain: Domain, writer: Writer, fallback: Writer, chat_model: ChatModel | None) -> Dreamer:
        """Return the dreamer of one domain: digests come from `writer`, reflections from the chat model."""
        memory = self._memory
        return Dreamer(
            memory.context(domain, writer, fallback), chat_model, memory.domain_indexes, memory.consolidation_rules.thresholds
        )
