"""Kept messages, as their platform deletes or edits them.

Whoever deletes or edits a message on the platform decides about it there, so this acts on a place whatever its domain, and
returns no text. A deleted message is forgotten like anything else. An edited message keeps its id and its position in the
conversation; its old words leave the index, the digests, the notices that repeat them, and the replies that hold them.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.derive import refusals
from memory.forget import erase, old_tellings
from memory.forget.confidence_changes import ConfidenceChanges, withheld_from
from memory.forget.discretion_targets import kept_back
from memory.forget.forgetting import Forgetting
from memory.forget.gone import Gone
from memory.forget.thread_name_removal import unname_after
from memory.index.indexing import unindex
from memory.journal import inbox
from memory.journal.outbox import NOTICES, blank_parts, taken_away
from memory.places import confidences, identities
from memory.ports import Clock
from memory.store.database import Database, Row, Transaction
from memory.store.domains import by_domain
from memory.store.lineage import Seal, bound, paged, placeholders
from memory.text.lexical import key_words
from memory.text.told.discretion import request_in
from memory.tiers import corrections, entities, exchanges, feedback, manners, open_things
from memory.tiers.feedback import GivenBy
from memory.tiers.messages import asides, known, storing
from memory.types import Discretion, Domain, DomainKind, Forgotten, Kind
from memory.view.shown_messages import conversations


@dataclass(frozen=True, slots=True)
class KnownMessages:
    """What is known under a place's platform ids: messages and asides by public id, and open events by key.

    `ids` are those of everything stored, waiting or sent.
    """

    ids: set[str]
    messages: set[str]
    events: dict[int, str]
    asides: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class KeptMessages:
    """The messages kept of every place, and what their platforms delete and edit."""

    db: Database
    seal: Seal
    forgetting: Forgetting
    clock: Clock
    confiding: ConfidenceChanges

    async def knows(self, platform: str, place: str, ids: Sequence[str]) -> set[str]:
        """Return which messages of a place are stored, wait in the inbox, or were sent from here."""
        return (await self._find(platform, place, ids)).ids

    async def follows(self, platform: str, place: str, id: str) -> bool:
        """Return whether an edit or delete of a message matters: whether it is known, or was shown in a prompt."""
        found = await self._find(platform, place, [id])
        return bool(found.ids or found.asides)

    async def withdraw(self, platform: str, place: str, ids: Sequence[str]) -> Forgotten | None:
        """Forget messages that were deleted from a place; return None, writing nothing, if none of them is known."""
        await self._take_back_feedback(platform, ids)
        found = await self._find(platform, place, ids)
        if not (found.messages or found.events or found.asides):
            if found.ids:
                async with self.db.transaction() as tx:
                    await taken_away(tx, platform, place, ids)
            return None
        if found.events:
            async with self.db.transaction() as tx:
                await unname_after(tx, platform, found.events.values(), self.clock.now())
        waiting = await self._message_ids(platform, place, sorted(found.events.values()))
        receipt = await self.forgetting.forget_named(sorted({*found.messages, *waiting, *found.asides}), sorted(found.events))
        async with self.db.transaction() as tx:
            await taken_away(tx, platform, place, ids)
        return receipt

    async def _take_back_feedback(self, platform: str, acts: Sequence[str]) -> None:
        """Take back feedback that was given by platform acts now undone, such as reactions under a reply."""
        for given in await feedback.given_in(self.db, platform, acts):
            for domain, replies in await by_domain(self.db, [given["reply"]]):
                async with confidences.changing(self.db, domain, replies) as tx:
                    await feedback.take_back(tx, domain, given["reply"], [GivenBy(given["given_by"])], self.clock.now())

    async def disregard(self, platform: str, place: str, id: str) -> Forgotten:
        """Forget a message of a place, stored or not: from now on it is neither stored nor shown in a prompt."""
        ids = [*await self._message_ids(platform, place, [id]), *await self._aside_ids(platform, place, [id])]
        return await self.forgetting.forget_named(ids)

    async def speakers(self, platform: str, ids: Sequence[str]) -> dict[str, str]:
        """Map those platform ids of people's messages that are kept anywhere to the accounts that said them."""
        rows = await paged(self.db, _SPEAKERS, ids, {"platform": platform})
        return {row["source_id"]: row["native_id"] for row in rows}

    async def places_of(self, platform: str, server: str, channel: str) -> list[str]:
        """Return the keys of the places of a channel or thread, including its threads, that hold a conversation."""
        begins = json.dumps([server], ensure_ascii=False).removesuffix("]")
        within = {"platform": platform, "from": f"{begins}, ", "to": f"{begins}-"}
        rows = await self.db.all(_PLACES, within)
        return [row["place"] for row in rows if channel in json.loads(row["place"])[1:]]

    async def revise(self, platform: str, place: str, id: str, text: str, at: int, *, stays: bool = False) -> bool:
        """Set a message's text to what it reads since `at`; return whether anything stored changed.

        No text withdraws it or, if its place in the conversation `stays`, only its words: those that a later edit gives it are heard.
        """
        message = {"platform": platform, "place": place, "id": id, "at": at}
        stored = await self.db.all(_SAID, message)
        if stored and all(row["edited_at"] >= at for row in stored):
            return False
        if not text.strip():
            if not stored or not stays:
                return await self.withdraw(platform, place, [id]) is not None
            text = ""
            # What was emptied is not to be answered any more.
            await self.forgetting.forget_named((), sorted((await self._find(platform, place, [id])).events))
        is_same = all(row["text"] == text for row in stored)
        if not (stored and is_same):
            async with self.db.transaction() as tx:
                await unname_after(tx, platform, [id], self.clock.now())
        given_up = await self.db.all(_GIVEN_UP, message)
        shown = sorted((await self._find(platform, place, [id])).asides.values())
        if is_same and not given_up and not shown:
            return False
        request = await asyncio.to_thread(request_in, text)
        ask = request if request and not request.ends else None
        changed = [row for row in stored if row["text"] != text]
        await self.confiding.keep_again([row["item"] for row in changed if not await _still_permits(row["text"], request)])
        besides = {row["item"]: await self._held_back_besides(row, ask, text) for row in stored} if ask else {}
        async with self.db.transaction() as tx:
            gone: list[Gone] = []
            for row in await tx.all(_SAID + "AND e.edited_at < :at", message):
                if row["text"] != text:
                    gone.append(await self._change(tx, row, text, at))
                    if ask:
                        await self._hold_back(tx, row, ask, besides.get(row["item"], ()))
            await asides.erase(tx, shown)
            for domain, items in await by_domain(tx, shown):
                gone += [await self.forgetting.reword(tx, domain, item, "", self.clock.now()) for item in items]
            # An abandoned event is never answered: its payload would only keep the old words.
            await inbox.blank(tx, [row["id"] for row in given_up])
        await self.forgetting.finish(gone)
        return bool(stored or given_up or gone)

    async def _change(self, tx: Transaction, row: Row, text: str, at: int) -> Gone:
        ((domain, _),) = await by_domain(tx, [row["item"]])
        after, now = exchanges.exchange(row)._replace(text=text, kind=Kind.SAID), self.clock.now()
        await storing.reword(tx, domain, after.key, text, at)
        await erase.retire_above(tx, [after.key], now)
        await refusals.drop(tx, domain)
        await _silence_notices(tx, domain, _words(row["text"]) - _words(text))
        await unindex(tx, domain, [after.key])
        await entities.requeue(tx, domain, [after.key])
        if text and exchanges.recallable(after):
            await storing.index(tx, domain, [after])
        await manners.note(tx, self.seal, domain, [after], now)
        await open_things.note(tx, domain, [after])
        corrected = await corrections.reword(tx, domain, row["text"], after)
        await old_tellings.retire(tx, corrected, now, self.seal)
        await self.confiding.keep_with_corrected(tx, domain, [after])
        return await self.forgetting.reword(tx, domain, after.key, row["text"], now)

    async def _held_back_besides(self, row: Row, ask: Discretion, text: str) -> list[int]:
        """Return what an edited text asks to hold back besides itself: replies that hold it, and the messages it is about."""
        replies, teller = await self.confiding.replies({row["item"]: text}), await identities.account(self.db, row["identity"])
        if teller is None:
            return replies
        targets = await self.confiding.targets(row["domain"], row["session"], teller, ask, row["item"])
        return [*replies, *targets.with_replies(kept_back(ask, targets).earlier)]

    async def _hold_back(self, tx: Transaction, row: Row, ask: Discretion, besides: Sequence[int]) -> None:
        """Hold back an edited message with its corrections, and `besides`, from those it excludes, in shared domains."""
        ((domain, _),) = await by_domain(tx, [row["item"]])
        teller = await identities.account(tx, row["identity"])
        if teller and domain.ref.kind is not DomainKind.DM:
            whom = await withheld_from(tx, [domain], ask, teller)
            await self.confiding.put(tx, sorted({*await corrections.with_tied(tx, [row["item"]]), *besides}), whom, row["item"])

    async def _find(self, platform: str, place: str, ids: Sequence[str]) -> KnownMessages:
        here = {"platform": platform, "place": place}
        heard, own, waiting = [await paged(self.db, sql, ids, here) for sql in (_KEPT, _OWN, _OPEN)]
        return KnownMessages(
            {row["id"] for row in (*heard, *own, *waiting)},
            {row["public_id"] for row in (*heard, *own) if row["public_id"]},
            {row["key"]: row["id"] for row in waiting},
            await asides.by_public_id(self.db, await self._aside_ids(platform, place, ids)),
        )

    async def _message_ids(self, platform: str, place: str, ids: Sequence[str]) -> list[str]:
        """Return the public ids that messages would get in any conversation of a place, so that they meet their tombstones."""
        talks = (await conversations(self.db, platform, [place], place)).at
        return [known.public_id(self.seal, domain.ref, ref, id) for domain, ref in talks.get(place, ()) for id in ids]

    async def _aside_ids(self, platform: str, place: str, ids: Sequence[str]) -> list[str]:
        """Return the public ids that messages only shown, and not stored, would get at a place."""
        domains = (await conversations(self.db, platform, [place], place)).domains
        return [known.seen_as(self.seal, domain.ref, platform, place, id) for domain in domains for id in ids]


