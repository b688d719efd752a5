"""Accounts that are one person's, linked by a code that is shown to one account and typed by another.

Linking and unlinking move no row: they say whose homes a person may read beside their own. A code is kept as a keyed hash, ends
soon, and counts once. What it leads to is agreed by whoever typed it, then by whom it was shown to; then, in one transaction, both
are one.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from localization.sentences import lazy
from memory.errors import LinkRefused
from memory.places import opted_out, settings
from memory.ports import Clock
from memory.store.database import Database, Reader, Row, Transaction
from memory.store.lineage import Seal
from memory.types import MINUTE, DomainKind, DomainRef, Identity

LINKED = "linked"
"""What is set for an account: all accounts that are linked with it, itself among them."""
LASTS = 10 * MINUTE
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 8
_TRIES, _TRIES_OF_ALL = 5, 200
"""Wrong codes within the life of one: of an account, and of all together."""
_WORD = 5
_EVERYWHERE = DomainRef(DomainKind.DM, "", "")


@dataclass(frozen=True, slots=True)
class Party:
    """One of two who link: an account, the name that it carries, and the key of the place where it talks with Lyra alone."""

    account: Identity
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Request:
    """A code that was typed: who `showed` it, who `typed` it, and whether that one agreed. `word` tells it from others."""

    showed: Party
    typed: Party
    agreed: bool
    word: str


@dataclass(frozen=True, slots=True)
class Linking:
    """Reads and keeps which accounts are one person's in one database."""

    db: Database
    seal: Seal
    clock: Clock

    async def of(self, accounts: Collection[Identity]) -> list[Identity]:
        """Return the accounts that these, which are one person's, are linked with, themselves among them; [] for none."""
        return list(dict.fromkeys([other for one in accounts for other in await _linked(self.db, self._scope(one))]))

    async def show(self, to: Party) -> str:
        """Return a new code for an account, in the place of one that it was shown before."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        now = self.clock.now()
        async with self.db.transaction() as tx:
            await _end(tx, now)
            await tx.run(
                "INSERT INTO link_codes (platform, native_id, name, place, code, ends_at) "
                "VALUES (:platform, :native_id, :name, :place, :code, :ends_at) ON CONFLICT (platform, native_id) DO UPDATE SET "
                "name = excluded.name, place = excluded.place, code = excluded.code, ends_at = excluded.ends_at, "
                "other_platform = NULL, other_id = NULL, other_name = NULL, other_place = NULL, agreed = 0",
                {**_which(to.account), "name": to.name, "place": to.place, "code": self._hash(code), "ends_at": now + LASTS},
            )
        return f"{code[: _LENGTH // 2]}-{code[_LENGTH // 2 :]}"

    async def enter(self, code: str, by: Party, own: Collection[Identity]) -> Request:
        """Take a code that somebody typed whose accounts are `own`; nobody else can type it then. Raises LinkRefused."""
        now, plain = self.clock.now(), "".join(one for one in code.upper() if one.isalnum())
        async with self.db.transaction() as tx:
            await _end(tx, now)
            tried = self._account(by.account)
            if await _tries(tx, "WHERE account = :account", account=tried) >= _TRIES or await _tries(tx) >= _TRIES_OF_ALL:
                raise LinkRefused(lazy("Too many codes were wrong; try again in ten minutes."))
            row = await tx.one(
                f"{_CODES} WHERE code = :code AND (other_id IS NULL OR (other_platform = :platform AND other_id = :native_id))",
                {"code": self._hash(plain), **_which(by.account)},
            )
            if row and Identity(row["platform"], row["native_id"]) not in own:
                await tx.run(
                    "UPDATE link_codes SET other_platform = :other_platform, other_id = :other_id, other_name = :name, "
                    "other_place = :place WHERE platform = :platform AND native_id = :native_id",
                    {
                        "other_platform": by.account.platform, "other_id": by.account.native_id, "name": by.name, "place": by.place,
                        "platform": row["platform"], "native_id": row["native_id"],
                    },
                )  # fmt: skip
                return _request(row, by)
            if row is None:
                await tx.run("INSERT INTO link_tries (account, at) VALUES (:account, :now)", {"account": tried, "now": now})
        if row:
            raise LinkRefused(
                lazy("That code is of this account, or of one that is linked with it: type it under another one of yours.")
            )
        raise LinkRefused(
            lazy("That is no code, or it has ended or was typed already. Have a new one shown to you at your other account.")
        )

    async def request(self, who: Identity) -> Request | None:
        """Return what waits for an account to agree to: as whoever typed a code, else as whom it was shown to; None for nothing."""
        row = await self.db.one(
            f"{_CODES} WHERE ends_at > :now AND ((other_platform = :platform AND other_id = :native_id AND agreed = 0) "
            "OR (platform = :platform AND native_id = :native_id AND agreed = 1)) ORDER BY agreed",
            {**_which(who), "now": self.clock.now()},
        )
        return _request(row) if row else None

    async def agree(self, request: Request) -> bool:
        """Note that whoever typed a code agrees; return whether it still stands."""
        return await self._changed(request, "UPDATE link_codes SET agreed = 1", "agreed = 0")

    async def refuse(self, request: Request) -> bool:
        """Drop what was asked for; return whether it still stood."""
        return await self._changed(request, "DELETE FROM link_codes", "1 = 1")

    async def link(self, request: Request) -> bool:
        """Make both one person; return whether what was asked for still stood."""
        both = (request.showed.account, request.typed.account)
        async with self.db.transaction() as tx:
            if not await _take(tx, request, self.clock.now(), "DELETE FROM link_codes", "agreed = 1"):
                return False
            known = [*both, *[other for one in both for other in await _linked(tx, self._scope(one))]]
            await self._put(tx, list(dict.fromkeys(known)))
        return True

    async def unlink(self, accounts: Collection[Identity]) -> bool:
        """Part these accounts from those that they are linked with, and drop what was asked for; return whether they were linked."""
        parted = False
        async with self.db.transaction() as tx:
            for one in accounts:
                if linked := await _linked(tx, self._scope(one)):
                    parted = True
                    await self._put(tx, [one])
                    await self._put(tx, [other for other in linked if other != one])
                await tx.run(
                    "DELETE FROM link_codes WHERE (platform = :platform AND native_id = :native_id) "
                    "OR (other_platform = :platform AND other_id = :native_id)",
                    _which(one),
                )
        return parted

    async def end(self) -> None:
        """Drop what ended."""
        if await self.db.one("SELECT 1 AS yes FROM link_codes UNION ALL SELECT 1 FROM link_tries LIMIT 1"):
            async with self.db.transaction() as tx:
                await _end(tx, self.clock.now())

    async def everyone(self) -> list[tuple[str, str, str]]:
        """Return which accounts are linked, in words of this memory's own, for `take_over`."""
        return await settings.whole(self.db, LINKED, LINKED)

    async def _put(self, tx: Transaction, group: Sequence[Identity]) -> None:
        """Have the accounts of a group be one person's, and no others; one by itself is linked with nobody."""
        value = [[one.platform, one.native_id] for one in group] if len(group) > 1 else None
        for one in group:
            await settings.put(tx, self._scope(one), LINKED, value)

    def _scope(self, who: Identity) -> str:
        return opted_out.scope(self.seal, who)

    async def _changed(self, request: Request, change: str, still: str) -> bool:
        async with self.db.transaction() as tx:
            return await _take(tx, request, self.clock.now(), change, still)

    def _hash(self, code: str) -> str:
        return self.seal.id(_EVERYWHERE, "link-code", code)

    def _account(self, who: Identity) -> str:
        return self.seal.id(_EVERYWHERE, "link-tries", who.platform, who.native_id)


