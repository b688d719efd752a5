"""Ownership: what somebody said, which messages of a domain they may have forgotten, and which facts they may change.

Everybody may have forgotten what they said themselves, and the replies that answer nobody else. A fact may be changed by
those of whom it speaks. `by` None allows everything.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from memory.errors import NotFound, NotYours
from memory.index.mentions import members_named
from memory.places import confidences
from memory.store.database import DatabaseAccess
from memory.store.lineage import paged
from memory.tiers import exchanges, profile
from memory.tiers.messages import seen
from memory.types import Domain, DomainKind, Exchange, Identity, Statement
from memory.view.binding import ViewPart


async def message(db: DatabaseAccess, domain: Domain, public_id: str, by: Identity | None) -> int:
    """Return the key of a message of a domain that `by` may have forgotten. Raises NotFound, NotYours."""
    item = await exchanges.item(db, [domain.key], public_id)
    if item is None:
        raise NotFound("There is no message with that id here. Recall it first: every hit shows its id.")
    if by is not None and not await _is_said_by(db, item, by) and not await answers_alone(db, item, by):
        raise NotYours("Only whoever said it, or an admin, can have it forgotten.")
    return item


async def identity(db: DatabaseAccess, who: Identity) -> int | None:
    """Return the key of an account, or None if it never said anything."""
    row = await db.one("SELECT id FROM identities WHERE platform = :platform AND native_id = :native_id", _who(who))
    return int(row["id"]) if row else None


async def fact(db: DatabaseAccess, domain: Domain, public_id: str, by: Identity | None) -> Statement:
    """Return a standing fact of a domain that `by` may correct or forget. Raises NotFound, NotYours.

    Allowed are those named in the fact among the speakers it rests on; if it names none of them, all these speakers.
    """
    found = await profile.standing(db, domain, public_id)
    if by is not None and not await _theirs_is(db, found, by):
        raise NotYours("Only whoever said it of themselves, or an admin, can change that fact.")
    return found


async def _theirs_is(db: DatabaseAccess, fact: Statement, by: Identity) -> bool:
    rows = await db.all(
        f"SELECT e.speaker, {_IS_THEIRS} AS theirs FROM lineage l JOIN exchanges e ON e.item = l.parent {_SPEAKER} "
        "WHERE l.child = :item AND l.cited = 1 AND e.kind = 'said'",
        {"item": fact.key, **_who(by)},
    )
    about = members_named(fact.text, sorted({row["speaker"] for row in rows}))
    return any(row["theirs"] for row in rows if not about or row["speaker"] in about)


async def _is_said_by(db: DatabaseAccess, item: int, by: Identity) -> bool:
    theirs = f"SELECT 1 AS yes FROM exchanges e {_SPEAKER} WHERE e.item = :item AND {_THEIRS}"
    return await db.one(theirs, {"item": item, **_who(by)}) is not None


async def answers_alone(db: DatabaseAccess, item: int, by: Identity) -> bool:
    """Return whether a message is a reply to only this account; an old reply is taken to answer all that it rests on."""
    row = await db.everywhere.one(
        "WITH said (answered, theirs) AS ("
        f"SELECT l.answered, {_IS_THEIRS} FROM lineage l JOIN exchanges reply ON reply.item = l.child "
        f"JOIN exchanges e ON e.item = l.parent {_SPEAKER} "
        "WHERE l.child = :item AND reply.kind = 'reply' AND e.kind <> 'reply') "
        "SELECT coalesce(min(theirs), 0) AS yes FROM said WHERE answered = (SELECT max(answered) FROM said)",
        {"item": item, **_who(by)},
    )
    return row is not None and bool(row["yes"])


_SPEAKER = "LEFT JOIN identities n ON n.id = e.identity"
_THEIRS = "(n.platform = :platform AND n.native_id = :native_id)"
_IS_THEIRS = f"CASE WHEN {_THEIRS} THEN 1 ELSE 0 END"


def _who(by: Identity) -> dict[str, object]:
    return {"platform": by.platform, "native_id": by.native_id}


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message of a person's, with its session's name. Unless `only_own`, it is an answer that may hold others' words."""

    session: str
    exchange: Exchange
    only_own: bool


class OwnWords(ViewPart):
    """Each person's own words at one home."""

    async def said_by(self, who: Identity) -> AsyncIterator[OwnMessage]:
        """Yield what an account said at home and the answers to it, in stored order.

        In a DM everything is theirs. Elsewhere an answer is whole only if nothing stood in its view but that account's own
        messages and other whole answers; for answers that predate the record of views, that cannot be known.
        """
        alone, account = self._home.ref.kind is DomainKind.DM, await identity(self._db, who)
        if account is None and not alone:
            return
        names = {session.key: session.name for session in await self._binding.sessions()}
        within = (
            self._domains
            if alone
            else [self._home.key, *(one.domain.key for one in await confidences.within(self._db, self._home))]
        )
        theirs: set[int] = set()
        after = 0
        while page := await exchanges.page(self._db, self._home, within, after):
            replies = [one.key for one in page if one.role == "assistant"]
            answered = set() if alone else await _answering(self._db, replies, account)
            rests = {} if alone else await _rests(self._db, replies, account)
            for one in page:
                own = alone or one.identity == account
                if own or (one.key in rests and rests[one.key] <= theirs):
                    theirs.add(one.key)
                if own or one.key in answered:
                    yield OwnMessage(names.get(one.session, ""), one, one.key in theirs)
            after = page[-1].key


async def _answering(db: DatabaseAccess, replies: Sequence[int], account: int | None) -> set[int]:
    """Return which of these replies answer an account."""
    answering = (
        "SELECT DISTINCT l.child FROM lineage l JOIN exchanges e ON e.item = l.parent WHERE l.answered = 1 "
        "AND e.identity = :account AND l.child IN ({within})"
    )
    return {row["child"] for row in await paged(db, answering, replies, {"account": account})}


async def _rests(db: DatabaseAccess, replies: Sequence[int], account: int | None) -> dict[int, frozenset[int]]:
    """Return what these replies rest on besides the account's own messages; replies whose view was not recorded are missing."""
    saw = await seen.seen_by(db, replies)
    theirs = "SELECT item FROM exchanges WHERE identity = :account AND item IN ({within})"
    rows = await paged(db, theirs, sorted(frozenset().union(*saw.values())), {"account": account})
    said = {row["item"] for row in rows}
    return {reply: items - said for reply, items in saw.items()}
