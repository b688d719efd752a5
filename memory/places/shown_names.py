"""Under which name somebody is shown in a domain: the first account of a name keeps it, a later one is NAME#xxxx.

A name is known by a keyed hash of its likeness, so that nobody's name is kept here. It stays with the account that had it
first, also when that one is called something else: what is kept was said under it. Who is called something else takes no name
that somebody else who is present is called by, be it that this one never spoke; what they are shown as with a tag is theirs.
So it is across the epochs of a room, and where one replaces another that it goes on with: who was called otherwise there comes
into no name that somebody who is present bears. Nor does anybody come into one that somebody who is present bore there before, or in
what is read along, whatever these are called by now.
"""

import hmac
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from hashlib import sha256

from memory.store.database import Access, Reader, Transaction
from memory.store.lineage import Seal, bound, placeholders
from memory.text.display_names import TAG, is_reserved, likeness, tagged, untagged
from memory.types import Borne, Domain, DomainKind, DomainRef, Exchange, Identity

Person = tuple[Identity | None, str]
"""Somebody's account, None where none is known, and the name that they give themselves."""
NOBODYS: Mapping[Person, Borne] = {}
_MOST_NAMESAKES = 5
_HERE = (
    "(n.domain = :domain OR n.domain IN ({before}) OR n.domain IN (SELECT e.id FROM domains e JOIN domains d ON d.id = :domain "
    "WHERE e.platform = d.platform AND e.kind = d.kind AND e.native_id = d.native_id AND e.epoch < d.epoch))"
)
"""The condition that a row of `shown_names n` is of a domain, of an earlier epoch of it, or of what stood before it."""


async def shown_name(
    tx: Transaction, seal: Seal, domain: Domain, key: int, identity: Identity, name: str, *, borne: Borne = Borne.NOT,
    before: Collection[int] = (),
) -> str:  # fmt: skip
    """Return the name under which an account is shown from now on, where it calls itself `name`; a free name becomes its own.

    `borne` says that somebody else who is present is called so: then it is free only for who had no name here before, nor another
    in the domains `before` this one, of rooms that its own replaced, or in an earlier epoch; for nobody where it was theirs before.
    """
    own = untagged(name)
    apart = tagged(own, public_id(seal, domain.ref, identity))
    if not is_reserved(own):
        holder = await _holder(tx, seal, domain, name)
        if holder is None and not await _is_apart(tx.everywhere, seal, domain, key, (own, apart), before, borne=borne):
            holder = key
        if holder is not None:
            await _keep(tx, seal, domain, own, holder)
        if holder == key:
            return own
    await _keep(tx, seal, domain, apart, key)
    return apart


def unaccounted(seal: Seal, domain: DomainRef, name: str) -> str:
    """Return the name of somebody without an account, as an import may have: it stays, unless it is reserved."""
    return tagged(untagged(name), seal.id(domain, "speaker", name)) if is_reserved(name) else name


def public_id(seal: Seal, domain: DomainRef, identity: Identity) -> str:
    """Return the id that an account has in a domain."""
    return seal.id(domain, "person", identity.platform, identity.native_id)


async def _is_apart(
    reader: Reader, seal: Seal, domain: Domain, key: int, names: tuple[str, str], before: Collection[int], *, borne: Borne
) -> bool:
    own, apart = names
    if borne is Borne.BEFORE or await _row(reader, seal, domain, apart) is not None:
        return True
    if borne is Borne.NOT:
        return False
    rows = await reader.all(
        f"SELECT n.domain, n.likeness FROM shown_names n WHERE n.identity = :key AND {_HERE.format(before=placeholders('b', before))}",
        {"domain": domain.key, "key": key, **bound("b", before)},
    )
    return any(row["domain"] == domain.key for row in rows) or _had_another({row["likeness"] for row in rows}, _mark(seal, own))


def _had_another(names: Collection[str], mark: str) -> bool:
    """Say whether somebody who bore these names before bears another one now."""
    return bool(names) and mark not in names


async def _holder(reader: Reader, seal: Seal, domain: Domain, name: str) -> int | None:
    held = await _row(reader, seal, domain, untagged(name))
    if held is not None:
        return held
    # What was said before names were told apart has them as they were.
    before = await reader.one(
        "SELECT identity FROM exchanges WHERE domain = :domain AND kind = 'said' AND speaker = :name AND identity IS NOT NULL "
        "ORDER BY item LIMIT 1",
        {"domain": domain.key, "name": name},
    )
    return int(before["identity"]) if before else None


