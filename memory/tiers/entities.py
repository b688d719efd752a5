"""Entities: the people, pets, places and projects named in a domain, with the messages and statements that name them.

All of it derives from the words of items and goes with them: kind and alias are stored per mentioning item. New items wait
until housekeeping scans them; nothing is done during a turn. Items told in confidence are not scanned.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.places import confidences, opted_out
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Parameters, Transaction
from memory.store.lineage import Seal, bound, paged, pages, placeholders, run_paged, texts_of
from memory.text.off_loop import off_loop
from memory.text.told.named_things import NamedKind, NamedThing, aliases_in, inside_full_names, key, keys_in, named, surnamed
from memory.types import Domain

TIERS = ("profile", "narrative", "era")
"""The tiers whose statements are scanned."""
PLAIN, TELLING, STATED = range(3)
"""How much an item tells about an entity: it names it, it tells what it is, or it is a statement that names it."""
UNNAMED = "~"
"""The key prefix of somebody an item only refers to as "my sister"."""
_TOLD = 6
"""The number of most telling items read for each entity brought up."""
_STEP = 20


@dataclass(frozen=True, slots=True)
class MentionedNames:
    """What a text brings up: possible names, and aliases such as "my sister".

    `speaker` is who says it among others ('' if there is nobody else), to resolve whose sister is meant.
    """

    names: Sequence[str]
    aliases: Sequence[str]
    speaker: str = ""

    @property
    def parameters(self) -> Parameters:
        """The parameters of `telling`."""
        return {"teller": self.speaker, "telling": _TOLD, **bound("n", self.names), **bound("a", self.aliases)}


def brought_up(text: str, speaker: str) -> MentionedNames:
    """Return what a text brings up, said by `speaker` among others, or by the only person present for ''."""
    return MentionedNames(list(keys_in(text)), aliases_in(text), speaker)


def telling(names: Sequence[str], aliases: Sequence[str], domains: Sequence[int]) -> str:
    """Return a query for the most telling items about each entity brought up; domains are bound as :d0, :d1 …"""
    here = placeholders("d", domains)
    return (
        f"SELECT m.item FROM (SELECT id FROM entities WHERE domain IN ({here}) AND name_key IN ({placeholders('n', names)}) "
        f"UNION SELECT c.entity FROM mentions c LEFT JOIN exchanges o ON o.item = c.item WHERE c.domain IN ({here}) "
        f"AND c.alias <> '' AND c.alias IN ({placeholders('a', aliases)}) AND (CAST(:teller AS TEXT) = '' OR o.speaker = :teller)"
        ") AS meant JOIN mentions m ON m.entity = meant.id AND m.item IN (SELECT t.item FROM mentions t WHERE t.entity = meant.id "
        "AND t.weight > 0 ORDER BY t.weight DESC, t.item DESC LIMIT :telling)"
    )


async def queue(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Queue items to be scanned for names."""
    await tx.many(
        "INSERT INTO unnamed (domain, item) VALUES (:domain, :item) ON CONFLICT DO NOTHING",
        ({"domain": domain.key, "item": item} for item in items),
    )


