"""Under which name somebody is shown in a domain: the first account of a name keeps it, a later one is NAME#xxxx.

A name is known by a keyed hash of its likeness, so that nobody's name is kept here. It stays with the account that had it
first, also when that one is called something else: what is kept was said under it.
"""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from memory.store.database import Database, Transaction
from memory.store.lineage import Seal, bound, placeholders
from memory.text.display_names import TAG, is_reserved, likeness, tagged, untagged
from memory.types import Domain, DomainKind, DomainRef, Exchange, Identity


async def shown_name(tx: Transaction, seal: Seal, domain: Domain, key: int, identity: Identity, name: str) -> str:
    """Return the name under which an account is shown from now on, where it calls itself `name`; a free name becomes its own."""
    own = untagged(name)
    if is_reserved(own) or await _holder(tx, seal, domain, key, name) != key:
        return tagged(own, public_id(seal, domain.ref, identity))
    return own


def unaccounted(seal: Seal, domain: DomainRef, name: str) -> str:
    """Return the name of somebody without an account, as an import may have: it stays, unless it is reserved."""
    return tagged(untagged(name), seal.id(domain, "speaker", name)) if is_reserved(name) else name


def public_id(seal: Seal, domain: DomainRef, identity: Identity) -> str:
    """Return the id that an account has in a domain."""
    return seal.id(domain, "person", identity.platform, identity.native_id)


async def _holder(tx: Transaction, seal: Seal, domain: Domain, key: int, name: str) -> int:
    which = {"domain": domain.key, "likeness": _mark(seal, untagged(name))}
    row = await tx.one("SELECT identity FROM shown_names WHERE domain = :domain AND likeness = :likeness", which)
    if row is not None:
        return int(row["identity"])
    # What was said before names were told apart has them as they were.
    before = await tx.one(
        "SELECT identity FROM exchanges WHERE domain = :domain AND kind = 'said' AND speaker = :name AND identity IS NOT NULL "
        "ORDER BY item LIMIT 1",
        {"domain": domain.key, "name": name},
    )
    holder = int(before["identity"]) if before else key
    await tx.run(
        "INSERT INTO shown_names (domain, likeness, identity) VALUES (:domain, :likeness, :holder)", {**which, "holder": holder}
    )
    return holder


async def as_shown(
    db: Database, seal: Seal, domain: Domain, people: Sequence[tuple[Identity | None, str]]
) -> Mapping[tuple[Identity | None, str], str]:
    """Return under which names people are shown whose words are not kept. Of unknown ones the first keeps a name."""
    marks = {name: _mark(seal, untagged(name)) for _, name in people}
    rows = await db.all(
        "SELECT n.likeness, i.platform, i.native_id FROM shown_names n JOIN identities i ON i.id = n.identity "
        f"WHERE n.domain = :domain AND n.likeness IN ({placeholders('m', list(marks))})",
        {"domain": domain.key, **bound("m", marks.values())},
    )
    holders: dict[str, Identity | None] = {row["likeness"]: Identity(row["platform"], row["native_id"]) for row in rows}
    found: dict[tuple[Identity | None, str], str] = {}
    for identity, name in people:
        if identity is None:
            found[identity, name] = unaccounted(seal, domain.ref, name)
            continue
        first = holders.setdefault(marks[name], identity) == identity
        own = untagged(name)
        keeps = first and not is_reserved(own)
        found[identity, name] = own if keeps else tagged(own, public_id(seal, domain.ref, identity))
    return found


async def told_apart(db: Database, seal: Seal, domains: Sequence[Domain], messages: Iterable[Exchange]) -> dict[int, Exchange]:
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


async def _public_id(db: Database, seal: Seal, domain: Domain, key: int) -> str:
    row = await db.one("SELECT platform, native_id FROM identities WHERE id = :id", {"id": key})
    assert row is not None
    return public_id(seal, domain.ref, Identity(row["platform"], row["native_id"]))


def _mark(seal: Seal, name: str) -> str:
    return hmac.digest(seal.key, f"name\n{likeness(name)}".encode(), sha256).hex()[:32]
