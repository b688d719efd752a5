"""Who and what is named in a domain: people, pets, places and projects, each with the messages and statements that name it.

All of it is derived from the words of items and gone with them: what a name is of and what else it is called stands beside each
item that tells it. What is new waits until housekeeping looks it through; nothing of it is done in a turn. What was told in
confidence is not looked through.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.places import confidences
from memory.store.database import Database, Parameters, Reader, Row, Transaction
from memory.store.lineage import bound, pages, placeholders, texts_of
from memory.text.told.named_things import Named, NamedKind, aliases_in, key, keys_in, named
from memory.types import Domain

TIERS = ("profile", "narrative", "era")
"""The tiers whose statements are looked through."""
PLAIN, TELLING, STATED = range(3)
"""How much an item tells of what it names: it is named there, it is told there what that is, or a statement names it."""
_TOLD = 6
"""How many items tell most of each that is brought up."""
_STEP = 20
_LOOKED_UP = 300


@dataclass(frozen=True, slots=True)
class BroughtUp:
    """What a text brings up: what may be names in it, and what it calls others than by name.

    `speaker` is who says it among others ('': nobody else is there): theirs is who they call "my sister".
    """

    names: Sequence[str]
    aliases: Sequence[str]
    speaker: str = ""

    @property
    def parameters(self) -> Parameters:
        """The parameters of `telling`."""
        return {"teller": self.speaker, "telling": _TOLD, **bound("n", self.names), **bound("a", self.aliases)}


def brought_up(text: str, speaker: str) -> BroughtUp:
    """Return what a text brings up that is said by somebody among others, or by the only one there for ''."""
    return BroughtUp(list(keys_in(text))[:_LOOKED_UP], aliases_in(text), speaker)


def telling(names: Sequence[str], aliases: Sequence[str], domains: Sequence[int]) -> str:
    """Return a statement that selects the items which tell most of each that is brought up; domains are :d0, :d1 …"""
    here = placeholders("d", domains)
    return (
        f"SELECT m.item FROM (SELECT id FROM entities WHERE domain IN ({here}) AND name_key IN ({placeholders('n', names)}) "
        f"UNION SELECT c.entity FROM mentions c LEFT JOIN exchanges o ON o.item = c.item WHERE c.domain IN ({here}) "
        f"AND c.alias <> '' AND c.alias IN ({placeholders('a', aliases)}) AND (CAST(:teller AS TEXT) = '' OR o.speaker = :teller)"
        ") AS meant JOIN mentions m ON m.entity = meant.id AND m.item IN (SELECT t.item FROM mentions t WHERE t.entity = meant.id "
        "AND t.weight > 0 ORDER BY t.weight DESC, t.item DESC LIMIT :telling)"
    )


async def wait(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Have items looked through for names."""
    await tx.many(
        "INSERT INTO unnamed (domain, item) VALUES (:domain, :item) ON CONFLICT DO NOTHING",
        ({"domain": domain.key, "item": item} for item in items),
    )


async def again(tx: Transaction, domain: Domain, items: Sequence[int]) -> None:
    """Have items looked through anew: they say something else, or may be told to others."""
    await erase(tx, items)
    await wait(tx, domain, items)


async def erase(tx: Transaction, items: Sequence[int]) -> None:
    """Forget whom and what these items name; what nothing names any more is gone."""
    for some in pages(items):
        within = f"IN ({placeholders('i', some)})"
        rows = await tx.all(f"DELETE FROM mentions WHERE item {within} RETURNING entity", bound("i", some))
        await tx.run(f"DELETE FROM unnamed WHERE item {within}", bound("i", some))
        for those in pages(sorted({row["entity"] for row in rows})):
            await tx.run(
                f"DELETE FROM entities WHERE id IN ({placeholders('e', those)}) "
                "AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity = entities.id)",
                bound("e", those),
            )


async def catch_up(db: Database, domain: Domain, most: int | None = None) -> int:
    """Look through what waits of a domain, at most so many items, in steps that are kept one by one; return how many items."""
    done = 0
    while (most is None or done < most) and (items := await _waiting(db, domain)):
        texts = await texts_of(db, items)
        found = await asyncio.to_thread(_looked_through, texts)
        async with db.transaction() as tx:
            now = await texts_of(tx, items)
            told = await confidences.of(tx, items)
            stated = await tx.all(f"SELECT item FROM statements WHERE item IN ({placeholders('i', items)})", bound("i", items))
            above = {row["item"] for row in stated}
            for item, (names, words) in found.items():
                # What was changed or forgotten meanwhile names something else, or nothing.
                if now.get(item) == texts[item] and item not in told:
                    await _keep(tx, domain, item, names, words, above=item in above)
            # What was changed meanwhile waits again.
            looked = [item for item in items if now.get(item) == texts.get(item)]
            await tx.run(
                f"DELETE FROM unnamed WHERE domain = :d AND item IN ({placeholders('i', looked)})",
                {"d": domain.key, **bound("i", looked)},
            )
        done += len(items)
    return done


