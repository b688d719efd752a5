"""Whether a message was known before, under any name it ever had: stored, or forgotten.

A message is named by its conversation and its id there. An import without a conversation is also named by its text and the one
before, so that a renamed file is the same. Earlier versions named messages without an id by their text alone. Forgotten
messages are named by their words as well, so that neither an export in another format nor a longer message containing them
brings them back.

In general a longer message is a different message. It is not if it has the same speaker and instant as a forgotten one and
contains its words or those of one of its lines; nor if the file does not tell when it was said and the forgotten words are more
than a phrase.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from memory.forget import tombstones
from memory.places.named_conversations import PLATFORM
from memory.store.database import DatabaseAccess, Row, Transaction
from memory.store.domains import read_domain
from memory.store.lineage import Seal, bound, paged, pages, placeholders
from memory.text.display_names import TAG, likeness
from memory.text.off_loop import off_loop
from memory.tiers.messages import words
from memory.types import Domain, DomainRef, FormerIds, Imported, NewExchange, Session, SessionRef

_BEGINNING = 3
"""The number of leading words by which a forgotten message is searched in a longer one."""
_COMPARED = 40
"""The number of leading words that must occur consecutively."""
_LINES = 20
"""The number of a message's lines that are searched separately."""
_LOOKED_AT = 2_000
"""The number of words of a message that are searched."""


def public_id(seal: Seal, domain: DomainRef, ref: SessionRef, source_id: str) -> str:
    """Return the public id of a message in a session, stored or not."""
    return seal.id(domain, "exchange", ref.platform, ref.place, str(ref.epoch), source_id)


def seen_as(seal: Seal, domain: DomainRef, platform: str, place: str, source_id: str) -> str:
    """Return the id of a message only seen at a place: the same in every thread and epoch of its channel."""
    return seal.id(domain, "aside", platform, channel(place), source_id)


def channel(place: str) -> str:
    """Return the prefix that a place's key, a JSON list from the widest level on, shares with all its threads."""
    try:
        return json.dumps(json.loads(place)[:-1], ensure_ascii=False).removesuffix("]")
    except ValueError:
        return place


def _is_in_thread(place: str) -> bool:
    return channel(place) != place and bool(json.loads(place)[-1])


def origin(seal: Seal, domain: DomainRef, imported: Imported | FormerIds | None) -> str:
    """Return the name that an imported message has in any conversation, '' if it has none."""
    return seal.id(domain, "exchange", "import", imported.origin) if imported and imported.origin else ""


async def hashes(db: DatabaseAccess, seal: Seal, items: Sequence[int]) -> list[str]:
    """Return every keyed hash of these messages by which a tombstone can meet them again, their public ids among them."""
    found: list[str] = []
    for some in pages(items):
        rows = await db.all(
            "SELECT i.public_id, e.origin, e.text, e.speaker, e.said_at, e.source_id, s.platform AS met_on, s.place AS met_at, d.* "
            "FROM items i JOIN domains d ON d.id = i.domain "
            "LEFT JOIN exchanges e ON e.item = i.id LEFT JOIN sessions s ON s.id = e.session "
            f"WHERE i.id IN ({placeholders('i', some)}) AND i.kind = 'exchange'",
            bound("i", some),
        )
        found += await off_loop(sum(len(row["text"] or "") for row in rows), partial(_hashes, seal, rows))
    return found


def _hashes(seal: Seal, rows: Sequence[Row]) -> list[str]:
    found: list[str] = []
    for row in rows:
        there, text = read_domain(row).ref, row["text"] or ""
        found += [name for name in (row["public_id"], row["origin"], *words.names(seal, there, text)[:1]) if name]
        if row["met_on"] not in (None, PLATFORM) and _is_in_thread(row["met_at"]):
            # It may appear outside its thread, where others quote it.
            found.append(seen_as(seal, there, row["met_on"], row["met_at"], row["source_id"]))
        if row["met_on"] == PLATFORM:
            found += _names_within(seal, there, row["speaker"], row["said_at"], text)
    return found


class MetBefore(NamedTuple):
    """Of messages offered, those that are stored, and those that were forgotten, by public id."""

    stored: set[str]
    forgotten: set[str]


