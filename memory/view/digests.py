"""What was derived from messages: gists, summaries, the statements above them, Lyra's self-state, and a shared home's bank."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.bank import block
from memory.bank.block import Block
from memory.derive import progress
from memory.errors import ToldInConfidence
from memory.forget.gone import shown
from memory.index.when.values import Window
from memory.places import confidences, consent
from memory.places.consent import Consent
from memory.store.domains import note_forgetting
from memory.store.lineage import require_unchanged
from memory.text.time.times import months_within
from memory.tiers import eras, manners, narrative, open_things, profile, selfstate, statement_reads, statements, summaries
from memory.tiers.selfstate import DatedState, SelfState
from memory.types import Digest, Exchange, Identity, Session, Statement
from memory.view import owners
from memory.view.binding import ViewPart
from memory.view.short_ids import ShortIds

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Tiers:
    """What holds at home whatever is asked, for a prompt.

    Facts, narrative, the bank's block, the self-state, the digests of a session, people's manners, and what they announced
    whose day is over, newest first.
    """

    profile: Sequence[Statement]
    narrative: Sequence[Statement]
    bank: Block
    self_state: SelfState
    frontier: Sequence[Digest]
    manners: Sequence[Statement]
    announced: Sequence[Statement]


class Digests(ViewPart):
    """The digests of one home."""

    async def all(self) -> list[tuple[Session, Digest]]:
        """Return every gist and summary at home with its session."""
        sessions = {session.key: session for session in await self._binding.sessions()}
        rows = await self._db.all(
            f"{summaries.SELECT}WHERE d.domain = :domain AND d.tier IN ('gist', 'summary') AND {shown('d')} "
            "ORDER BY d.session, d.first_at, d.item",
            {"domain": self._home.key},
        )
        return [(sessions[row["session"]], summaries.digest(row)) for row in rows]

    async def tiers(self, session: Session, bank_tokens: int) -> Tiers:
        """Return the tiers of home and of one of its sessions; the bank, if on, in at most `bank_tokens` tokens."""
        self._binding.require_own(session)
        wanted = (profile.TIER, narrative.TIER, selfstate.TIER, consent.TIER, manners.TIER)
        scope = self._binding.scope
        read = await statement_reads.standing(self._db, self._home, session, wanted, banked=scope, now=self._binding.now())
        return Tiers(
            read.tier(profile.TIER), read.tier(narrative.TIER), block.render(block.entries(read.tier(consent.TIER)), bank_tokens),
            selfstate.assemble(read.mind, read.tier(selfstate.TIER)),
            list(read.digests.values()), read.tier(manners.TIER),
            sorted(read.tier(open_things.TIER), key=lambda one: -one.last_at),
        )  # fmt: skip

    async def statements(self, tier: str, *, past: bool = False) -> list[Statement]:
        """Return a tier's standing statements at home or, if `past`, its former ones.

        `tier` is profile, era, narrative, self or bank. For the profile, people's manners follow the facts.
        """
        found: list[Statement] = []
        for each in (tier, manners.TIER) if tier == profile.TIER else (tier,):
            if past:
                found += await statements.history(self._db, self._home, each)
            else:
                found += manners.current_wishes(await statements.standing(self._db, self._home, each, shown_only=True))
        return [replace(one, period="") if one.tier == manners.TIER else one for one in found]

    async def wanted_by(self, asked: Sequence[Exchange]) -> list[Statement]:
        """Return the manners of those who said these messages at home."""
        return manners.of_speakers(await statements.standing(self._db, self._home, manners.TIER, shown_only=True), asked)

    async def months(self, window: Window) -> list[Statement]:
        """Return the era paragraphs of home's months that lie wholly in a window, oldest first, at most twelve."""
        months = months_within(window.start, window.end, self._home.time_zone, _MONTHS)
        return await statements.of_periods(self._db, self._home, eras.TIER, months) if months else []

    async def receipts(self, stated: Sequence[Statement]) -> dict[int, list[Exchange]]:
        """Return the people's messages that statements rest on, by the statement's key."""
        return await statements.cited(self._db, [one.key for one in stated])

    async def era_sessions(self) -> dict[str, int]:
        """Return how many sessions each month's era was made from."""
        months = await progress.read_all(self._db, self._home, eras.TIER)
        return {period: month.sessions for period, month in months.items()}


