"""What was told in confidence at home, as seen, told and revoked by its teller."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import NotYours
from memory.forget import confidence_changes
from memory.forget.confidence_changes import SOON
from memory.journal.parts import Part
from memory.places import confidences, identities
from memory.places.shown_names import standing
from memory.text.told.correction_wordings import correction
from memory.text.told.discretion import without_request
from memory.text.told.retellings import follows_up, retells
from memory.tiers import exchanges
from memory.types import NOBODY, Discretion, Exchange, Identity, Session, WithheldFrom
from memory.view import owners
from memory.view.binding import ViewPart
from memory.view.short_ids import ShortIds


@dataclass(frozen=True, slots=True)
class ConfidedMessage:
    """A message told in confidence, and the names of those who may not know it; empty means everybody else `but` these."""

    exchange: Exchange
    names: Sequence[str]
    but: Sequence[str] = ()


_MOST = 200
"""The maximum number of an account's confidences, newest first, that what is said is compared with."""


def _telling_again(said: Sequence[tuple[int, str, int]], told: Sequence[Exchange]) -> set[int]:
    before = [(without_request(one.text), one.said_at) for one in told]
    return {
        at
        for at, text, when in said
        for now in [without_request(text)]
        if any(
            retells(now, one) or (0 <= when - then < SOON and (follows_up(now, one) or correction(now) is not None))
            for one, then in before
        )
    }


class Confidences(ViewPart):
    """The confidences of one home."""

    async def told_by(self, teller: Identity) -> list[ConfidedMessage]:
        """Return what an account told here in confidence, oldest first."""
        confided = await confidences.told_by(self._db, self._home, teller)
        messages = await exchanges.among(self._db, [item for item, _ in confided])
        return [await self._told(messages[item], excepted) for item, excepted in confided if item in messages]

    async def told_again(self, platform: str, said: Sequence[tuple[str, str, int]]) -> set[int]:
        """Return which of what accounts of a platform said, each with its text and time, tells again or anew what they told in confidence.

        Only that counts which they told at home, and which this view does not read.
        """
        if not said or not await self._binding.has_confidences():
            return set()
        found: set[int] = set()
        for account in {who for who, _, _ in said}:
            confided = await confidences.told_by(self._db, self._home, Identity(platform, account))
            hidden = await confidences.by_item(self._db, [item for item, _ in confided[-_MOST:]])
            hidden = {item: one for item, one in hidden.items() if one.domain.key not in self._domains}
            told = [*(await exchanges.among(self._db, [*hidden])).values()]
            theirs = [(at, text, when) for at, (who, text, when) in enumerate(said) if who == account] if told else []
            found |= await asyncio.to_thread(_telling_again, theirs, told)
        return found

    async def put(self, public_id: str, teller: Identity, ask: Discretion) -> ConfidedMessage:
        """Hold a message back from those its teller names, or release it (`ends`). Raises NotFound, AmbiguousId, NotYours."""
        item = await owners.message(self._db, self._home, await ShortIds(self._binding).full(public_id), None)
        message = (await exchanges.among(self._db, [item])).get(item)
        if message is None or message.identity != await owners.identity(self._db, teller):
            raise NotYours("Only whoever said it can have it kept from somebody.")
        work = self._binding.shared.confiding
        about = [item] if ask.ends else [item, *await work.replies({item: message.text})]
        async with self._db.transaction() as tx:
            excepted = await confidence_changes.withheld_from(tx, self._binding.readable, ask, teller)
            await (work.end(tx, about, excepted) if ask.ends else work.put(tx, about, excepted, item))
            confided = await confidences.by_item(tx, [item])
        return await self._told(message, confided[item].excepted if item in confided else NOBODY)

    async def put_about(self, tellers: Sequence[Identity], ask: Discretion, request: int | None = None) -> list[ConfidedMessage]:
        """Hold back what a person said here under these accounts about the topic of a request that they made elsewhere, in a message.

        Return these messages, with what corrects them; replies that hold something of them are held back as well.
        """
        work, found = self._binding.shared.confiding, list[int]()
        for teller in tellers:
            about = await work.targets(self._home.key, None, teller, ask)
            if about.named:
                async with self._db.transaction() as tx:
                    excepted = await confidence_changes.withheld_from(tx, self._binding.readable, ask, teller)
                    await work.put(tx, about.with_replies(about.named), excepted, request)
                found += about.named
        return await self.confided([*(await exchanges.among(self._db, found)).values()])

    async def end_about(self, tellers: Sequence[Identity], ask: Discretion, permit: int | None = None) -> int:
        """Release what a person told here in confidence under these accounts, as far as a permission given elsewhere names it, in a message;
        return how much.
        """
        work, ended = self._binding.shared.confiding, 0
        for teller in tellers:
            async with self._db.transaction() as tx:
                confided = await confidences.told_by(tx, self._home, teller)
                excepted = await confidence_changes.withheld_from(tx, self._binding.readable, ask, teller)
                ended += await work.end(tx, await work.permitted(tx, confided, ask, excepted), excepted, permit)
        return ended

    async def end_all(self, teller: Identity) -> int:
        """Release everything that `teller` told here in confidence; return how many messages were released."""
        async with self._db.transaction() as tx:
            confided = [item for item, _ in await confidences.told_by(tx, self._home, teller)]
            return await self._binding.shared.confiding.end(tx, confided, WithheldFrom(frozenset({teller}), others=True))

    async def confided(self, asked: Sequence[Exchange]) -> list[ConfidedMessage]:
        """Return which of these messages were told in confidence."""
        confided = await confidences.by_item(self._db, [exchange.key for exchange in asked])
        return [await self._told(exchange, confided[exchange.key].excepted) for exchange in asked if exchange.key in confided]

    async def queue_notice(self, session: Session, told: Sequence[ConfidedMessage], parts: Sequence[Part], answers: str) -> bool:
        """Queue a notice of what was understood, once per message told in confidence; return whether it was queued."""
        async with self._binding.writing() as tx:
            first = not told or any([await confidences.tell(tx, one.exchange.key) for one in told])
            if first:
                await self._binding.queue(tx, session, parts, answers)
        return first

    async def _told(self, exchange: Exchange, excepted: WithheldFrom) -> ConfidedMessage:
        teller = await identities.account(self._db, exchange.identity) if exchange.identity else None
        named = await identities.names(self._db, excepted.accounts - {teller} if excepted.others else excepted.accounts)
        names = sorted((await standing(self._db.everywhere, self._binding.seal, self._home, named)).display_names().values())
        return ConfidedMessage(exchange, *([], names) if excepted.others else (names, []))