async def met_before(
    tx: Transaction, seal: Seal, domain: Domain, session: Session, offered: Mapping[str, NewExchange]
) -> MetBefore:
    """Return which of the messages offered are known already.

    A deliberately placed message may be stored elsewhere as well, but not forgotten.
    """
    here = {pid: [pid, *_former_names(seal, domain, session, new)] for pid, new in offered.items()}
    length = sum(len(new.text) for new in offered.values() if new.imported)
    anywhere = await off_loop(length, lambda: {pid: _names_anywhere(seal, domain, new) for pid, new in offered.items()})
    standing = await _standing(tx, (name for names in (*here.values(), *anywhere.values()) for name in names))
    met = {pid: [standing[name] for name in names if name in standing] for pid, names in here.items()}
    elsewhere = [(pid, standing[name]) for pid, names in anywhere.items() for name in names if name in standing]
    done = {pid for pid, _ in elsewhere}
    unmet = {
        pid: new for pid, new in offered.items() if new.imported and new.imported.origin and not met[pid] and pid not in done
    }
    for key, where in await _imported_before(tx, domain, session) if unmet else ():
        elsewhere += (await _met_in(tx, seal, domain, key, where, unmet)).items()
    for pid, forgotten in elsewhere:
        imported = offered[pid].imported
        if forgotten or not (imported and imported.placed):
            met[pid].append(forgotten)
    buried = {pid for pid, as_ in met.items() if any(as_)}
    buried |= await hold_forgotten(tx, seal, domain.ref, {pid: offered[pid] for pid, as_ in met.items() if not as_})
    return MetBefore({pid for pid, as_ in met.items() if as_} - buried, buried)


def _former_names(seal: Seal, domain: Domain, session: Session, new: NewExchange) -> list[str]:
    if new.imported is None:
        return []
    ids = [id_ for one in new.imported.former for id_ in (one.id, one.first[0] if one.first else "") if id_]
    names = [public_id(seal, domain.ref, session.ref, id_) for id_ in dict.fromkeys(ids)]
    if not new.imported.place:
        return names
    before = replace(session.ref, place=new.imported.place)
    return [*names, *(public_id(seal, domain.ref, before, id_) for id_ in dict.fromkeys((new.source_id, *ids)))]


def _names_anywhere(seal: Seal, domain: Domain, new: NewExchange) -> list[str]:
    if new.imported is None:
        return []
    origins = [origin(seal, domain.ref, new.imported), *(origin(seal, domain.ref, one) for one in new.imported.former)]
    return [name for name in (*origins, *words.names(seal, domain.ref, new.text)) if name]


async def _imported_before(tx: Transaction, domain: Domain, but: Session) -> list[tuple[int, SessionRef]]:
    """Return the conversations that may hold, or have held, what earlier versions imported without ids."""
    rows = await tx.all(
        "SELECT id, platform, place, epoch FROM sessions s WHERE domain = :domain AND id <> :but AND (name = public_id OR EXISTS "
        "(SELECT 1 FROM exchanges e WHERE e.session = s.id AND (e.source_id >= 'h:' AND e.source_id < 'h:2:' "
        "OR e.source_id >= 'h:2;' AND e.source_id < 'h;')))",
        {"domain": domain.key, "but": but.key},
    )
    return [(row["id"], SessionRef(row["platform"], row["place"], row["epoch"])) for row in rows]


async def _met_in(
    tx: Transaction, seal: Seal, domain: Domain, key: int, where: SessionRef, offered: Mapping[str, NewExchange]
) -> dict[str, bool]:
    """Return the messages a conversation knew under former names, each after its predecessor, and if they were forgotten."""
    former = {pid: [one.first for one in new.imported.former if one.first] for pid, new in offered.items() if new.imported}
    called = {id_: public_id(seal, domain.ref, where, id_) for some in former.values() for both in some for id_ in both if id_}
    standing = await _standing(tx, called.values())
    # The place may have had another key when these got their ids.
    of_session = "SELECT source_id FROM exchanges WHERE session = :session AND source_id IN ({within})"
    rows = await paged(tx, of_session, called, {"session": key})
    standing = {called[row["source_id"]]: False for row in rows} | standing
    met: dict[str, bool] = {}
    for pid, some in former.items():
        for own, before in some:
            if called[own] in standing and (not before or called[before] in standing):
                met[pid] = met.get(pid, False) or standing[called[own]]
    return met


async def _standing(tx: Transaction, wanted: Iterable[str]) -> dict[str, bool]:
    """Return which of these names are known, and whether the item was forgotten."""
    rows = await paged(
        tx,
        "SELECT public_id AS name, CASE WHEN dead_at IS NULL THEN 0 ELSE 1 END AS forgotten FROM items WHERE public_id IN ({within}) "
        "UNION ALL SELECT origin AS name, 0 AS forgotten FROM exchanges WHERE origin IN ({within}) AND origin <> '' "
        "UNION ALL SELECT public_id AS name, 1 AS forgotten FROM tombstones WHERE public_id IN ({within})",
        dict.fromkeys(wanted),
    )
    found: dict[str, bool] = {}
    for row in rows:
        found[row["name"]] = found.get(row["name"], False) or bool(row["forgotten"])
    return found