async def take_over(tx: Transaction, known: Sequence[tuple[str, str, str]]) -> None:
    """Have those accounts be linked that `everyone` returned elsewhere, and no others; no code of before counts."""
    await settings.replace(tx, LINKED, LINKED, known)
    await tx.run("DELETE FROM link_codes")


def read(value: object) -> list[Identity]:
    """Return accounts that are linked, as they are set under LINKED for each of them."""
    return [Identity(platform, native_id) for platform, native_id in value] if isinstance(value, list) else []


async def _take(tx: Transaction, request: Request, now: int, change: str, still: str) -> bool:
    row = await tx.one(
        f"{change} WHERE platform = :platform AND native_id = :native_id AND other_platform = :other_platform "
        f"AND other_id = :other_id AND substr(code, 1, {_WORD}) = :word AND ends_at > :now AND {still} RETURNING platform",
        {
            **_which(request.showed.account), "other_platform": request.typed.account.platform,
            "other_id": request.typed.account.native_id, "word": request.word, "now": now,
        },
    )  # fmt: skip
    return row is not None


async def _end(tx: Transaction, now: int) -> None:
    await tx.run("DELETE FROM link_codes WHERE ends_at <= :now", {"now": now})
    await tx.run("DELETE FROM link_tries WHERE at <= :since", {"since": now - LASTS})


async def _tries(tx: Transaction, which: str = "", **of: object) -> int:
    row = await tx.one(f"SELECT count(*) AS n FROM link_tries {which}", of)
    return int(row["n"]) if row else 0


async def _linked(reader: Reader, scope: str) -> list[Identity]:
    return read(await settings.get(reader, scope, LINKED))


_CODES = "SELECT * FROM link_codes"


def _which(account: Identity) -> dict[str, object]:
    return {"platform": account.platform, "native_id": account.native_id}


def _request(row: Row, typed: Party | None = None) -> Request:
    showed = Party(Identity(row["platform"], row["native_id"]), row["name"], row["place"])
    typed = typed or Party(Identity(row["other_platform"], row["other_id"]), row["other_name"], row["other_place"])
    return Request(showed, typed, bool(row["agreed"]), str(row["code"])[:_WORD])
