"""Reflections: thoughts of hers about what was new, kept as statements about herself with what they rest on.

A thought is read from a structured answer, holds no name and no number that its sources do not, and rests on what people
said, never on an earlier thought. Whether it is ever said aloud is decided elsewhere, of those that wait for it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.derive.consolidate import MOST_REFUSALS, Workshop
from memory.derive.evidence import unsupported
from memory.dream import musing, thought
from memory.dream.novelty import Novelty
from memory.dream.thought import Thought
from memory.errors import WriterRefused
from memory.journal import ledger
from memory.journal.ledger import Claim
from memory.ports import Entry, Muse, Source
from memory.store.database import Database, Transaction
from memory.store.lineage import unchanged
from memory.text.lexical import key_words
from memory.text.times import iso
from memory.tiers import exchanges, selfstate, statements
from memory.tiers.lines import Grounds, Line, grounds, of_gists, stated
from memory.types import Domain, Statement

KIND = "reflection"
LEAST_RECEIPTS = 2
_MESSAGES, _GISTS, _LINES = 12, 3, 8
_ALIKE = 0.5
_TIER = "reflection"


@dataclass(frozen=True, slots=True)
class Reflected:
    """What became of thinking: what was kept of it (None: nothing), whether it waits to be said, why not, and how it felt.

    `again` says that it should be thought about again: no answer could be used so far.
    """

    kept: int | None = None
    waits: bool = False
    why: str = ""
    feeling: float = 0.0
    again: bool = False


class Reflecting:
    """Thinks about one domain, being so curious."""

    def __init__(self, workshop: Workshop, muse: Muse, level: float) -> None:
        self._w = workshop
        self._muse = muse
        self._level = level

    async def reflect(self, new: Novelty) -> Reflected:
        """Think about what is new, once. Raises WriterFailed where the model is out of reach."""
        if not new.messages:
            return Reflected(why="nothing is new")
        domain, db = self._w.domain, self._w.db
        async with db.transaction() as tx:
            held = await ledger.claim(tx, _TIER, str(domain.key), self._w.holders, self._w.clock.now())
            if held and await thought_about(tx, domain) >= new.last:
                await ledger.settle(tx, held)
                return Reflected(why="nothing is new")
        if held is None:
            return Reflected(why="another process thinks about it just now", again=True)
        try:
            return await self._think(new, held)
        finally:
            async with db.transaction() as tx:
                await ledger.settle(tx, held)

    async def _think(self, new: Novelty, held: Claim) -> Reflected:
        lines, texts = await self._lines(new)
        if not lines:
            return Reflected(why="what was new was taken back", again=True)
        inputs = "/".join(str(line.item) for line in lines)
        if await self._refused(inputs) >= MOST_REFUSALS:
            return await self._done(new, held, Reflected(why="three answers could not be used"))
        sources = [line.source for line in lines]
        prompt = musing.question(sources)
        try:
            answer = await self._muse.answer(prompt.system, prompt.user)
            found = thought.read(answer)
            why = await asyncio.to_thread(_wrong, found, sources)
            if why:
                raise WriterRefused(why, answer)
        except WriterRefused as refusal:
            await self._keep_refusal(texts, inputs, refusal)
            # Why it was refused may hold words of theirs: that stays with the answer.
            return Reflected(why="the answer could not be used", again=True)
        if not found.text:
            return await self._done(new, held, Reflected(why="no thought came of it", feeling=found.feeling))
        return await self._keep(new, held, found, lines, texts)

    async def _done(self, new: Novelty, held: Claim, reflected: Reflected) -> Reflected:
        async with self._w.db.transaction() as tx:
            if await ledger.holds(tx, held):
                await self._move(tx, new)
        return reflected

    async def _move(self, tx: Transaction, new: Novelty) -> None:
        """Note up to which message was thought about."""
        await tx.run(
            "INSERT INTO rungs (domain, tier, period, inputs, mark, size, sessions, made_at) "
            "VALUES (:d, :tier, '', '', :mark, 0, 0, :now) "
            "ON CONFLICT (domain, tier, period) DO UPDATE SET mark = max(rungs.mark, :mark), made_at = :now",
            {"d": self._w.domain.key, "tier": _TIER, "mark": new.last, "now": self._w.clock.now()},
        )

    async def _lines(self, new: Novelty) -> tuple[list[Line], dict[int, str]]:
        """Return what brought most, as it was said, and what the newest gists say, with the texts of those items."""
        keys = [message.key for message in new.messages[:_MESSAGES]]
        # Some of it may have been changed or forgotten since.
        there = await exchanges.at_their_places(self._w.db, [self._w.domain.key], keys)
        said = sorted((placed.exchange for placed in there.values()), key=lambda message: (message.said_at, message.key))
        zone = self._w.domain.time_zone
        spoken = [
            Line(Source(f"m{at}", m.speaker, iso(m.said_at, zone), m.text), m.key, (m.key,), m.said_at, m.said_at)
            for at, m in enumerate(said, start=1)
        ]
        gists = await self._w.db.all(
            "SELECT item, session, text, first_at, last_at FROM digests WHERE domain = :d AND tier = 'gist' "
            "ORDER BY last_at DESC, item DESC LIMIT :n",
            {"d": self._w.domain.key, "n": _GISTS},
        )
        told = [line for line in await of_gists(self._w.db, self._w.domain, gists[::-1]) if line.said]
        texts = {m.key: m.text for m in said} | {row["item"]: row["text"] for row in gists}
        return [*spoken, *told[-_LINES:]], texts

    async def _keep(
        self, new: Novelty, held: Claim, found: Thought, lines: Sequence[Line], texts: Mapping[int, str]
    ) -> Reflected:
        rests = grounds(Entry(found.text, found.cites), lines)
        if rests is None:
            return await self._done(new, held, Reflected(why="it rests on nothing that people said", feeling=found.feeling))
        why = _unsaid(found, rests, await self._earlier())
        async with self._w.db.transaction() as tx:
            if not await ledger.holds(tx, held) or not await unchanged(tx, texts):
                return Reflected(why="something it rests on was taken back meanwhile", feeling=found.feeling, again=True)
            key = await self._publish(tx, found, rests, waits=not why)
            await self._move(tx, new)
        return Reflected(key, not why, why, found.feeling)

    async def _publish(self, tx: Transaction, found: Thought, rests: Grounds, *, waits: bool) -> int:
        now = self._w.clock.now()
        new = stated(selfstate.TIER, "", KIND, found.text, self._muse.name, rests)
        key = await statements.publish(tx, self._w.seal, self._w.domain, new, now)
        await tx.run(
            "INSERT INTO reflections (item, domain, made_at, level, state) VALUES (:item, :domain, :now, :level, :state)",
            {
                "item": key,
                "domain": self._w.domain.key,
                "now": now,
                "level": self._level,
                "state": "waiting" if waits else "kept",
            },
        )
        return key

    async def _earlier(self) -> list[Statement]:
        told = await statements.standing(self._w.db, self._w.domain, selfstate.TIER)
        return [one for one in told if one.kind == KIND]

    async def _refused(self, inputs: str) -> int:
        row = await self._w.db.one(
            "SELECT count(*) AS n FROM rejections WHERE domain = :d AND tier = :tier AND inputs = :inputs",
            {"d": self._w.domain.key, "tier": _TIER, "inputs": inputs},
        )
        return int(row["n"]) if row else 0

    async def _keep_refusal(self, texts: Mapping[int, str], inputs: str, refusal: WriterRefused) -> None:
        async with self._w.db.transaction() as tx:
            if await unchanged(tx, texts):
                await tx.run(
                    "INSERT INTO rejections (domain, tier, period, inputs, writer, reason, answer, rejected_at) "
                    "VALUES (:domain, :tier, '', :inputs, :writer, :reason, :answer, :now)",
                    {"domain": self._w.domain.key, "tier": _TIER, "inputs": inputs, "writer": self._muse.name,
                     "reason": str(refusal), "answer": refusal.answer, "now": self._w.clock.now()},
                )  # fmt: skip


def _wrong(found: Thought, sources: Sequence[Source]) -> str:
    """Say why a thought cannot stand, '' where it can."""
    cited = [source for source in sources if source.label in found.cites]
    if found.text and not cited:
        return "it cites none of its sources"
    invented = unsupported(found.text, cited)
    return f"it says what its sources do not: {', '.join(invented)}" if invented else ""


def _unsaid(found: Thought, rests: Grounds, before: Sequence[Statement]) -> str:
    """Say why a thought stays unsaid, '' where it may be said."""
    if not found.post:
        return "she keeps it to herself"
    if len(rests.said) < LEAST_RECEIPTS:
        return "it rests on fewer than two messages"
    if any(alike(found.text, one.text) for one in before):
        return "she thought so before"
    return ""


def alike(one: str, other: str) -> bool:
    """Say whether two texts share half of their words."""
    words, others = (set(key_words(text).values()) for text in (one, other))
    return len(words & others) >= _ALIKE * len(words | others)


async def thought_about(kept: Database | Transaction, domain: Domain) -> int:
    """Return the key of the last message of a domain that was thought about."""
    row = await kept.one("SELECT mark FROM rungs WHERE domain = :d AND tier = :tier", {"d": domain.key, "tier": _TIER})
    return int(row["mark"]) if row else 0
