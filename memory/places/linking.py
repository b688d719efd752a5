"""Linking one person's accounts by a code that is shown to one account and typed by another.

Linking and unlinking move no rows: they decide whose homes a person may read beside their own. A code is stored as a keyed
hash, expires soon, and works once. Consent comes from whoever typed it, then from whom it was shown to, then from everybody
already linked with either; then all are linked in one transaction.
"""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.errors import LinkRefused
from memory.places.linked_accounts import Declared, LinkedAccounts, deserialize, nobody_else, serialize
from memory.ports import Clock
from memory.store.database import Database, Reader, Row, Transaction
from memory.store.lineage import Seal
from memory.types import MINUTE, DomainKind, DomainRef, Identity

LASTS = 10 * MINUTE
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 8
_TRIES, _TRIES_OF_ALL = 5, 200
"""Wrong codes allowed within a code's lifetime: per account, and in total."""
_WORD = 5
_EVERYWHERE = DomainRef(DomainKind.DM, "", "")


@dataclass(frozen=True, slots=True)
class LinkParty:
    """One side of a link: an account, its display name, and the key of the place where it talks with Lyra alone."""

    account: Identity
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class Request:
    """A code that was typed: who `showed` it, who `typed` it, and who agreed. `word` is its id.

    `agreed` is 0 at first, 1 once the typing side agreed, 2 once the showing side did too; `consents` are those of others.
    """

    showed: LinkParty
    typed: LinkParty
    agreed: int
    word: str
    consents: Sequence[Identity] = ()


@dataclass(frozen=True, slots=True)
class Linking:
    """Reads and writes the account links of one database."""

    db: Database
    seal: Seal
    clock: Clock

    async def circle(
        self, who: Identity, declared: Declared = nobody_else, known: Sequence[Identity] | None = None
    ) -> list[Identity]:
        """Return all accounts of an account's person, like `LinkedAccounts.all_accounts`."""
        return await self._circles.all_accounts(self.db, who, declared, known)

    async def new_code(self, to: LinkParty) -> str:
        """Return a new code for an account, replacing any earlier one."""
        code = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
        now = self.clock.now()
        async with self.db.transaction() as tx:
            await _end(tx, now)
            await tx.run(
                "INSERT INTO link_codes (platform, native_id, name, place, code, ends_at) "
                "VALUES (:platform, :native_id, :name, :place, :code, :ends_at) ON CONFLICT (platform, native_id) DO UPDATE SET "
                "name = excluded.name, place = excluded.place, code = excluded.code, ends_at = excluded.ends_at, "
                "other_platform = NULL, other_id = NULL, other_name = NULL, other_place = NULL, agreed = 0, consents = '[]'",
                {**_which(to.account), "name": to.name, "place": to.place, "code": self._hash(code), "ends_at": now + LASTS},
            )
        return f"{code[: _LENGTH // 2]}-{code[_LENGTH // 2 :]}"

    async def claim_code(self, code: str, by: LinkParty, own: Collection[Identity]) -> Request:
        """Claim a code typed by `by`, whose person's accounts are `own`; nobody else can type it then. Raises LinkRefused."""
        now, plain = self.clock.now(), "".join(one for one in code.upper() if one.isalnum())
        async with self.db.transaction() as tx:
            await _end(tx, now)
            tried = self._account(by.account)
            if await _tries(tx, "WHERE account = :account", account=tried) >= _TRIES or await _tries(tx) >= _TRIES_OF_ALL:
                raise LinkRefused("Too many codes were wrong; try again in ten minutes.")
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
                "That code is of this account, or of one that is linked with it: type it under another one of yours."
            )
        raise LinkRefused("That code is wrong, has expired or was used already. Get a new one at your other account.")

    async def requests(self, who: Identity, declared: Declared = nobody_else) -> list[Request]:
        """Return the requests waiting for an account's consent: those it typed, then those shown to it, then others'."""
        rows = await self.db.all(
            f"{_CODES} WHERE ends_at > :now AND other_id IS NOT NULL ORDER BY agreed, ends_at", {"now": self.clock.now()}
        )
        found = [_request(row) for row in rows]
        return [one for one in found if any(who in asked for asked in await self._to_ask(self.db, one, declared))]

    async def agree(self, request: Request) -> bool:
        """Record the consent of the typing side; return whether the request still stands."""
        async with self.db.transaction() as tx:
            row = await self._standing(tx, request)
            if row is None or row["agreed"]:
                return False
            await _keep(tx, request, agreed=1)
        return True

    async def refuse(self, request: Request) -> bool:
        """Drop a request; return whether it still stood."""
        async with self.db.transaction() as tx:
            stood = await self._standing(tx, request) is not None
            if stood:
                await tx.run(
                    "DELETE FROM link_codes WHERE platform = :platform AND native_id = :native_id", _which(request.showed.account)
                )
        return stood

    async def link(
        self, request: Request, by: Identity | None = None, declared: Declared = nobody_else
    ) -> Sequence[Collection[Identity]] | None:
        """Record the consent of the showing side, or of another account asked; link everyone once all have agreed.

        Returns who still has to agree, each with the accounts declared to be the same person's; [] once linked, None if the
        request no longer stands.
        """
        by = by or request.showed.account
        async with self.db.transaction() as tx:
            row = await self._standing(tx, request)
            if row is None or not row["agreed"] or not any(by in one for one in await self._to_ask(tx, _request(row), declared)):
                return None
            consents = [*_request(row).consents, *([by] if row["agreed"] > 1 else ())]
            await _keep(tx, request, agreed=2, consents=consents)
            now = Request(request.showed, request.typed, 2, request.word, consents)
            if missing := await self._to_ask(tx, now, declared):
                return missing
            await self._circles.link(tx, request.showed.account, request.typed.account)
            # Consent covered those accounts linked at that time and nobody else, so all other requests are dropped.
            await _drop(tx, await self._circles.all_accounts(tx, by, declared))
        return []

    async def unlink(self, accounts: Collection[Identity]) -> bool:
        """Unlink these accounts and drop their requests; return whether any was linked.

        Accounts that were linked only through them are split from the others as well.
        """
        parted = False
        async with self.db.transaction() as tx:
            for one in accounts:
                parted |= await self._circles.unlink(tx, one)
            await _drop(tx, accounts, untyped=True)
        return parted

    async def drop_expired(self) -> None:
        """Drop expired codes and attempts."""
        if await self.db.one("SELECT 1 AS yes FROM link_codes UNION ALL SELECT 1 FROM link_tries LIMIT 1"):
            async with self.db.transaction() as tx:
                await _end(tx, self.clock.now())

    @property
    def _circles(self) -> LinkedAccounts:
        return LinkedAccounts(self.seal)

    async def _to_ask(self, reader: Reader, request: Request, declared: Declared) -> list[Collection[Identity]]:
        """Return who has to agree next: groups of accounts declared to be one person's, of which one account suffices."""
        if request.agreed < 2:
            return [[(request.showed if request.agreed else request.typed).account]]
        both = {request.showed.account, request.typed.account}
        everyone = [one for side in both for one in await self._circles.all_accounts(reader, side, declared)]
        asked = {frozenset(declared(one)) for one in everyone}
        return [one for one in asked if one.isdisjoint(both.union(request.consents))]

    async def _standing(self, reader: Reader, request: Request) -> Row | None:
        return await reader.one(
            f"{_CODES} WHERE platform = :platform AND native_id = :native_id AND other_platform = :other_platform "
            f"AND other_id = :other_id AND substr(code, 1, {_WORD}) = :word AND ends_at > :now",
            {
                **_which(request.showed.account), "other_platform": request.typed.account.platform,
                "other_id": request.typed.account.native_id, "word": request.word, "now": self.clock.now(),
            },
        )  # fmt: skip

    def _hash(self, code: str) -> str:
        return self.seal.id(_EVERYWHERE, "link-code", code)

    def _account(self, who: Identity) -> str:
        return self.seal.id(_EVERYWHERE, "link-tries", who.platform, who.native_id)


