"""What was said when: home's months, the gists of a month, and the messages of a conversation, page by page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from memory.errors import NotFound
from memory.forget.gone import shown
from memory.store.lineage import bound
from memory.text.time.times import local, month
from memory.tiers import exchanges, summaries
from memory.tiers.exchanges import PlacedMessage
from memory.tiers.messages import said
from memory.tiers.messages.seen import readable
from memory.types import MINUTE, Digest, Exchange, Kind, Session
from memory.view.binding import ViewPart
from memory.view.short_ids import ShortIds

_STEP = 15 * MINUTE
"""Every UTC offset is a multiple of this."""
_MOST = 500
_QUIET = 24
"""The most quiet months in a row that are shown: one imported message with a wrong date is thousands of months from all others."""
_SAID = (Kind.SAID, Kind.REPLY, Kind.REFLECTION)


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month, as 2026-11, with its number of messages and of gists."""

    period: str
    messages: int
    gists: int


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Messages of a conversation, oldest first, and whether there are earlier ones."""

    messages: Sequence[Exchange]
    earlier: bool


class MonthCalendar(ViewPart):
    """The months of one home."""

    async def months(self) -> list[Month]:
        """Return the months with anything said at home, and the quiet ones of silences up to two years, newest first."""
        zone = self._home.time_zone
        counts: Counter[str] = Counter()
        for at, n in await self._count_by_quarter():
            counts[month(at, zone)] += n
        gists = await self._gists()
        periods = sorted({*counts, *gists})
        return [Month(one, counts[one], gists.get(one, 0)) for one in reversed(_with_quiet_ones(periods))]

    async def days(self, since: int) -> dict[str, int]:
        """Return how many messages were said at home per day, keyed as 2026-11-03, from `since` on."""
        found: Counter[str] = Counter()
        for at, n in await self._count_by_quarter(since):
            found[f"{local(at, self._home.time_zone):%Y-%m-%d}"] += n
        return found

    async def gists(self, period: str) -> list[tuple[Session, Digest]]:
        """Return the gists of a month, oldest first, each with its session."""
        rows = await self._db.all(
            f"{summaries.SELECT}JOIN episodes p ON p.session = d.session AND p.position = d.position "
            f"WHERE d.domain = :domain AND p.domain = :domain AND p.month = :period AND d.tier = 'gist' AND {shown('d')} ORDER BY d.first_at, d.item",
            {"domain": self._home.key, "period": period},
        )
        sessions = {session.key: session for session in await self._binding.sessions()}
        return [(sessions[row["session"]], summaries.digest(row)) for row in rows if row["session"] in sessions]

    async def gist(self, public_id: str) -> tuple[Session, Digest, list[Exchange]]:
        """Return one of home's gists by public id, with its session and its messages, oldest first. Raises NotFound."""
        row = await self._db.one(
            f"{summaries.SELECT}WHERE i.public_id = :id AND d.domain = :domain AND d.tier = 'gist' AND {shown('d')}",
            {"id": public_id, "domain": self._home.key},
        )
        sessions = {session.key: session for session in await self._binding.sessions()}
        if row is None or row["session"] not in sessions:
            raise NotFound("There is no gist with that id here.")
        domains = self._domains
        rows = await self._db.all(
            f"{exchanges.SELECT}JOIN episodes p ON p.id = e.episode WHERE p.session = :session AND p.position = :position "
            f"AND {shown('e')} AND {readable('e', domains)} ORDER BY e.said_at, e.item LIMIT :most",
            {"session": row["session"], "position": row["position"], "most": _MOST, **bound("d", domains)},
        )
        return sessions[row["session"]], summaries.digest(row), [exchanges.exchange(one) for one in rows]

    async def messages(self, session: Session, n: int, *, since: int = 0, before: int | None = None) -> MessagePage:
        """Return the last n messages of a session said at or after `since` and before `before` (None: until now)."""
        self._binding.require_own(session)
        domains = self._domains
        rows = await self._db.all(
            f"{exchanges.SELECT}WHERE e.session = :session AND e.kind IN ('said', 'reply', 'reflection') AND e.said_at >= :since "
            f"AND (CAST(:before AS BIGINT) IS NULL OR e.said_at < :before) AND {shown('e')} AND {readable('e', domains)} "
            "ORDER BY e.said_at DESC, e.item DESC LIMIT :limit",
            {"session": session.key, "since": since, "before": before, "limit": n + 1, **bound("d", domains)},
        )
        return MessagePage([exchanges.exchange(row) for row in rows[:n]][::-1], len(rows) > n)

    async def around(self, public_id: str, n: int) -> list[PlacedMessage]:
        """Return a message or reply by id, with up to n messages before and n after it in its conversation, in order.

        Empty if no readable message has that id.
        """
        item = await exchanges.item(self._db, self._domains, await ShortIds(self._binding).full(public_id))
        meant = (await exchanges.at_their_places(self._db, self._domains, [item])).get(item) if item else None
        if meant is None or meant.exchange.kind not in _SAID:
            return []
        keys = [
            *await self._beside(meant.exchange, "<", "DESC", n),
            meant.exchange.key,
            *await self._beside(meant.exchange, ">", "ASC", n),
        ]
        messages = await exchanges.at_their_places(self._db, self._domains, keys)
        return sorted(messages.values(), key=lambda one: (one.exchange.said_at, one.exchange.key))

    async def spoken_in(self, since: int, before: int) -> list[Session]:
        """Return home's sessions with anything said between two instants, newest first."""
        rows = await self._db.all(
            "SELECT DISTINCT e.session FROM exchanges e WHERE e.domain = :domain AND e.said_at >= :since AND e.said_at < :before "
            f"AND e.kind IN ('said', 'reply', 'reflection') AND {shown('e')}",
            {"domain": self._home.key, "since": since, "before": before},
        )
        sessions = {row["session"] for row in rows}
        return [session for session in await self._binding.sessions() if session.key in sessions]

    async def speakers(self) -> list[str]:
        """Return the names of everyone who spoke at home, sorted."""
        return sorted(await said.speakers(self._db, self._home))

    async def _beside(self, meant: Exchange, side: str, order: str, n: int) -> list[int]:
        """Return the keys of the n messages nearest to one on one side of it in its conversation."""
        domains = self._domains
        rows = await self._db.all(
            "SELECT e.item FROM exchanges e WHERE e.session = :session AND e.kind IN ('said', 'reply', 'reflection') "
            f"AND (e.said_at, e.item) {side} (:at, :item) AND {shown('e')} AND {readable('e', domains)} "
            f"ORDER BY e.said_at {order}, e.item {order} LIMIT :n",
            {"session": meant.session, "at": meant.said_at, "item": meant.key, "n": n, **bound("d", domains)},
        )
        return [row["item"] for row in rows]

    async def _count_by_quarter(self, since: int = 0) -> list[tuple[int, int]]:
        """Return the times at which messages were said at home, in quarter hours, each with its message count."""
        domains = self._domains
        rows = await self._db.all(
            "SELECT e.said_at / :step AS quarter, count(*) AS n FROM exchanges e WHERE e.domain = :domain AND e.said_at >= :since "
            f"AND e.kind IN ('said', 'reply', 'reflection') AND {shown('e')} AND {readable('e', domains)} GROUP BY 1",
            {"domain": self._home.key, "step": _STEP, "since": since, **bound("d", domains)},
        )
        return [(row["quarter"] * _STEP, row["n"]) for row in rows]

    async def _gists(self) -> dict[str, int]:
        rows = await self._db.all(
            "SELECT p.month, count(*) AS n FROM digests d JOIN episodes p ON p.session = d.session AND p.position = d.position "
            f"WHERE d.domain = :domain AND d.tier = 'gist' AND {shown('d')} GROUP BY p.month",
            {"domain": self._home.key},
        )
        return {row["month"]: row["n"] for row in rows}


def _with_quiet_ones(months: Sequence[str]) -> list[str]:
    """Return `months`, which is sorted, with those between any two of them that are no more than `_QUIET` months apart."""
    numbers = [int(one[:4]) * 12 + int(one[5:7]) - 1 for one in months]
    between = (range(one + 1, after) for one, after in pairwise(numbers) if after - one - 1 <= _QUIET)
    filled = sorted(chain(numbers, *between))
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in filled]
