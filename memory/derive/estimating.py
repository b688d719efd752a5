"""Estimates of the model usage needed to bring digests and the tiers above them up to date.

Episodes are cut as they will be; gists and months not yet written are assumed to be of the usual length. Repeated requests
after refused answers are not included.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from memory.derive.context import Context
from memory.places.confidences import common_talk
from memory.store.database import Row
from memory.text.time.times import month
from memory.tiers import narrative, profile, selfstate, summaries
from memory.tiers.episodes import MessageMark, cut
from memory.types import Session

_RULES = 500
"""Tokens of a prompt's rules."""
_HEADER = 15
_LINE = 40
"""Tokens of a line's label, and of a line written by a model with its label."""
_SENTENCES = 8
_FACTS = 40


@dataclass(frozen=True, slots=True)
class ExpectedUsage:
    """The number of calls, and the total tokens of their prompts."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: "ExpectedUsage") -> "ExpectedUsage":
        return ExpectedUsage(self.calls + other.calls, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class _Text:
    """The input of one piece of work: sources, their total tokens, and the month they belong to."""

    sources: int
    tokens: int
    month: str = ""

    @property
    def lines(self) -> int:
        """The number of lines that will be written from it."""
        return min(_SENTENCES, self.sources)


class _NewGists(NamedTuple):
    """The position of the first episode of a session to get a gist, one past the last, and the input of each gist."""

    first: int
    end: int
    inputs: list[_Text]


class Estimating:
    """The estimator of one domain. `room` is the maximum number of tokens in a prompt, None if unknown."""

    def __init__(self, context: Context, room: int | None) -> None:
        self._context = context
        most = context.max_transcript_chars // 3
        self._room = most if room is None else max(_HEADER + _LINE, min(most, room - _RULES))

    async def expected(self, sessions: Sequence[Session]) -> ExpectedUsage:
        """Return the usage for the digests of these sessions, and for the tiers above all that is there then."""
        total, made = ExpectedUsage(), list[_Text]()
        for session in sessions:
            gists = await self._gists(session)
            made += gists.inputs
            total = sum((self._reading(gist) for gist in gists.inputs), total + self._joining(gists))
        made += await self._unread()
        return total + (self._rungs(made) if made else await self._upper_tiers_usage())

    async def _unread(self) -> list[_Text]:
        """Return the gists from which profile or eras were not written yet, as after a run that was cut off."""
        rows = await self._context.db.all(_UNREAD, {"domain": self._context.domain.key})
        lengths = ((row["month"], len(row["text"].splitlines())) for row in rows)
        return [_Text(length, length * _LINE, period) for period, length in lengths]

    async def _upper_tiers_usage(self) -> ExpectedUsage:
        """Return the usage for narrative and self-narrative where profile and eras are up to date."""
        if work := await narrative.due(self._context, asked=True):
            reading = self._reading(_lines(len(work.task.sources)))
            return reading + reading
        work = await selfstate.due(self._context, asked=True)
        return self._reading(_lines(len(work.task.sources))) if work else ExpectedUsage()

    async def _gists(self, session: Session) -> _NewGists:
        context = self._context
        rows = await context.db.all(_WAITING, {"session": session.key})
        begun = [
            list(some) for _, some in groupby((row for row in rows if row["episode"] is not None), lambda row: row["position"])
        ]
        left = {row["item"]: row for row in rows if row["episode"] is None}
        marks = [MessageMark(row["item"], row["said_at"]) for row in left.values()]
        cuts = cut(marks, await context.closing(), context.domain.time_zone, context.clock.now(), asked=True)
        row = await context.db.one("SELECT count(*) AS n FROM episodes WHERE session = :session", {"session": session.key})
        closed = int(row["n"]) if row else 0
        talks = [*begun, *([left[mark.item] for mark in one.marks] for one in cuts)]
        first = min([closed, *(some[0]["position"] for some in begun)])
        inputs = [self._text(talk) for talk in talks if any(not row["echo"] for row in talk)]
        return _NewGists(first, closed + len(cuts), inputs)

    def _text(self, rows: Sequence[Row]) -> _Text:
        said = [row for row in rows if not row["echo"]]
        weight = sum(len(row["text"]) // 3 + _HEADER for row in said)
        return _Text(len(said), weight, month(said[0]["said_at"], self._context.domain.time_zone))

    def _joining(self, gists: _NewGists) -> ExpectedUsage:
        """Return the usage for the merges of a session that its new gists complete, and for the summary of its frontier."""
        total, size, edge = ExpectedUsage(), 1, 0
        lines = sum(gist.lines for gist in gists.inputs) // max(1, len(gists.inputs)) + 1
        while size <= gists.end:
            edge += gists.end // size % summaries.FAN_IN
            size *= summaries.FAN_IN
            merge = self._reading(_lines(summaries.FAN_IN * lines))
            total = sum([merge] * (gists.end // size - gists.first // size), total)
        return total + self._reading(_lines(edge * lines)) if edge > 1 else total

    def _rungs(self, gists: Sequence[_Text]) -> ExpectedUsage:
        """Return the usage for profile, eras, narrative and self-narrative after these new gists."""
        total, months = ExpectedUsage(), Counter[str]()
        for done in range(0, len(gists), profile.MOST_GISTS):
            total += self._reading(_lines(sum(gist.lines for gist in gists[done : done + profile.MOST_GISTS])))
        for gist in gists:
            months[gist.month] += gist.lines
        total = sum((self._reading(_lines(number)) for number in months.values()), total)
        above = self._reading(_lines(min(_FACTS, months.total())))
        return total + above + above

    def _reading(self, text: _Text) -> ExpectedUsage:
        """Return the usage for a text read in as many calls as needed, and for joining the results."""
        each = max(1, -(-text.tokens // max(1, text.sources)))
        pieces = max(1, -(-text.sources // max(1, self._room // each)), -(-text.tokens // self._room) if each > self._room else 1)
        usage = ExpectedUsage(pieces, text.tokens + pieces * _RULES)
        if pieces == 1:
            return usage
        joined = _lines(pieces * min(_SENTENCES, -(-text.sources // pieces)))
        return usage + (self._reading(joined) if joined.tokens < text.tokens else ExpectedUsage(1, self._room))


def _lines(number: int) -> _Text:
    return _Text(number, number * _LINE)


_WAITING = (
    "SELECT e.item, e.said_at, e.echo, e.episode, p.position, e.text FROM exchanges e "
    "LEFT JOIN episodes p ON p.id = e.episode "
    "LEFT JOIN digests d ON d.session = p.session AND d.tier = 'gist' AND d.position = p.position "
    "WHERE e.session = :session AND e.kind IN ('said', 'reply') AND (d.item IS NULL OR d.extractive = 1) "
    f"AND {common_talk('e')} ORDER BY e.said_at, e.item"
)

_UNREAD = (
    "SELECT p.month, d.text FROM digests d JOIN episodes p ON p.session = d.session AND p.position = d.position "
    "WHERE d.domain = :domain AND d.tier = 'gist' AND (d.profiled = 0 OR d.aged = 0)"
)
