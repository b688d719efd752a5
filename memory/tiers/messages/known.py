"""Whether a message was here before, under any name it ever had: stored, or forgotten.

A message is named by its conversation and its id there. One that was imported without saying to which conversation it belongs
is also named by what it says and what stands before it, so that it is the same from a file of another name. Earlier versions
named what came without an id by what it says alone. What is forgotten is named by its words as well, so that no export of
another form brings it back.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from memory.store.database import Database, Transaction
from memory.store.domains import read_domain
from memory.store.lineage import Seal, bound, pages, placeholders
from memory.text.lexical import key_words
from memory.types import Domain, DomainRef, NewExchange, Session, SessionRef

_WORD = re.compile(r"[^\W_]+")
_TELLING = 3
"""How many telling words make a message one that nobody else says by chance."""


def public_id(seal: Seal, domain: DomainRef, ref: SessionRef, source_id: str) -> str:
    """Return the id that a message has in a session, stored or not."""
    return seal.id(domain, "exchange", ref.platform, ref.place, str(ref.epoch), source_id)


def origin(seal: Seal, domain: DomainRef, new: NewExchange) -> str:
    """Return the name that an imported message has whatever conversation it is put into, '' where it has none."""
    return seal.id(domain, "exchange", "import", new.imported.origin) if new.imported and new.imported.origin else ""


def words(seal: Seal, domain: DomainRef, text: str) -> list[str]:
    """Return the name that a message has by its words alone, whatever stands between them and unseen in them, and those that it
    had before.

    None where they are so few that others may well say the same. Former names split words at what is unseen, and heeded marks.
    """
    said = unicodedata.normalize("NFKC", text).casefold()
    if len(key_words(said)) < _TELLING:
        return []
    shown = "".join(char for char in said if unicodedata.category(char) != "Cf")
    alone = dict.fromkeys(" ".join(_WORD.findall(form)) for form in (shown, said))
    return [*(seal.id(domain, "words alone", form) for form in alone), seal.id(domain, "words", " ".join(said.split()))]


async def names(db: Database, seal: Seal, items: Sequence[int]) -> list[str]:
    """Return every name of these messages, by which a tombstone meets them again."""
    found: list[str] = []
    for some in pages(items):
        rows = await db.all(
            "SELECT i.public_id, e.origin, e.text, d.* FROM items i JOIN domains d ON d.id = i.domain "
            "LEFT JOIN exchanges e ON e.item = i.id "
            f"WHERE i.id IN ({placeholders('i', some)}) AND i.kind = 'exchange'",
            bound("i", some),
        )
        for row in rows:
            by_words = words(seal, read_domain(row).ref, row["text"] or "")[:1]
            found += [name for name in (row["public_id"], row["origin"], *by_words) if name]
    return found


async def met_before(
    tx: Transaction, seal: Seal, domain: Domain, session: Session, offered: Mapping[str, NewExchange]
) -> tuple[set[str], set[str]]:
    """Return which of the messages offered, by public id, are stored, and which were forgotten.

    One that was put on purpose where it is may be stored elsewhere as well, but not forgotten.
    """
    here = {pid: [pid, *_former_name(seal, domain, session, new)] for pid, new in offered.items()}
    anywhere = {pid: _names_anywhere(seal, domain, new) for pid, new in offered.items()}
    standing = await _standing(tx, (name for names in (*here.values(), *anywhere.values()) for name in names))
    met = {pid: [standing[name] for name in names if name in standing] for pid, names in here.items()}
    elsewhere = [(pid, standing[name]) for pid, names in anywhere.items() for name in names if name in standing]
    done = {pid for pid, _ in elsewhere}
    unmet = {
        pid: new
        for pid, new in offered.items()
        if new.imported and new.imported.origin and new.imported.former and not met[pid] and pid not in done
    }
    for where in await _imported_before(tx, domain, session) if unmet else ():
        elsewhere += (await _met_in(tx, seal, domain, where, unmet)).items()
    for pid, forgotten in elsewhere:
        if forgotten or not _is_placed(offered[pid]):
            met[pid].append(forgotten)
    buried = {pid for pid, as_ in met.items() if any(as_)}
    return {pid for pid, as_ in met.items() if as_} - buried, buried


def _former_name(seal: Seal, domain: Domain, session: Session, new: NewExchange) -> list[str]:
    former = new.imported.former if new.imported else None
    return [public_id(seal, domain.ref, session.ref, former[0])] if former else []


def _is_placed(new: NewExchange) -> bool:
    return new.imported is not None and new.imported.placed


def _names_anywhere(seal: Seal, domain: Domain, new: NewExchange) -> list[str]:
    names = (origin(seal, domain.ref, new), *(words(seal, domain.ref, new.text) if new.imported else ()))
    return [name for name in names if name]


async def _imported_before(tx: Transaction, domain: Domain, but: Session) -> list[SessionRef]:
    """Return the conversations that may hold what earlier versions imported without ids, or held it until it was forgotten."""
    rows = await tx.all(
        "SELECT platform, place, epoch FROM sessions s WHERE domain = :domain AND id <> :but AND (name = public_id OR EXISTS "
        "(SELECT 1 FROM exchanges e WHERE e.session = s.id AND (e.source_id >= 'h:' AND e.source_id < 'h:2:' "
        "OR e.source_id >= 'h:2;' AND e.source_id < 'h;')))",
        {"domain": domain.key, "but": but.key},
    )
    return [SessionRef(row["platform"], row["place"], row["epoch"]) for row in rows]


async def _met_in(
    tx: Transaction, seal: Seal, domain: Domain, where: SessionRef, offered: Mapping[str, NewExchange]
) -> dict[str, bool]:
    """Return which messages a conversation had under their former names, each behind the one before it; forgotten or not."""
    former = {pid: new.imported.former for pid, new in offered.items() if new.imported and new.imported.former}
    called = {id_: public_id(seal, domain.ref, where, id_) for both in former.values() for id_ in both if id_}
    standing = await _standing(tx, called.values())
    met = {}
    for pid, (own, before) in former.items():
        if called[own] in standing and (not before or called[before] in standing):
            met[pid] = standing[called[own]]
    return met


async def _standing(tx: Transaction, wanted: Iterable[str]) -> dict[str, bool]:
    """Return which of these names are known, and whether what they name was forgotten."""
    found: dict[str, bool] = {}
    for some in pages(list(dict.fromkeys(wanted))):
        within = f"IN ({placeholders('n', some)})"
        rows = await tx.all(
            f"SELECT public_id AS name, CASE WHEN dead_at IS NULL THEN 0 ELSE 1 END AS forgotten FROM items WHERE public_id {within} "
            f"UNION ALL SELECT origin AS name, 0 AS forgotten FROM exchanges WHERE origin {within} AND origin <> '' "
            f"UNION ALL SELECT public_id AS name, 1 AS forgotten FROM tombstones WHERE public_id {within}",
            bound("n", some),
        )
        for row in rows:
            found[row["name"]] = found.get(row["name"], False) or bool(row["forgotten"])
    return found
