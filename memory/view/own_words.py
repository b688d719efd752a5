"""A person's own words at one home: what they said, and Lyra's answers if these hold nobody else's words."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from memory.places import confidences
from memory.store.database import DatabaseAccess
from memory.store.lineage import paged
from memory.tiers import exchanges
from memory.tiers.messages import seen
from memory.types import DomainKind, Exchange, Identity
from memory.view import owners
from memory.view.binding import ViewPart


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
        alone, account = self._home.ref.kind is DomainKind.DM, await owners.identity(self._db, who)
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
