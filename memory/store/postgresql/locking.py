"""The locks of the server that a transaction takes as it begins: on the memory, and on what it is bound to."""

from hashlib import blake2b

from memory.store.bounds import Bounds, Key
from memory.store.postgresql.address import LOCK, SCHEMA
from memory.store.postgresql.guarding.scope import SETTINGS, Scope
from memory.store.postgresql.pipelined_connection import Step

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
