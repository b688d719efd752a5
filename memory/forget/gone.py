"""What is gone and not yet erased.

One row covers any number of messages: these items, or all of a session, a person or a domain, up to the newest item at that
time. From the transaction that writes the row on, nothing that old is read in that domain until the sweep has decided what goes
along and erased it; what is said meanwhile is newer and stays.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from memory.store.database import DatabaseAccess, Parameters, Reader, Row, Transaction
from memory.store.domains import note_forgetting, read_domain
from memory.store.lineage import bound, placeholders
from memory.types import Domain, Forgotten


@dataclass(frozen=True, slots=True)
class ForgottenScope:
    """Which messages of a domain go: these items, or those that match session and identity (None: any).

    `words`, if given, are what an edit removed from the only item, which itself stays ('': unknown).
    """

    items: Sequence[int] | None = None
    session: int | None = None
    identity: int | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """A row of `gone`."""

    key: int
    domain: Domain
    upto: int
    scope: ForgottenScope

    @property
    def where(self) -> str:
        """The SQL condition on `exchanges e` for these messages."""
        if self.scope.items is not None:
            return f"e.domain = :domain AND e.item IN ({placeholders('gone', self.scope.items)})"
        session = "" if self.scope.session is None else " AND e.session = :session"
        identity = "" if self.scope.identity is None else " AND e.identity = :identity"
        return f"e.domain = :domain AND e.item <= :upto{session}{identity}"

    @property
    def parameters(self) -> Parameters:
        """The parameters of that condition."""
        if self.scope.items is not None:
            return {"domain": self.domain.key, **bound("gone", self.scope.items)}
        return {"domain": self.domain.key, "upto": self.upto, "session": self.scope.session, "identity": self.scope.identity}


def shown(alias: str) -> str:
    """Return the SQL condition for a row with a domain and an item to be readable."""
    return (
        f"NOT EXISTS (SELECT 1 FROM gone WHERE gone.domain = {alias}.domain AND {alias}.item <= gone.upto) AND {present(alias)}"
    )


def present(alias: str) -> str:
    """Return the SQL condition for the place of an item not to have vanished."""
    return f"NOT EXISTS (SELECT 1 FROM withheld WHERE withheld.item = {alias}.item)"


async def add(tx: Transaction, domain: Domain, scope: ForgottenScope, now: int) -> Gone:
    """Record that something is gone, from this transaction on."""
    row = await tx.one(
        "INSERT INTO gone (domain, upto, session, identity, items, words, at) "
        "SELECT :domain, coalesce(max(id), 0), :session, :identity, :items, :words, :now FROM items WHERE domain = :domain "
        "RETURNING id, upto",
        {"domain": domain.key, "session": scope.session, "identity": scope.identity, "words": scope.words, "now": now,
         "items": None if scope.items is None else np.asarray(scope.items, np.int64).tobytes()},
    )  # fmt: skip
    assert row is not None
    await note_forgetting(tx, domain, now)
    return Gone(row["id"], domain, row["upto"], scope)


async def count(tx: Transaction, gone: Gone) -> Forgotten:
    """Return how many messages and replies it covers."""
    rows = await tx.all(
        "SELECT CASE WHEN e.kind = 'said' THEN 'said' ELSE 'reply' END AS what, count(*) AS n FROM exchanges e "
        f"WHERE {gone.where} AND e.kind <> 'command' GROUP BY 1",
        gone.parameters,
    )
    counted = {row["what"]: int(row["n"]) for row in rows}
    return Forgotten(counted.get("said", 0), 0, counted.get("reply", 0))


async def mark_erased(tx: Transaction, gone: Gone) -> None:
    """Record that all of it is erased."""
    await tx.run("DELETE FROM gone WHERE id = :id", {"id": gone.key})


async def close(tx: Transaction, domain: Domain, now: int) -> Gone:
    """Record that nothing said so far in a domain may be read, until `mark_erased` or `reopen`; nothing is erased by this."""
    return await add(tx, domain, ForgottenScope(()), now)


async def reopen(tx: Transaction) -> None:
    """Let closed domains be read again, unless what vanished is still to be withheld somewhere."""
    await tx.run("DELETE FROM gone WHERE length(items) = 0 AND NOT EXISTS (SELECT 1 FROM vanished WHERE withheld = 0)")


async def pending(db: DatabaseAccess) -> list[Gone]:
    """Return what is gone and not yet erased, oldest first; not what closes a domain, which `reopen` ends."""
    rows = await db.all("SELECT * FROM gone WHERE items IS NULL OR length(items) > 0 ORDER BY id")
    # Mostly nothing is left, and then no domain is read: this is asked every few seconds.
    there = await db.all("SELECT * FROM domains WHERE id IN (SELECT domain FROM gone)") if rows else []
    by_key = {row["id"]: read_domain(row) for row in there}
    return [_gone(row, by_key[row["domain"]]) for row in rows if row["domain"] in by_key]


async def is_sweeping(db: Reader, domains: Collection[int]) -> bool:
    """Return whether something in these domains is gone and not yet erased; then nothing is derived there."""
    query = f"SELECT 1 AS yes FROM gone WHERE domain IN ({placeholders('d', domains)}) LIMIT 1"
    return await db.one(query, bound("d", domains)) is not None


def _gone(row: Row, domain: Domain) -> Gone:
    items = None if row["items"] is None else np.frombuffer(row["items"], np.int64).tolist()
    return Gone(row["id"], domain, row["upto"], ForgottenScope(items, row["session"], row["identity"], row["words"]))
