"""The commits that this process was told of, numbered in rows of the server, by which one that went back to an older state is known.

A server that takes over from another may lack the last commits of that, though they were confirmed. Each commit writes its number with
it, so that one look at a new connection tells; several rows, one for each that commits at the same time, have none wait for another.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from localization.sentences import lazy
from memory.errors import MemoryOutdated
from memory.store.database import Reader, Row
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.pipelined_connection import PipelinedConnection

KEPT_TABLE = (
    'CREATE TABLE IF NOT EXISTS kept_commits (name TEXT COLLATE "C" NOT NULL, slot BIGINT NOT NULL, number BIGINT NOT NULL, '
    "at TIMESTAMPTZ NOT NULL, PRIMARY KEY (name, slot))"
)
_NUMBER = (
    "INSERT INTO kept_commits (name, slot, number, at) VALUES ($1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), clock_timestamp()) "
    "ON CONFLICT (name, slot) DO UPDATE SET number = excluded.number, at = excluded.at"
)
_DROP_OLD = (
    "DELETE FROM kept_commits WHERE (name, slot) IN (SELECT name, slot FROM kept_commits "
    "WHERE at < clock_timestamp() - make_interval(days => 400) FOR UPDATE SKIP LOCKED)"
)
_THERE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS copy, k.slot, k.number "
    "FROM (SELECT 1 AS one) AS always LEFT JOIN kept_commits k ON k.name = {name}"
)
"""A copy that follows lacks what it will have soon, and tells nothing; there is one row at least."""


class KeptCommits:
    """The numbers of one process; `outdated` is set once the server lacks one of them."""

    def __init__(self, address: DatabaseAddress, at_once: int) -> None:
        """Number nothing before there is a `name`; `at_once` commit at the same time at most."""
        self._address = address
        self._free = [*range(at_once)]
        self._tried: dict[int, int] = {}
        self._told: dict[int, int] = {}
        self._lacking = 0
        self.name = ""
        self.outdated = asyncio.Event()

    @property
    def told(self) -> Mapping[str, int]:
        """The last number of each row whose commit was confirmed."""
        return {str(slot): number for slot, number in self._told.items()}

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Have a row for the block."""
        mine = self._free.pop()
        try:
            yield mine
        finally:
            self._free.append(mine)

    def numbered(self, slot: int) -> Sequence[tuple[str, Sequence[Sequence[object]]]]:
        """Return the statements that number the next commit."""
        if not self.name:
            return []
        number = self._tried[slot] = self._tried.get(slot, 0) + 1
        return [(_NUMBER, [[self.name, slot, number]]), *([(_DROP_OLD, [[]])] if number == 1 else [])]

    def confirm(self, slot: int) -> None:
        """Note that the last commit that was numbered is kept."""
        if slot in self._tried:
            self._told[slot] = self._tried[slot]

    async def holds(self, reader: Reader, slot: int) -> bool:
        """Say whether the last commit that was numbered is there, as far as its number tells."""
        return not self.name or await lacking(reader, self.name, {str(slot): self._tried.get(slot, 0)}) == 0

    async def look(self, connection: PipelinedConnection) -> None:
        """Find out at a new connection whether the server has what was confirmed. Raises the library's errors."""
        if not (told := self.told):
            return
        there = await connection.rows(_THERE.format(name="$1"), [self.name])
        if lacks := _missing(told, there):
            self._lacking = lacks
            self.outdated.set()

    def require(self) -> None:
        """Raise MemoryOutdated where the server lacks what was confirmed."""
        if self._lacking:
            raise MemoryOutdated(
                lazy(
                    "The database {address} went back to an older state: the last things I kept are not there ({n} writes). "
                    "Nothing more is kept there; start me again, and look at lyra doctor.",
                    address=self._address,
                    n=self._lacking,
                )
            )


async def lacking(reader: Reader, name: str, told: Mapping[str, int]) -> int:
    """Return how many of the commits that a process was told of the server lacks."""
    return _missing(told, await reader.all(_THERE.format(name=":name"), {"name": name}))


def _missing(told: Mapping[str, int], rows: Sequence[Row]) -> int:
    if rows[0]["copy"]:
        return 0
    there = {str(row["slot"]): row["number"] for row in rows if row["slot"] is not None}
    return sum(max(number - there.get(slot, 0), 0) for slot, number in told.items())