async def requeue(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Rescan items whose text or audience has changed."""
    await erase(tx, items)
    await queue(tx, domain, items)


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Delete the mentions by these items, and entities that nothing mentions any more.

    A lower-case word stays a name only while something tells what it stands for.
    """
    for entity in await _drop(tx, items):
        rows = await tx.all(_UNTOLD, {"entity": entity})
        names = {row["item"]: row["name_key"] for row in rows}
        said = await texts_of(tx, names)
        await _drop(tx, [item for item, text in said.items() if keys_in(text).get(names[item], "")[:1].islower()], entity)
    await run_paged(tx, "DELETE FROM unnamed WHERE item IN ({within})", items)


_UNTOLD = (
    "SELECT m.item, n.name_key FROM mentions m JOIN entities n ON n.id = m.entity WHERE m.entity = :entity AND NOT EXISTS "
    "(SELECT 1 FROM mentions t WHERE t.entity = m.entity AND t.kind <> '') ORDER BY m.item DESC LIMIT 500"
)


async def _drop(tx: Transaction, items: Sequence[int], entity: int | None = None) -> set[int]:
    """Delete the mentions by these items, of an entity or of all; return the entities of which one told what they are."""
    told: set[int] = set()
    for some in pages(items):
        of = "" if entity is None else "AND entity = :entity "
        rows = await tx.all(
            f"DELETE FROM mentions WHERE item IN ({placeholders('i', some)}) {of}RETURNING entity, kind",
            {**bound("i", some), "entity": entity},
        )
        told.update(row["entity"] for row in rows if row["kind"])
        unmentioned = "AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity = entities.id)"
        await run_paged(
            tx, f"DELETE FROM entities WHERE id IN ({{within}}) {unmentioned}", sorted({row["entity"] for row in rows})
        )
    return told


async def catch_up(db: DatabaseAccess, seal: Seal, domain: Domain, most: int | None = None) -> int:
    """Scan at most `most` queued items of a domain, each batch committed separately; return how many."""
    done, items = 0, await _waiting(db, domain)
    while items and (most is None or done < most):
        texts = await texts_of(db, items)
        found = await off_loop(sum(map(len, texts.values())), partial(_find_names, texts))
        async with db.transaction(bounds=Bounds.of(domain.key)) as tx:
            now, confided, stated, _ = await tx.gather(
                texts_of(tx, items),
                confidences.by_item(tx, items),
                tx.all(f"SELECT item FROM statements WHERE item IN ({placeholders('i', items)})", bound("i", items)),
                _drop(tx, items),
            )
            above = {row["item"] for row in stated}
            # An item changed or forgotten meanwhile names something else, or nothing.
            same = {item: names for item, names in found.items() if now.get(item) == texts[item] and item not in confided}
            await _keep(tx, seal, domain, same, above)
            # Items changed meanwhile stay queued.
            looked = [item for item in items if now.get(item) == texts.get(item)]
            await run_paged(tx, "DELETE FROM unnamed WHERE domain = :d AND item IN ({within})", looked, {"d": domain.key})
        done += len(items)
        more = len(items) == _STEP or len(looked) < len(items)
        items = await _waiting(db, domain) if more else []
    return done


async def _waiting(db: DatabaseAccess, domain: Domain) -> list[int]:
    rows = await db.all(
        "SELECT item FROM unnamed WHERE domain = :domain ORDER BY item LIMIT :n", {"domain": domain.key, "n": _STEP}
    )
    return [row["item"] for row in rows]


@dataclass(frozen=True, slots=True)
class _Found:
    """The names in a text by its words, possible names, aliases without a name, and short names with their full ones."""

    names: Sequence[NamedThing]
    words: Mapping[str, str]
    called: Sequence[str]
    one: Mapping[str, str]


def _find_names(texts: Mapping[int, str]) -> dict[int, _Found]:
    found: dict[int, _Found] = {}
    for item, text in texts.items():
        names, inside = named(text), inside_full_names(text)
        words = {key: word for key, word in keys_in(text).items() if key not in inside}
        known = {one.alias for one in names}
        aliases = [alias for alias in dict.fromkeys(aliases_in(text)) if alias not in known]
        found[item] = _Found(names, words, aliases, surnamed(text))
    return found


async def _keep(tx: Transaction, seal: Seal, domain: Domain, found_in: Mapping[int, _Found], above: Collection[int]) -> None:
    """Store what items name, in order: names by their own words, and words known here as names; people who opted out are skipped.

    However many names there are, they take a few statements, since every other writer waits meanwhile.
    """
    known = await _known_keys(tx, domain, {word for one in found_in.values() for word in one.words})
    named_by: dict[int, dict[str, NamedThing]] = {}
    for item, found in found_in.items():
        named_by[item] = _things_by_key(found, known)
        for name, one in named_by[item].items():
            known[name] = known.get(name, False) or one.kind is not NamedKind.UNKNOWN
    spoken = {one.name for names in named_by.values() for one in names.values()}
    spared = await opted_out.named_in(tx, seal, domain, spoken)
    kept = [(item, name, one) for item, names in named_by.items() for name, one in names.items() if one.name not in spared]
    first = dict(reversed([(name, one.name) for _, name, one in kept]))
    keys = await _entities(tx, domain, {name: first[name] for _, name, _ in kept})
    await tx.many(
        "INSERT INTO mentions (entity, item, domain, kind, alias, weight) VALUES (:entity, :item, :domain, :kind, :alias, :weight) "
        "ON CONFLICT DO NOTHING",
        [
            {"entity": keys[name], "item": item, "domain": domain.key, "kind": one.kind.value, "alias": one.alias,
             "weight": STATED if item in above else TELLING if one.kind is not NamedKind.UNKNOWN else PLAIN}
            for item, name, one in kept
        ],
    )  # fmt: skip


def _things_by_key(told: _Found, known: Mapping[str, bool]) -> dict[str, NamedThing]:
    """Return the names in an item by key; a lower-case word that is `known` counts only if it is told what the name stands for."""
    found = {name: one for one in told.names if (name := key(one.name))}
    for name, word in told.words.items():
        if name not in found and name in known and (known[name] or word[:1].isupper()):
            found[name] = NamedThing(word)
    for short, full in told.one.items():
        found[key(short)] = replace(found.get(key(short), NamedThing(short)), alias=full.casefold())
        found.setdefault(key(full), NamedThing(full))
    found.update((UNNAMED + alias, NamedThing(alias, alias=alias)) for alias in told.called)
    return found


async def _known_keys(tx: Transaction, domain: Domain, keys: Collection[str]) -> dict[str, bool]:
    """Return which keys are known names, and whether it is told what each stands for."""
    rows = await paged(
        tx,
        "SELECT n.name_key, EXISTS (SELECT 1 FROM mentions m WHERE m.entity = n.id AND m.kind <> '') AS told FROM entities n "
        "WHERE n.domain = :domain AND n.name_key IN ({within})",
        sorted(keys),
        {"domain": domain.key},
    )
    return {row["name_key"]: bool(row["told"]) for row in rows}


async def _entities(tx: Transaction, domain: Domain, names: Mapping[str, str]) -> dict[str, int]:
    """Return the entities with these name keys, created under these names where there are none."""
    found: dict[str, int] = {}
    for some in pages(list(names)):
        values = ", ".join(f"(:domain, :k{at}, :f{at}, :n{at})" for at in range(len(some)))
        rows = await tx.all(
            f"INSERT INTO entities (domain, name_key, first_key, name) VALUES {values} "
            "ON CONFLICT (domain, name_key) DO UPDATE SET name = entities.name RETURNING id, name_key",
            {
                "domain": domain.key,
                **bound("k", some),
                **bound("f", [one if one[0] == UNNAMED else key(names[one].split()[0]) for one in some]),
                **bound("n", [names[one] for one in some]),
            },
        )
        found |= {row["name_key"]: int(row["id"]) for row in rows}
    return found
