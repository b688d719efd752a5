"""The name somebody is shown under in a domain: the first account with a name keeps it, a later one becomes NAME#xxxx.

A name is stored as a keyed hash of its likeness, so that nobody's name is kept here. It stays with the account that had it
first even after a rename, because stored messages were said under it. An account that renames itself cannot take a name
that somebody else present bears, even if the latter never spoke; the tagged form it is shown under stays its own. The same
holds across the epochs of a room and across rooms that replace one another: an account that had another name there cannot
take one that somebody present bears. Nor can anybody take a name that somebody present bore there earlier, or bore in a
domain that is read along, whatever they are called now.
"""

import hmac
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256

from memory.places.identities import account
from memory.store.database import DatabaseAccess, Reader, Transaction
from memory.store.lineage import Seal, bound, placeholders
from memory.text.display_names import TAG, is_reserved, likeness, tagged, untagged
from memory.types import Domain, DomainKind, DomainRef, Exchange, Identity, NameUse

Person = tuple[Identity | None, str]
"""Somebody's account, or None if unknown, and the name they give themselves."""
NOBODYS: Mapping[Person, NameUse] = {}
_MOST_NAMESAKES = 5
_HERE = (
    "(n.domain = :domain OR n.domain IN ({before}) OR n.domain IN (SELECT e.id FROM domains e JOIN domains d ON d.id = :domain "
    "WHERE e.platform = d.platform AND e.kind = d.kind AND e.native_id = d.native_id AND e.epoch < d.epoch))"
)
"""The SQL condition that a row of `shown_names n` is of a domain, an earlier epoch of it, or one of those `before` it."""


async def shown_name(
    tx: Transaction, seal: Seal, domain: Domain, key: int, identity: Identity, name: str, *, borne: NameUse = NameUse.NOT,
    before: Collection[int] = (),
) -> str:  # fmt: skip
    """Return the name to show an account under from now on, given its own `name`; a free name is claimed for it.

    `borne` says whether somebody else present bears the name. If NOW, it is free only for an account with no name here yet
    and no other name in the domains `before` this one (rooms that this one replaced) or in an earlier epoch. If BEFORE, it
    is not free.
    """
    own = untagged(name)
    apart = tagged(own, public_id(seal, domain.ref, identity))
    if not is_reserved(own):
        holder = await _holder(tx, seal, domain, name)
        if holder is None and (await standing(tx.everywhere, seal, domain, [(identity, name)], before)).may_take(
            identity, name, borne
        ):
            holder = key
        if holder is not None:
            await _keep(tx, seal, domain, own, holder)
        if holder == key:
            return own
    await _keep(tx, seal, domain, apart, key)
    return apart


def unaccounted(seal: Seal, domain: DomainRef, name: str) -> str:
    """Return the name of a speaker without an account, as in an import; it is tagged only if it is reserved."""
    return tagged(untagged(name), seal.id(domain, "speaker", name)) if is_reserved(name) else name


def public_id(seal: Seal, domain: DomainRef, identity: Identity) -> str:
    """Return an account's public id in a domain."""
    return seal.id(domain, "person", identity.platform, identity.native_id)


def _had_another(names: Collection[str], mark: str) -> bool:
    """Return whether an account had names before, but not this one."""
    return bool(names) and mark not in names


async def _holder(reader: Reader, seal: Seal, domain: Domain, name: str) -> int | None:
    parameters = {"domain": domain.key, "likeness": _mark(seal, untagged(name))}
    held = await reader.one("SELECT identity FROM shown_names WHERE domain = :domain AND likeness = :likeness", parameters)
    if held is not None:
        return int(held["identity"])
    # Messages from before names were told apart hold them as they were.
    before = await reader.one(
        "SELECT identity FROM exchanges WHERE domain = :domain AND kind = 'said' AND speaker = :name AND identity IS NOT NULL "
        "ORDER BY item LIMIT 1",
        {"domain": domain.key, "name": name},
    )
    return int(before["identity"]) if before else None