def _names_within(seal: Seal, domain: DomainRef, speaker: str, said_at: int, text: str) -> list[str]:
    """Return the tombstone names by which a longer message, or a shorter one that is a line of it, meets a forgotten one.

    Empty for messages such as "ok", which tell nothing.
    """
    moment = _moment(speaker, said_at)
    found = []
    for part in dict.fromkeys((text, *words.without_html(text).splitlines()[:_LINES])):
        if words.count_content_words(part):
            spoken = words.spoken_words(part)[:_COMPARED]
            found += [_begins(seal, domain, spoken), _holds(seal, domain, spoken, moment)]
    if words.count_content_words(text) >= words.TELLING:
        found.append(_holds(seal, domain, words.spoken_words(text)[:_COMPARED]))
    return [seal.id(domain, "moment", *moment), *dict.fromkeys(found)] if found else []


async def hold_forgotten(tx: Transaction, seal: Seal, domain: DomainRef, offered: Mapping[str, NewExchange]) -> set[str]:
    """Return which of the imported messages offered, by public id, contain a forgotten one."""
    looked_at = await _looked_at(tx, seal, domain, offered)
    if not looked_at or await tx.one("SELECT 1 AS one FROM tombstones LIMIT 1") is None:
        return set()
    length = sum(len(offered[pid].text) for pid in looked_at)
    begins = await off_loop(length, lambda: {pid: dict(_beginnings(seal, domain, *one)) for pid, one in looked_at.items()})
    begun = await tombstones.among(tx, (name for some in begins.values() for name in some.values()))

    def in_full(pid: str, said: Sequence[str], moment: tuple[str, ...]) -> set[str]:
        there = (at for at, name in begins[pid].items() if name in begun)
        return {_holds(seal, domain, part, moment) for at in there for part in _parts(said, *at)}

    held = await off_loop(length, lambda: {pid: in_full(pid, *one) for pid, one in looked_at.items()})
    buried = await tombstones.among(tx, (name for some in held.values() for name in some))
    return {pid for pid, some in held.items() if not buried.isdisjoint(some)}


async def _looked_at(
    tx: Transaction, seal: Seal, domain: DomainRef, offered: Mapping[str, NewExchange]
) -> dict[str, tuple[list[str], tuple[str, ...]]]:
    """Return words and moment (() if unknown) of imports said when something was forgotten, or at an unknown time."""
    imported = {pid: new for pid, new in offered.items() if new.imported}
    moments = {pid: _moment(new.speaker, new.said_at) for pid, new in imported.items() if new.imported and new.imported.timed}
    named = {pid: seal.id(domain, "moment", *moment) for pid, moment in moments.items()}
    met = await tombstones.among(tx, named.values())
    wanted = {pid: new.text for pid, new in imported.items() if pid not in named or named[pid] in met}
    said = await off_loop(
        sum(map(len, wanted.values())), lambda: {pid: words.spoken_words(text)[:_LOOKED_AT] for pid, text in wanted.items()}
    )
    return {pid: (some, moments.get(pid, ())) for pid, some in said.items()}


def _moment(speaker: str, said_at: int) -> tuple[str, str]:
    return likeness(TAG.sub("", speaker)), str(said_at)


def _beginnings(
    seal: Seal, domain: DomainRef, said: Sequence[str], moment: Sequence[str]
) -> Iterable[tuple[tuple[int, int], str]]:
    """Yield the position and word count of each possible beginning of a forgotten message, with its name."""
    for at in range(len(said)):
        for n in range(1 if moment else _BEGINNING, min(_BEGINNING, len(said) - at) + 1):
            yield (at, n), _begins(seal, domain, said[at : at + n])


def _parts(said: Sequence[str], at: int, n: int) -> Iterable[Sequence[str]]:
    """Return the possible forgotten messages with this beginning; one shorter than a full beginning is all of it."""
    longest = min(at + _COMPARED, len(said)) if n == _BEGINNING else at + n
    return (said[at:end] for end in range(at + n, longest + 1))


def _begins(seal: Seal, domain: DomainRef, said: Sequence[str]) -> str:
    return seal.id(domain, "begins", " ".join(said[:_BEGINNING]))


def _holds(seal: Seal, domain: DomainRef, said: Sequence[str], moment: Sequence[str] = ()) -> str:
    return seal.id(domain, "holds", " ".join(said), *moment)