async def _silence_notices(tx: Transaction, domain: Domain, lost: set[str]) -> None:
    rows = await tx.all(
        f"SELECT id, text FROM outbox WHERE domain = :domain AND {NOTICES} AND text <> ''", {"domain": domain.key}
    )
    repeating = [row for row in rows if not lost.isdisjoint(_words(row["text"]))]
    await blank_parts(tx, f"id IN ({placeholders('r', repeating)})", bound("r", [row["id"] for row in repeating]))


async def _still_permits(before: str, now: Discretion | None) -> bool:
    """Return whether an edited text permits to tell the same people the same as it did."""
    if now is None or not now.ends or now.told:
        return False
    was = await asyncio.to_thread(request_in, before)
    return was is not None and (was.names, was.topic, was.every) == (now.names, now.topic, now.every)


def _words(text: str) -> set[str]:
    # A single character occurs in every other text of a script without spaces.
    return {stem for word, stem in key_words(text).items() if len(word) > 1}


_HERE = "WHERE s.platform = :platform AND s.place = :place "
_KEPT = (
    "SELECT e.source_id AS id, i.public_id FROM sessions s JOIN exchanges e ON e.session = s.id "
    f"JOIN items i ON i.id = e.item {_HERE}AND e.source_id IN ({{within}})"
)
_OWN = (
    "SELECT o.remote_id AS id, i.public_id FROM outbox o "
    "LEFT JOIN items i ON i.id = o.item AND i.dead_at IS NULL AND i.kind <> 'notice' "
    "WHERE o.platform = :platform AND o.place = :place AND o.remote_id <> '' AND o.remote_id IN ({within})"
)
_OPEN = (
    "SELECT event_id AS id, id AS key FROM inbox WHERE platform = :platform AND place = :place AND state <> 'done' "
    "AND event_id IN ({within})"
)
_SAID = (
    exchanges.SELECT
    + f"JOIN sessions s ON s.id = e.session {_HERE}AND e.source_id = :id AND (e.kind = 'said' OR e.kind = 'command') "
)
_SPEAKERS = (
    "SELECT e.source_id, n.native_id FROM exchanges e JOIN sessions s ON s.id = e.session JOIN identities n ON n.id = e.identity "
    "WHERE s.platform = :platform AND n.platform = :platform AND e.kind = 'said' AND e.source_id IN ({within})"
)
_GIVEN_UP = (
    "SELECT id FROM inbox WHERE platform = :platform AND place = :place AND event_id = :id AND state = 'parked' AND payload <> ''"
)
_PLACES = (
    "SELECT place FROM sessions WHERE platform = :platform AND place >= :from AND place < :to UNION "
    "SELECT place FROM active_sessions WHERE platform = :platform AND place >= :from AND place < :to"
)