async def _keep(tx: Transaction, seal: Seal, domain: Domain, shown: str, holder: int) -> None:
    await tx.run(
        "INSERT INTO shown_names (domain, likeness, identity) VALUES (:domain, :likeness, :holder) "
        "ON CONFLICT (domain, likeness) DO NOTHING",
        {"domain": domain.key, "likeness": _mark(seal, shown), "holder": holder},
    )


@dataclass(frozen=True, slots=True)
class NameStanding:
    """The name standings of some people in a domain, given accounts and names.

    `held` maps names to holders; `here` are the accounts with any name; `before` holds the names they had in earlier
    domains; `near` lists who held a name in domains read along or earlier epochs, first holder first; `elsewhere` who has
    it anywhere else.
    """

    people: Sequence[Person]
    marks: Mapping[str, str]
    held: Mapping[str, Identity]
    here: Set[Identity]
    before: Mapping[Identity, Set[str]]
    near: Mapping[str, Sequence[Identity]]
    elsewhere: Mapping[str, Sequence[Identity]]
    seal: Seal
    domain: Domain

    def namesakes(self, who: Identity, name: str) -> list[str] | None:
        """Return the ids of other accounts of the platform with this name; None if it is held here or reserved, so not free."""
        if self.marks[untagged(name)] in self.held or is_reserved(untagged(name)):
            return None
        mark = self.marks[untagged(name)]
        others = dict.fromkeys([*self.near.get(mark, ()), *self.elsewhere.get(mark, ())])
        return [one.native_id for one in others if one.platform == who.platform and one != who]

    def held_before(self, who: Identity, name: str, present: Collection[str]) -> bool:
        """Return whether somebody else, among the accounts present, was the first nearby holder of a name."""
        near = (one for one in self.near.get(self.marks[untagged(name)], ()) if one == who or one.native_id in present)
        return next(near, who) != who

    def may_take(self, who: Identity, name: str, borne: NameUse) -> bool:
        """Return whether an account may take a name that nobody holds here: see `shown_name`."""
        own = untagged(name)
        known = who in self.here or _had_another(self.before.get(who, ()), self.marks[own])
        theirs = borne is NameUse.BEFORE or (borne is NameUse.NOW and known)
        return not theirs and self.marks[tagged(own, public_id(self.seal, self.domain.ref, who))] not in self.held

    def display_names(self, borne: Mapping[Person, NameUse] = NOBODYS) -> dict[Person, str]:
        """Return the names to show people under whose words are not stored. Of several unknown ones the first keeps the name.

        `borne` says which names somebody else present bears or bore.
        """
        holders, found = dict(self.held), dict[Person, str]()
        for identity, name in self.people:
            if identity is None:
                found[identity, name] = unaccounted(self.seal, self.domain.ref, name)
                continue
            own = untagged(name)
            apart = tagged(own, public_id(self.seal, self.domain.ref, identity))
            if self.may_take(identity, name, borne.get((identity, name), NameUse.NOT)):
                holders.setdefault(self.marks[own], identity)
            found[identity, name] = own if holders.get(self.marks[own]) == identity and not is_reserved(own) else apart
        return found


