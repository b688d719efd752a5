"""Feedback on Lyra's replies at one home."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import NotFound, NotYours
from memory.forget.gone import shown
from memory.store.lineage import bound, placeholders
from memory.tiers import exchanges, feedback
from memory.tiers.feedback import GivenBy
from memory.tiers.messages.seen import readable
from memory.types import Exchange, Identity, Kind, Session
from memory.view import owners
from memory.view.binding import Binding, ViewPart
from memory.view.messages import Messages, OwnPosts
from memory.view.short_ids import ShortIds

LOOKED_BACK = 20
"""How many messages to look back for a reply that was not named."""


@dataclass(frozen=True, slots=True)
class Disliked:
    """A disliked answer, the last message it answered (None if that is not kept), and when the feedback was given."""

    reply: Exchange
    asked: Exchange | None
    at: int


class Feedback(ViewPart):
    """The feedback of one home."""

    def __init__(self, binding: Binding, messages: Messages, own_posts: OwnPosts) -> None:
        super().__init__(binding)
        self._messages = messages
        self._posts = own_posts

    async def target(self, session: Session, named: str, who: Identity) -> Exchange:
        """Return the reply that is meant in a session. Raises NotFound.

        `named` is its id here or on the platform, or the platform id of what it answers; '' means the last reply to `who`.
        """
        found = await self._find(session, named) if named else await self._last_to(session, who)
        if found is None or found.kind is not Kind.REPLY or found.domain != self._home.key:
            raise NotFound("There is no answer of mine here that this could be about.")
        return found

    async def dislike(self, reply: Exchange, who: Identity, *, rules: bool, act: str) -> bool:
        """Record that an account disliked a reply at home, by the platform act `act`; return whether this is new.

        Raises NotYours for anyone who neither asked nor rules the place.
        """
        given_by, now = (await self._rights(reply, who, rules=rules))[0], self._binding.now()
        async with self._binding.changing([reply.key]) as tx:
            return await feedback.dislike(tx, self._binding.seal, self._home, reply, given_by, act, now)

    async def take_back(self, reply: Exchange, who: Identity, *, rules: bool) -> bool:
        """Take back the dislike of a reply at home; return whether there was one. Raises NotYours like `dislike`."""
        rights, now = await self._rights(reply, who, rules=rules), self._binding.now()
        async with self._binding.changing([reply.key]) as tx:
            return await feedback.take_back(tx, self._home, reply.key, rights, now)

    async def disliked(self, most: int) -> list[Disliked]:
        """Return the last disliked replies at home, newest first."""
        domains = self._domains
        rows = await self._db.all(
            "SELECT f.reply, max(f.at) AS at, max(l.parent) AS asked FROM feedback f JOIN exchanges e ON e.item = f.reply "
            "LEFT JOIN lineage l ON l.child = f.reply AND l.answered = 1 "
            f"AND NOT EXISTS (SELECT 1 FROM confided c WHERE c.item = l.parent AND c.domain NOT IN ({placeholders('d', domains)})) "
            f"WHERE f.domain = :domain AND {shown('e')} AND {readable('e', domains)} GROUP BY f.reply ORDER BY 2 DESC, f.reply DESC LIMIT :most",
            {"domain": self._home.key, "most": most, **bound("d", domains)},
        )
        there = await exchanges.among(self._db, [row[name] for row in rows for name in ("reply", "asked") if row[name]])
        return [Disliked(there[row["reply"]], there.get(row["asked"]), row["at"]) for row in rows]

    async def _rights(self, reply: Exchange, who: Identity, *, rules: bool) -> Sequence[GivenBy]:
        asked = await owners.answers_alone(self._db, reply.key, who)
        rights = [*([GivenBy.ASKER] if asked else []), *([GivenBy.RULER] if rules else [])]
        if not rights:
            raise NotYours("Only whoever asked, or an admin, can say that of an answer.")
        return rights

    async def _find(self, session: Session, named: str) -> Exchange | None:
        remote = named.rpartition("/")[2]
        ref = session.ref
        found = await self._messages.find(ref.platform, ref.place, remote)
        if found and found.kind is Kind.SAID:
            item = await self._posts.answer_to(found)
            return (await self._messages.among([item])).get(item) if item else None
        return found or await self._messages.by_id(await ShortIds(self._binding).full(named))

    async def _last_to(self, session: Session, who: Identity) -> Exchange | None:
        for one in reversed(await self._messages.window(session, LOOKED_BACK)):
            if one.kind is Kind.REPLY and await owners.answers_alone(self._db, one.key, who):
                return one
        return None