class Facts(ViewPart):
    """The standing facts of one home."""

    async def find(self, public_id: str, by: Identity | None = None) -> Statement:
        """Return a standing fact at home that `by` (None: anyone) may correct or forget.

        Raises NotFound, AmbiguousId, NotYours.
        """
        return await owners.fact(self._db, self._home, await ShortIds(self._binding).full(public_id), by)

    async def correct(self, public_id: str, correction: Exchange, by: Identity | None = None) -> Statement:
        """Replace a standing fact with what somebody said, a message at home, within the rights of `by`.

        Raises NotFound, NotYours, SourceGone.
        """
        public_id = await ShortIds(self._binding).full(public_id)
        if wish := await manners.taken_by(self._db, self._home, public_id, correction):
            return wish  # the manner was already read from these words when they were stored
        public_id = (await self.find(public_id, by)).id
        now = self._binding.now()
        async with self._binding.writing() as tx:
            await require_unchanged(tx, {correction.key: correction.text})
            if await confidences.by_item(tx, [correction.key]):
                raise ToldInConfidence("A fact here is for everybody who can read this; tell me that in private instead.")
            # An answer being made with the old fact in view is made again with the new one.
            await note_forgetting(tx, self._home, now)
            return await profile.correct(tx, self._binding.seal, self._home, public_id, correction, now)

    async def forget(self, public_id: str, by: Identity | None = None) -> list[Exchange]:
        """Drop a fact for good, with those it replaced; return the messages that it rested on.

        Only within the rights of `by` (None: any fact). Raises NotFound, NotYours.
        """
        public_id = (await self.find(public_id, by)).id
        now = self._binding.now()
        async with self._binding.writing() as tx:
            # An answer being made with the fact in view is made again without it.
            await note_forgetting(tx, self._home, now)
            return await profile.forget_fact(tx, self._binding.seal, self._home, public_id, now)


class SelfStates(ViewPart):
    """Lyra's self-states at home."""

    async def now(self) -> SelfState:
        """Return Lyra's current self-state at home."""
        return await selfstate.state(self._db, self._home)

    async def history(self) -> list[DatedState]:
        """Return Lyra's past self-states at home, newest first."""
        return await selfstate.history(self._db, self._home)

    async def reset(self) -> None:
        """Reset Lyra's self-state at home: no mood, no drives, nothing said of herself."""
        async with self._binding.writing() as tx:
            await selfstate.reset(tx, self._home, self._binding.now())


class SharedBank(ViewPart):
    """The bank of one home, and who has opted out of it."""

    async def state(self) -> Consent:
        """Return since when the bank is on at home (None: off), and which members opted out."""
        return await consent.consent(self._binding.shared.places, self._home)

    async def render(self, max_tokens: int) -> Block:
        """Return the bank at home rendered in at most `max_tokens` tokens, with the entries that it shows."""
        if not await consent.is_on(self._binding.shared.places, self._home):
            return Block()
        standing = await statements.standing(self._db, self._home, consent.TIER, shown_only=True)
        return block.render(block.entries(standing), max_tokens)

    async def turn_on(self) -> bool:
        """Turn the bank at home on; return whether it was off. Raises NotShared."""
        return await consent.turn_on(self._binding.shared.places, self._home, self._binding.now())

    async def turn_off(self) -> bool:
        """Turn the bank at home off and empty it; return whether it was on."""
        return await consent.turn_off(self._binding.shared.places, self._home, self._binding.now())

    async def opt_out(self, member: Identity) -> int:
        """Keep a member's past and future messages out of the bank; return how many entries were dropped. Raises NotShared."""
        return await consent.withdraw(self._binding.shared.places, self._home, member, self._binding.now())

    async def opt_in(self, member: Identity) -> None:
        """Let a member's past and future messages enter the bank at home again. Raises NotShared."""
        await consent.rejoin(self._binding.shared.places, self._home, member)
