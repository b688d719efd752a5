"""The domains that a transaction is for, and the locks that keep others out of these.

The server shows it the rows of these domains and no others, and lets it write as many or fewer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

from memory.store.bounds import Bounds, Key
from memory.store.database import Row
from memory.store.postgresql.address import LOCK, SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step

READABLE, WRITABLE = "lyra.domains", "lyra.writes"
"""The settings of the server that hold the domains, until the end of a transaction."""
ALL = "*"
"""What stands there of what is for the whole memory: its journal, forgetting, maintenance."""
SETTINGS = f"set_config('{READABLE}', $1, true), set_config('{WRITABLE}', $2, true)"
SAY = f"SELECT {SETTINGS}"
"""Says which domains the rest of a transaction is for; its parameters are those of a scope."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Domains by their keys, as the server takes them, '' for none."""

    reads: str
    writes: str

    @classmethod
    def reading(cls, domains: Collection[int]) -> Self:
        """Return the scope of what reads these domains and writes nothing."""
        return cls(_array(domains), "")

    @classmethod
    def writing(cls, bounds: Bounds | None, beside: Collection[int] | None = None) -> Self:
        """Return the scope of what is bound so, and reads some domains `beside`: None of what may read whatever it asks for.

        Without bounds it is for the whole memory, and so is what is bound to no domain and may read whatever it asks for.
        """
        writes, rests_on = (_domains(bounds.writes), _domains(bounds.rests_on)) if bounds else ([], [])
        if bounds is None or (beside is None and not writes):
            return cls(ALL, ALL)
        return cls(_array({*writes, *rests_on, *(beside or ())}), _array(writes))

    @property
    def parameters(self) -> Sequence[str]:
        """The parameters of `SAY`."""
        return (self.reads, self.writes)


WHOLE = Scope(ALL, ALL)
"""What is for the whole memory."""
READING_ALL = Scope(ALL, "")
"""What reads the whole memory, and writes nothing of a domain."""


async def asked(connection: PipelinedConnection, scope: Scope, sql: str, given: Sequence[object] = ()) -> list[Row]:
    """Run one statement of the server, for some domains, with its parameters in their order, and return all its rows.

    Both go there in one trip, which is one transaction unless one is open.
    """
    return (await connection.trip([(SAY, scope.parameters), (sql, given)]))[-1]


def _domains(keys: Collection[Key]) -> list[int]:
    return [key for key in keys if isinstance(key, int)]


def _array(domains: Collection[int]) -> str:
    return f"{{{','.join(map(str, sorted(domains)))}}}" if domains else ""


_LOCK = "SELECT pg_advisory_xact_lock(CAST($1 AS BIGINT))"
_SHARED = "SELECT pg_advisory_xact_lock_shared(CAST($1 AS BIGINT))"
_ALONE, _BESIDE = (f"SELECT pg_advisory_xact_lock{how}({LOCK}, 0), {SETTINGS}" for how in ("", "_shared"))
"""The first lock, and which domains the transaction is for: of two that go in one statement, either may be first."""


def beginning(bounds: Bounds | None, scope: Scope) -> list[Step]:
    """Return the statements that begin a transaction for some domains, and take the locks on what it is bound to.

    Everybody takes them in one order, so that nobody waits for who waits for him.
    """
    if bounds is None:
        return [("BEGIN", ()), (_ALONE, scope.parameters)]
    locks = {_number(key): _SHARED for key in bounds.rests_on} | {_number(key): _LOCK for key in bounds.writes}
    return [("BEGIN", ()), (_BESIDE, scope.parameters), *((locks[number], (number,)) for number in sorted(locks))]


def _number(key: Key) -> int:
    """Return the number of the lock on something; two things may share one, and then wait for each other."""
    return int.from_bytes(blake2b(f"{SCHEMA} {key!r}".encode(), digest_size=8).digest(), signed=True)
