"""Linked accounts: which accounts belong to one person, through which codes, and what remains linked when one leaves."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.places import scope_settings
from memory.store.database import Reader, Transaction
from memory.store.lineage import Seal
from memory.types import Identity

LINKED = "linked"
"""Setting of an account: all accounts linked with it, itself included."""
_BY_CODE = "linked-with"
"""Setting of an account: the accounts that a code linked it with directly."""

Declared = Callable[[Identity], Collection[Identity]]
"""Returns the accounts that the configuration declares to be the same person's as one, itself included."""


def nobody_else(who: Identity) -> Collection[Identity]:
    """Declare no other account to be of the same person."""
    return [who]


@dataclass(frozen=True, slots=True)
class LinkedAccounts:
    """Reads and writes links between accounts, in the caller's transaction."""

    seal: Seal

    async def linked_with(self, reader: Reader, accounts: Collection[Identity]) -> list[Identity]:
        """Return the accounts linked with these, themselves included; [] if none is linked."""
        return list(
            dict.fromkeys(
                [o for one in accounts for o in deserialize(await scope_settings.get(reader, self._scope(one), LINKED))]
            )
        )

    async def all_accounts(
        self, reader: Reader, who: Identity, declared: Declared, known: Sequence[Identity] | None = None
    ) -> list[Identity]:
        """Return all accounts of an account's person, this one first.

        `known` holds the accounts linked with its declared ones, if already read.
        """
        own = declared(who)
        found = dict.fromkeys([who, *own])
        linked = await self.linked_with(reader, own) if known is None else known
        while linked:
            # Linked accounts have no further links; only accounts declared to belong to them may.
            found.update(dict.fromkeys(linked))
            further = {account for one in linked for account in declared(one)}.difference(found)
            found.update(dict.fromkeys(sorted(further, key=lambda one: (one.platform, one.native_id))))
            linked = await self.linked_with(reader, further)
        return list(found)

    async def link(self, tx: Transaction, one: Identity, other: Identity) -> None:
        """Link two accounts and everything linked with either."""
        for here, there in ((one, other), (other, one)):
            await self._put(tx, here, _BY_CODE, [*await self._neighbours(tx, here), there])
        await self._group(tx, list(dict.fromkeys([one, other, *await self.linked_with(tx, [one, other])])))

    async def unlink(self, tx: Transaction, who: Identity) -> bool:
        """Unlink an account, and split those that were linked only through it; return whether it was linked."""
        remaining: dict[Identity, list[Identity]] = {}
        for one in await self.linked_with(tx, [who]):
            neighbours = await self._neighbours(tx, one)
            remaining[one] = [] if one == who else [other for other in neighbours if other != who]
            await self._put(tx, one, _BY_CODE, remaining[one])
        for group in _connected(remaining):
            await self._group(tx, group)
        return bool(remaining)

    async def _group(self, tx: Transaction, group: Sequence[Identity]) -> None:
        """Make the accounts of a group one person's, replacing earlier links; a group of one is linked with nobody."""
        for one in group:
            await self._put(tx, one, LINKED, group if len(group) > 1 else ())

    async def _neighbours(self, reader: Reader, who: Identity) -> list[Identity]:
        return deserialize(await scope_settings.get(reader, self._scope(who), _BY_CODE))

    async def _put(self, tx: Transaction, who: Identity, key: str, others: Sequence[Identity]) -> None:
        await scope_settings.put(tx, self._scope(who), key, serialize(dict.fromkeys(others)) or None)

    def _scope(self, who: Identity) -> str:
        return scope_settings.account_scope(self.seal, who)


def deserialize(value: object) -> list[Identity]:
    """Parse accounts serialized by `serialize`; return [] for anything but a list."""
    return [Identity(platform, native_id) for platform, native_id in value] if isinstance(value, list) else []


def serialize(accounts: Collection[Identity]) -> list[list[str]]:
    """Serialize accounts for a setting, as JSON lists."""
    return [[one.platform, one.native_id] for one in accounts]


def _connected(neighbours: Mapping[Identity, Sequence[Identity]]) -> Iterator[list[Identity]]:
    """Yield the connected components of the accounts."""
    remaining = dict.fromkeys(neighbours)
    while remaining:
        group = [next(iter(remaining))]
        for one in group:
            remaining.pop(one)
            group += [other for other in neighbours[one] if other in remaining and other not in group]
        yield group