async def _keep(tx: Transaction, request: Request, *, agreed: int, consents: Sequence[Identity] = ()) -> None:
    await tx.run(
        "UPDATE link_codes SET agreed = :agreed, consents = :consents WHERE platform = :platform AND native_id = :native_id",
        {
            **_which(request.showed.account), "agreed": agreed,
            "consents": json.dumps(serialize(consents)),
        },
    )  # fmt: skip


async def _drop(tx: Transaction, accounts: Collection[Identity], *, untyped: bool = False) -> None:
    """Drop requests that one of these accounts typed or was shown; with `untyped`, also codes that nobody typed yet."""
    for one in accounts:
        await tx.run(
            "DELETE FROM link_codes WHERE (platform = :platform AND native_id = :native_id AND (:untyped = 1 OR other_id IS NOT NULL)) "
            "OR (other_platform = :platform AND other_id = :native_id)",
            {**_which(one), "untyped": int(untyped)},
        )


async def end_all(tx: Transaction, platform: str | None = None) -> None:
    """Drop every code, or those that a platform's account was shown or typed; a new one is available at once."""
    await tx.run(
        "DELETE FROM link_codes WHERE CAST(:platform AS TEXT) IS NULL OR platform = :platform OR other_platform = :platform",
        {"platform": platform},
    )


async def _end(tx: Transaction, now: int) -> None:
    # What would last much longer was noted by a clock that was ahead.
    await tx.run("DELETE FROM link_codes WHERE ends_at <= :now OR ends_at > :ahead", {"now": now, "ahead": now + 2 * LASTS})
    await tx.run("DELETE FROM link_tries WHERE at <= :since OR at > :ahead", {"since": now - LASTS, "ahead": now + LASTS})


async def _tries(tx: Transaction, which: str = "", **of: object) -> int:
    row = await tx.one(f"SELECT count(*) AS n FROM link_tries {which}", of)
    return int(row["n"]) if row else 0


_CODES = "SELECT * FROM link_codes"


def _which(account: Identity) -> dict[str, object]:
    return {"platform": account.platform, "native_id": account.native_id}


def _request(row: Row, typed: LinkParty | None = None) -> Request:
    showed = LinkParty(Identity(row["platform"], row["native_id"]), row["name"], row["place"])
    typed = typed or LinkParty(Identity(row["other_platform"], row["other_id"]), row["other_name"], row["other_place"])
    return Request(showed, typed, int(row["agreed"]), str(row["code"])[:_WORD], deserialize(json.loads(row["consents"])))