async def about(reader: Reader, domains: Sequence[int], name: str) -> list[Row]:
    """Return those of a name in some domains, or, where there are none, those whose first word it is."""
    which = {"key": key(name), **bound("d", domains)}
    among = f"SELECT id, domain, name, name_key FROM entities WHERE domain IN ({placeholders('d', domains)})"
    exactly = await reader.all(f"{among} AND name_key = :key ORDER BY id", which)
    return exactly or await reader.all(f"{among} AND first_key = :key ORDER BY id", which)


async def called(reader: Reader, domains: Sequence[int], alias: str, speaker: str = "") -> list[Row]:
    """Return those that somebody (by name, '': anybody) calls so, as in "my sister"."""
    return await reader.all(
        f"SELECT DISTINCT n.id, n.domain, n.name, n.name_key FROM mentions m JOIN entities n ON n.id = m.entity "
        f"LEFT JOIN exchanges e ON e.item = m.item WHERE m.domain IN ({placeholders('d', domains)}) AND m.alias = :alias "
        "AND m.alias <> '' AND (CAST(:speaker AS TEXT) = '' OR e.speaker = :speaker) ORDER BY n.id",
        {"alias": alias.casefold(), "speaker": speaker, **bound("d", domains)},
    )


async def _waiting(db: Database, domain: Domain) -> list[int]:
    rows = await db.all(
        "SELECT item FROM unnamed WHERE domain = :domain ORDER BY item LIMIT :n", {"domain": domain.key, "n": _STEP}
    )
    return [row["item"] for row in rows]


def _looked_through(texts: Mapping[int, str]) -> dict[int, tuple[list[Named], dict[str, str]]]:
    return {item: (named(text), keys_in(text)) for item, text in texts.items()}


async def _keep(
    tx: Transaction, domain: Domain, item: int, names: Sequence[Named], words: Mapping[str, str], *, above: bool
) -> None:
    """Record whom and what an item names: what its words tell, and what is known here by a name that stands in it."""
    found = {name: one for one in names if (name := key(one.name))}
    for name in await _known(tx, domain, [word for word in list(words)[:_LOOKED_UP] if word not in found], words):
        found[name] = Named(words[name])
    for name, one in found.items():
        entity = await _entity(tx, domain, name, one.name)
        weight = STATED if above else TELLING if one.kind is not NamedKind.UNKNOWN else PLAIN
        await tx.run(
            "INSERT INTO mentions (entity, item, domain, kind, alias, weight) VALUES (:entity, :item, :domain, :kind, :alias, :weight) "
            "ON CONFLICT DO NOTHING",
            {"entity": entity, "item": item, "domain": domain.key, "kind": one.kind.value, "alias": one.alias, "weight": weight},
        )


async def _known(tx: Transaction, domain: Domain, keys: Sequence[str], words: Mapping[str, str]) -> list[str]:
    """Return which of these are names known here: a word that is written small only where it is told of what it is the name."""
    rows = await tx.all(
        "SELECT n.name_key, EXISTS (SELECT 1 FROM mentions m WHERE m.entity = n.id AND m.kind <> '') AS told FROM entities n "
        f"WHERE n.domain = :domain AND n.name_key IN ({placeholders('k', keys)})",
        {"domain": domain.key, **bound("k", keys)},
    )
    return [row["name_key"] for row in rows if row["told"] or words[row["name_key"]][:1].isupper()]


async def _entity(tx: Transaction, domain: Domain, name_key: str, name: str) -> int:
    row = await tx.one(
        "INSERT INTO entities (domain, name_key, first_key, name) VALUES (:domain, :key, :first, :name) "
        "ON CONFLICT (domain, name_key) DO UPDATE SET name = entities.name RETURNING id",
        {"domain": domain.key, "key": name_key, "first": key(name.split()[0]), "name": name},
    )
    assert row is not None
    return int(row["id"])