async def standing(
    db: Reader,
    seal: Seal,
    domain: Domain,
    people: Sequence[Person],
    before: Collection[int] = (),
    along: Collection[int] = (),
) -> NameStanding:
    """Return the name standings of people in a domain, in one read; `before` as in `shown_name`, `along` are read along."""
    accounts = [identity for identity, _ in people if identity is not None]
    own = {untagged(name) for _, name in people}
    apart = {tagged(untagged(name), public_id(seal, domain.ref, identity)) for identity, name in people if identity is not None}
    marks = {name: _mark(seal, name) for name in own | apart}
    rows = await db.all(
        "SELECT 'held' AS what, n.likeness, i.platform, i.native_id FROM shown_names n JOIN identities i ON i.id = n.identity "
        f"WHERE n.domain = :domain AND n.likeness IN ({placeholders('m', list(marks))}) "
        "UNION ALL SELECT CASE WHEN n.domain = :domain THEN 'here' ELSE 'before' END, n.likeness, i.platform, i.native_id "
        "FROM identities i JOIN shown_names n ON n.identity = i.id "
        f"WHERE i.native_id IN ({placeholders('a', accounts)}) AND {_HERE.format(before=placeholders('b', before))} "
        "UNION ALL SELECT 'near', o.likeness, o.platform, o.native_id FROM ("
        "SELECT n.likeness, i.platform, i.native_id FROM shown_names n JOIN identities i ON i.id = n.identity "
        f"WHERE n.likeness IN ({placeholders('o', list(own))}) AND n.domain <> :domain "
        f"AND {_HERE.format(before=placeholders('l', along))} ORDER BY n.domain) o "
        "UNION ALL SELECT 'elsewhere', e.likeness, e.platform, e.native_id FROM ("
        "SELECT n.likeness, i.platform, i.native_id FROM shown_names n JOIN identities i ON i.id = n.identity "
        f"WHERE n.likeness IN ({placeholders('o', list(own))}) AND n.domain <> :domain ORDER BY i.id LIMIT :most) e",
        {
            "domain": domain.key, **bound("m", marks.values()), **bound("a", [one.native_id for one in accounts]),
            **bound("o", [marks[name] for name in own]), **bound("b", before), **bound("l", along), "most": _MOST_NAMESAKES * len(own),
        },
    )  # fmt: skip
    found = {what: [(row["likeness"], Identity(row["platform"], row["native_id"])) for row in rows if row["what"] == what]
             for what in ("held", "here", "before", "near", "elsewhere")}  # fmt: skip
    earlier: dict[Identity, set[str]] = {}
    for mark, who in found["before"]:
        earlier.setdefault(who, set()).add(mark)
    return NameStanding(
        people, marks, dict(found["held"]), {who for _, who in found["here"]}, earlier, _by_mark(found["near"]),
        _by_mark(found["elsewhere"]), seal, domain,
    )  # fmt: skip


def _by_mark(held: Iterable[tuple[str, Identity]]) -> dict[str, list[Identity]]:
    found: dict[str, list[Identity]] = {}
    for mark, who in held:
        found.setdefault(mark, []).append(who)
    return found


async def told_apart(
    db: DatabaseAccess, seal: Seal, domains: Sequence[Domain], messages: Iterable[Exchange]
) -> dict[int, Exchange]:
    """Return the messages of other domains, by key, with speakers told apart for the readers of the first domain.

    All accounts in the DM domains among these are one person's.
    """
    foreign = {one.key: one for one in messages if one.domain != domains[0].key and one.identity is not None}
    names = {key: TAG.sub("", one.speaker) for key, one in foreign.items()}
    marks = {name: _mark(seal, name) for name in names.values()}
    if not marks:
        return {}
    rows = await db.all(
        f"SELECT domain, likeness, identity FROM shown_names WHERE domain IN ({placeholders('d', domains)}) "
        f"AND likeness IN ({placeholders('m', list(marks))})",
        {**bound("d", [domain.key for domain in domains]), **bound("m", marks.values())},
    )
    direct = {domain.key for domain in domains if domain.ref.kind is DomainKind.DM}
    one_person = {row["identity"] for row in rows if row["domain"] in direct}
    holders: dict[str, dict[int, int]] = {}
    for row in rows:
        # The accounts of one person share one holder.
        holder = min(one_person) if row["identity"] in one_person else row["identity"]
        holders.setdefault(row["likeness"], {})[row["domain"]] = holder
    found: dict[int, Exchange] = {}
    for key, one in foreign.items():
        assert one.identity is not None
        who = min(one_person) if one.identity in one_person else one.identity
        there = holders.get(marks[names[key]], {})
        keeps = there.get(domains[0].key, who) == who and (domains[0].key in there or set(there.values()) <= {who})
        if not is_reserved(names[key]):
            found[key] = one._replace(speaker=names[key])
            if not keeps:
                speaker = await account(db, one.identity)
                assert speaker is not None
                found[key] = one._replace(speaker=tagged(names[key], public_id(seal, domains[0].ref, speaker)))
    return found


def _mark(seal: Seal, name: str) -> str:
    return hmac.digest(seal.key, f"name\n{likeness(name)}".encode(), sha256).hex()[:32]
