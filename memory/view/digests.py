"""What a view reads and changes above gists: statements with their receipts, the bank, and how Lyra is."""

from collections.abc import Sequence

from memory.bank import block
from memory.bank.block import Block
from memory.derive import progress
from memory.places import consent
from memory.places.consent import Consent
from memory.store.lineage import require_unchanged
from memory.tiers import eras, profile, selfstate, statements
from memory.tiers.selfstate import Moment, SelfState
from memory.types import Exchange, Identity, Statement
from memory.view import owners
from memory.view.finding import Finding


class Aloft(Finding):
    """The statements of one home, and those of the domains that may be read beside it."""

    async def statements(self, tier: str, *, past: bool = False) -> list[Statement]:
        """Return what stands in a tier at home (profile, era, narrative, self, bank), or what stood there before."""
        if past:
            return await statements.history(self._db, self.home, tier)
        return await statements.standing(self._db, self.home, tier, shown_only=True)

    async def receipts(self, stated: Sequence[Statement]) -> dict[int, list[Exchange]]:
        """Return the messages of people that statements rest on, by the statement's key."""
        return await statements.cited(self._db, [one.key for one in stated])

    async def last_heard(self) -> int:
        """Return when somebody, be it Lyra, last said something at home; 0 where nobody did."""
        row = await self._db.one("SELECT coalesce(max(last_at), 0) AS last FROM sessions WHERE domain = :d", {"d": self.home.key})
        return int(row["last"]) if row else 0

    async def self_state(self) -> SelfState:
        """Return how Lyra is at home."""
        return await selfstate.state(self._db, self.home)

    async def self_history(self) -> list[Moment]:
        """Return how Lyra was at home, the newest first."""
        return await selfstate.history(self._db, self.home)

    async def reset_self(self) -> None:
        """Let Lyra be at home as at the beginning: no mood, no drives, nothing said of herself."""
        async with self._db.transaction() as tx:
            await selfstate.reset(tx, self.home, self._r.clock.now())

    async def era_sessions(self) -> dict[str, int]:
        """Return of how many sessions each month's era was told."""
        told = await progress.read_all(self._db, self.home, eras.TIER)
        return {period: month.sessions for period, month in told.items()}

    async def bank_state(self) -> Consent:
        """Return since when the bank is on at home (None: it is off), and which members keep out of it."""
        return await consent.consent(self._r.places, self.home)

    async def bank(self, max_tokens: int) -> Block:
        """Return the bank at home as it is shown in at most so many tokens, with the bullets that it shows."""
        if not await consent.is_on(self._r.places, self.home):
            return Block()
        standing = await statements.standing(self._db, self.home, consent.TIER, shown_only=True)
        return block.render(block.entries(standing), max_tokens)

    async def bank_block(self, max_tokens: int) -> str:
        """Return the text of the bank at home, '' where it is off or empty."""
        return (await self.bank(max_tokens)).text

    async def bank_on(self) -> bool:
        """Turn the bank at home on from now on; return whether it was off. Raises NotShared."""
        return await consent.turn_on(self._r.places, self.home, self._r.clock.now())

    async def bank_off(self) -> bool:
        """Turn the bank at home off and empty it; return whether it was on."""
        return await consent.turn_off(self._r.places, self.home, self._r.clock.now())

    async def bank_leave(self, member: Identity) -> int:
        """Keep what a member said and says out of the bank at home; return how many bullets went. Raises NotShared."""
        return await consent.withdraw(self._r.places, self.home, member, self._r.clock.now())

    async def bank_join(self, member: Identity) -> None:
        """Let what a member said and says enter the bank at home again. Raises NotShared."""
        await consent.rejoin(self._r.places, self.home, member)

    async def fact(self, public_id: str, by: Identity | None = None) -> Statement:
        """Return a standing fact at home that may be corrected or forgotten, as the right of `by` (None: all) allows.

        Raises NotFound, NotYours.
        """
        return await owners.fact(self._db, self.home, public_id, by)

    async def correct_fact(self, public_id: str, correction: Exchange, by: Identity | None = None) -> Statement:
        """Put what somebody said, a message at home, in the place of a standing fact, as the right of `by` allows.

        Raises NotFound, NotYours, SourceGone.
        """
        await self.fact(public_id, by)
        now = self._r.clock.now()
        async with self._db.transaction() as tx:
            await require_unchanged(tx, {correction.key: correction.text})
            return await profile.correct(tx, self._r.seal, self.home, public_id, correction, now)

    async def forget_fact(self, public_id: str, by: Identity | None = None) -> list[Exchange]:
        """Let a fact go, with what it took the place of, and not come back; return the messages that it rested on.

        As the right of `by` (None: all) allows. Raises NotFound, NotYours.
        """
        await self.fact(public_id, by)
        async with self._db.transaction() as tx:
            return await profile.forget_fact(tx, self._r.seal, self.home, public_id, self._r.clock.now())
