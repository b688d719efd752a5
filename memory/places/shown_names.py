"""Under which name somebody is shown in a domain: the first account of a name keeps it, a later one is NAME#xxxx.

A name is known by a keyed hash of its likeness, so that nobody's name is kept here. It stays with the account that had it
first, also when that one is called something else: what is kept was said under it. Who is called something else takes no name
that somebody else who is present is called by, be it that this one never spoke; what they are shown as with a tag is theirs.
"""

import hmac
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from memory.store.database import Database, Reader, Transaction
from memory.store.lineage import Seal, bound, placeholders
from memory.text.display_names import TAG, is_reserved, likeness, tagged, untagged
from memory.types import Domain, DomainKind, DomainRef, Exchange, Identity

_MOST_NAMESAKES = 5


async def shown_name(
    tx: Transaction, seal: Seal, domain: Domain, key: int, identity: Identity, name: str, *, borne: bool = False
) -> str:
    """Return the name under which an account is shown from now on, where it calls itself `name`; a free name becomes its own.

    `borne` says that somebody else who is present is called so: then it is free only for who had no name here before.
    """
    own = untagged(name)
    apart = tagged(own, public_id(seal, domain.ref, identity))
    if not is_reserved(own):
        holder = await _holder(tx, seal, domain, name)
        if holder is None and not await _is_apart(tx, seal, domain, key, apart, borne=borne):
            holder = key
        if holder is not None:
            await _keep(tx, seal, domain, own, holder)
        if holder == key:
            return own
    await _keep(tx, seal, domain, apart, key)
    return apart


async def is_free(reader: Reader, seal: Seal, domain: Domain, name: str) -> bool:
    """Say whether nobody has a name in a domain."""
    return not is_reserved(untagged(name)) and await _holder(reader, seal, domain, name) is None


async def namesakes(reader: Reader, seal: Seal, who: Identity, name: str) -> list[str]:
    """Return the ids of other accounts of a platform that have a name in any domain, the first few."""
    rows = await reader.all(
        "SELECT DISTINCT i.native_id FROM shown_names n JOIN identities i ON i.id = n.identity "
        "WHERE n.likeness = :likeness AND i.platform = :platform AND i.native_id <> :account ORDER BY i.id LIMIT :most",
        {"likeness": _mark(seal, untagged(name)), "platform": who.platform, "account": who.native_id, "most": _MOST_NAMESAKES},
    )
    return [row["native_id"] for row in rows]


def unaccounted(seal: Seal, domain: DomainRef, name: str) -> str:
    """Return the name of somebody without an account, as an import may have: it stays, unless it is reserved."""
    return tagged(untagged(name), seal.id(domain, "speaker", name)) if is_reserved(name) else name


def public_id(seal: Seal, domain: DomainRef, identity: Identity) -> str:
    """Return the id that an account has in a domain."""
    return seal.id(domain, "person", identity.platform, identity.native_id)


async def _is_apart(reader: Reader, seal: Seal, domain: Domain, key: int, apart: str, *, borne: bool) -> bool:
    if await _row(reader, seal, domain, apart) is not None:
        return True
    which = {"domain": domain.key, "key": key}
    return (
        borne
        and await reader.one("SELECT 1 FROM shown_names WHERE domain = :domain AND identity = :key LIMIT 1", which) is not None
    )


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


async def as_shown(
    db: Database, seal: Seal, domain: Domain, people: Sequence[tuple[Identity | None, str]], borne: Collection[str] = ()
) -> Mapping[tuple[Identity | None, str], str]:
    """Return under which names people are shown whose words are not kept. Of unknown ones the first keeps a name.

    `borne` are the names by which somebody else who is present is called as well.
    """
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
        own = untagged(name)
        apart = tagged(own, public_id(seal, domain.ref, identity))
        key = await _key(db, identity) if marks[name] not in holders else None
        if key is None or not await _is_apart(db, seal, domain, key, apart, borne=name in borne):
            holders.setdefault(marks[name], identity)
        found[identity, name] = own if holders.get(marks[name]) == identity and not is_reserved(own) else apart
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


async def _key(reader: Reader, who: Identity) -> int | None:
    which = {"platform": who.platform, "account": who.native_id}
    row = await reader.one("SELECT id FROM identities WHERE platform = :platform AND native_id = :account", which)
    return int(row["id"]) if row else None


async def _public_id(db: Database, seal: Seal, domain: Domain, key: int) -> str:
    row = await db.one("SELECT platform, native_id FROM identities WHERE id = :id", {"id": key})
    assert row is not None
    return public_id(seal, domain.ref, Identity(row["platform"], row["native_id"]))


def _mark(seal: Seal, name: str) -> str:
    return hmac.digest(seal.key, f"name\n{likeness(name)}".encode(), sha256).hex()[:32]
