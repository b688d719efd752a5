"""Numbers of confirmed commits, which show whether the server went back to an older state.

A standby that takes over may lack the last commits of the primary, although they were confirmed. So each commit stores its
number, which is compared on every new connection. Each concurrent transaction has a row (slot) of its own, so that none waits
for another.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from memory.errors import MemoryOutdated
from memory.store.database import Reader, Row
from memory.store.postgresql.database_server import DatabaseAddress
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
"""A standby in recovery proves nothing: it may still receive the commits. At least one row is returned."""


class KeptCommits:
    """The commit numbers of one process; `outdated` is set once the server lacks one."""

    def __init__(self, address: DatabaseAddress, at_once: int) -> None:
        """Prepare `at_once` slots. Nothing is numbered until `name` is set."""
        self._address = address
        self._free = [*range(at_once)]
        self._tried: dict[int, int] = {}
        self._told: dict[int, int] = {}
        self._lacking = 0
        self.name = ""
        self.outdated = asyncio.Event()

    @property
    def confirmed(self) -> Mapping[str, int]:
        """The last confirmed number of each slot."""
        return {str(slot): number for slot, number in self._told.items()}

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Take a slot for the block."""
        mine = self._free.pop()
        try:
            yield mine
        finally:
            self._free.append(mine)

    def numbered(self, slot: int) -> Sequence[tuple[str, Sequence[Sequence[object]]]]:
        """Return the statements that store the number of the next commit."""
        if not self.name:
            return []
        number = self._tried[slot] = self._tried.get(slot, 0) + 1
        return [(_NUMBER, [[self.name, slot, number]]), *([(_DROP_OLD, [[]])] if number == 1 else [])]

    def confirm(self, slot: int) -> None:
        """Note that the last commit of a slot was confirmed."""
        if slot in self._tried:
            self._told[slot] = self._tried[slot]

    async def holds(self, reader: Reader, slot: int) -> bool:
        """Return whether the last commit of a slot is on the server, as far as its number shows."""
        return not self.name or await lacking(reader, self.name, {str(slot): self._tried.get(slot, 0)}) == 0

    async def check(self, connection: PipelinedConnection) -> None:
        """Check on a new connection whether the server has all confirmed commits. Raises psycopg.Error."""
        if not (told := self.confirmed):
            return
        there = await connection.rows(_THERE.format(name="$1"), [self.name])
        if lacks := _missing(told, there):
            self._lacking = lacks
            self.outdated.set()

    def require(self) -> None:
        """Raise MemoryOutdated if the server lacks confirmed commits."""
        if self._lacking:
            raise MemoryOutdated(
                "The database {address} went back to an older state: the last things I kept are not there ({n} writes). "
                "Nothing more is kept there; start me again, and look at lyra doctor.",
                address=self._address,
                n=self._lacking,
            )


async def lacking(reader: Reader, name: str, told: Mapping[str, int]) -> int:
    """Return how many of a process's confirmed commits are missing."""
    return _missing(told, await reader.all(_THERE.format(name=":name"), {"name": name}))


def _missing(told: Mapping[str, int], rows: Sequence[Row]) -> int:
    if rows[0]["copy"]:
        return 0
    numbers = {str(row["slot"]): row["number"] for row in rows if row["slot"] is not None}
    return sum(max(number - numbers.get(slot, 0), 0) for slot, number in told.items())