async def _row(reader: Reader, seal: Seal, domain: Domain, shown: str) -> int | None:
    which = {"domain": domain.key, "likeness": _mark(seal, shown)}
    row = await reader.one("SELECT identity FROM shown_names WHERE domain = :domain AND likeness = :likeness", which)
    return int(row["identity"]) if row else None


async def _keep(tx: Transaction, seal: Seal, domain: Domain, shown: str, holder: int) -> None:
    await tx.run(
        "INSERT INTO shown_names (domain, likeness, identity) VALUES (:domain, :likeness, :holder) "
        "ON CONFLICT (domain, likeness) DO NOTHING",
        {"domain": domain.key, "likeness": _mark(seal, shown), "holder": holder},
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """How some people stand in a domain, by their accounts and names: who holds which name, who has any, which they had before it,
    who held one in what is read along or an earlier epoch (`near`), the first one first, and who has one elsewhere.
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
        """Return the ids of a few other accounts of that platform that bear a name anywhere, None where somebody holds it here: it is not free then."""
        if self.marks[untagged(name)] in self.held or is_reserved(untagged(name)):
            return None
        mark = self.marks[untagged(name)]
        others = dict.fromkeys([*self.near.get(mark, ()), *self.elsewhere.get(mark, ())])
        return [one.native_id for one in others if one.platform == who.platform and one != who]

    def held_before(self, who: Identity, name: str, present: Collection[str]) -> bool:
        """Say whether the first holder of a name near here who is among those of that platform's accounts is somebody else."""
        near = (one for one in self.near.get(self.marks[untagged(name)], ()) if one == who or one.native_id in present)
        return next(near, who) != who

    def shown(self, borne: Mapping[Person, Borne] = NOBODYS) -> dict[Person, str]:
        """Return under which names they are shown where their words are not kept. Of unknown ones the first keeps a name.

        `borne` says of which names somebody else who is present bears or bore one.
        """
        holders, found = dict(self.held), dict[Person, str]()
        for identity, name in self.people:
            if identity is None:
                found[identity, name] = unaccounted(self.seal, self.domain.ref, name)
                continue
            own = untagged(name)
            apart = tagged(own, public_id(self.seal, self.domain.ref, identity))
            known = identity in self.here or _had_another(self.before.get(identity, ()), self.marks[own])
            by_others = borne.get((identity, name), Borne.NOT)
            theirs = by_others is Borne.BEFORE or (by_others is Borne.NOW and known)
            if self.marks[apart] not in self.held and not theirs:
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
) -> Standing:
    """Return how people stand in a domain, in one read; `before` is as in `shown_name`, `along` are the domains that are read along."""
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
    return Standing(
        people, marks, dict(found["held"]), {who for _, who in found["here"]}, earlier, _by_mark(found["near"]),
        _by_mark(found["elsewhere"]), seal, domain,
    )  # fmt: skip


def _by_mark(held: Iterable[tuple[str, Identity]]) -> dict[str, list[Identity]]:
    found: dict[str, list[Identity]] = {}
    for mark, who in held:
        found.setdefault(mark, []).append(who)
    return found


async def told_apart(db: Access, seal: Seal, domains: Sequence[Domain], messages: Iterable[Exchange]) -> dict[int, Exchange]:
    """Return messages of several domains by their keys, with their speakers told apart for the readers of the first domain.

    Those who alone read a direct domain of these are one person.
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
        # Of one person's accounts any stands for all.
        holder = min(one_person) if row["identity"] in one_person else row["identity"]
        holders.setdefault(row["likeness"], {})[row["domain"]] = holder
    found: dict[int, Exchange] = {}
    for key, one in foreign.items():
        assert one.identity is not None
        who = min(one_person) if one.identity in one_person else one.identity
        there = holders.get(marks[names[key]], {})
        keeps = there.get(domains[0].key, who) == who and (domains[0].key in there or set(there.values()) <= {who})
        if not is_reserved(names[key]):
            own = names[key] if keeps else tagged(names[key], await _public_id(db, seal, domains[0], one.identity))
            found[key] = replace(one, speaker=own)
    return found


async def _public_id(db: Access, seal: Seal, domain: Domain, key: int) -> str:
    row = await db.one("SELECT platform, native_id FROM identities WHERE id = :id", {"id": key})
    assert row is not None
    return public_id(seal, domain.ref, Identity(row["platform"], row["native_id"]))


def _mark(seal: Seal, name: str) -> str:
    return hmac.digest(seal.key, f"name\n{likeness(name)}".encode(), sha256).hex()[:32]
