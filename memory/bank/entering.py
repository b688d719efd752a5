"""The keeping of a bank: conversations that are over enter it, and where it grows too large its oldest entries are folded.

Everything follows from what is kept: a pass that was cut off is finished by the next one, and a pass after that changes
nothing. A writer out of reach leaves all as it is.
"""

from dataclasses import dataclass

from memory.bank import conversations, folding
from memory.bank.block import Noted, entries, size
from memory.derive.context import Context
from memory.derive.derivation import Derivation, Work
from memory.places.consent import TIER, Consent, consent
from memory.places.places import Places
from memory.text.times import local
from memory.tiers import statements

OFF = "The bank is off here."
NO_MODEL = "Writing the bank takes a model, and there is none."


@dataclass(frozen=True, slots=True)
class Banked:
    """What a pass did: conversations noted, digests written, bullets that left the block; or why nothing was done."""

    conversations: int = 0
    digests: int = 0
    left: int = 0
    why: str = ""


class Bank:
    """The bank of one domain."""

    def __init__(self, context: Context) -> None:
        self._w = context
        self.derivation = Derivation(context)

    async def keep(self, *, most: int | None = None) -> Banked:
        """Bring the bank up to date, with at most `most` pieces written. Raises WriterFailed: what is done stays."""
        if (await self._terms()).since is None:
            return Banked(why=OFF)
        if self._w.writer.extractive:
            return Banked(why=NO_MODEL)
        await folding.sweep(self.derivation)
        noted = await self.derivation.make_all(self._conversation, most)
        digests = await self.derivation.make_all(self._fold, None if most is None else most - noted)
        return Banked(noted, digests, await self._let_leave())

    async def _terms(self) -> Consent:
        """Return what holds now: somebody may withdraw while a pass goes on."""
        return await consent(Places(self._w.db, self._w.seal), self._w.domain)

    async def _conversation(self) -> Work | None:
        terms = await self._terms()
        return None if terms.since is None else await conversations.due(self.derivation, terms)

    async def _fold(self) -> Work | None:
        noted = await self._too_large()
        return await folding.due(self.derivation, await self._terms(), noted) if noted else None

    async def _too_large(self) -> list[Noted]:
        """Return what stands in the block where that is more than the block may hold; else nothing."""
        noted = entries(await statements.standing(self._w.db, self._w.domain, TIER))
        return noted if size(noted) > self._limit else []

    @property
    def _limit(self) -> float:
        return self._w.bank.max_tokens * self._w.bank.headroom

    async def _let_leave(self) -> int:
        noted = await self._too_large()
        if not noted or await self._fold() is not None:
            return 0
        now = self._w.clock.now()
        gone = folding.leaving(noted, local(now, self._w.domain.time_zone).date(), self._limit)
        async with self._w.db.transaction() as tx:
            await folding.put_by(tx, gone, now)
        return len(gone)
