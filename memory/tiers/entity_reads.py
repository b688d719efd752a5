"""Which entities a name or an alias stands for, and which of them are the same."""

from collections.abc import Sequence

from memory.forget.gone import shown
from memory.store.database import Reader, Row
from memory.store.lineage import bound, placeholders
from memory.text.told.named_things import key
from memory.tiers.entities import UNNAMED

_MOST_UNNAMED = 100


async def by_name(reader: Reader, domains: Sequence[int], names: Sequence[str]) -> list[Row]:
    """Return the entities for the first of these names that is known in some domains, or else those with one as first word."""
    for column in ("name_key", "first_key"):
        for name in names:
            found = await reader.all(
                f"SELECT id, domain, name, name_key, first_key FROM entities WHERE domain IN ({placeholders('d', domains)}) "
                f"AND {column} = :key ORDER BY id",
                {"key": key(name), **bound("d", domains)},
            )
            if found:
                return found
    return []


async def by_alias(reader: Reader, domains: Sequence[int], alias: str, speaker: str = "") -> list[Row]:
    """Return the entities that a speaker ('': anybody) calls by an alias, as in "my sister"; named ones if there are any."""
    found = await reader.all(
        f"SELECT DISTINCT n.id, n.domain, n.name, n.name_key, n.first_key FROM mentions m JOIN entities n ON n.id = m.entity "
        f"LEFT JOIN exchanges e ON e.item = m.item WHERE m.domain IN ({placeholders('d', domains)}) AND m.alias = :alias "
        f"AND m.alias <> '' AND {shown('m')} AND (CAST(:speaker AS TEXT) = '' OR e.speaker = :speaker) ORDER BY n.id",
        {"alias": alias.casefold(), "speaker": speaker, **bound("d", domains)},
    )
    return [row for row in found if row["name_key"][0] != UNNAMED] or found


async def one_with(reader: Reader, domains: Sequence[int], rows: Sequence[Row]) -> list[Row]:
    """Return the entities of a name along with those known to be the same under a longer or shorter name.

    Ben and Ben Miller are the same if somebody says so, or if the same speaker calls both, and no other Ben, "my friend".
    """
    alike = await reader.all(
        "SELECT n.id, n.domain, n.name, n.name_key, n.first_key, m.alias, m.kind, e.speaker FROM entities n "
        f"LEFT JOIN mentions m ON m.entity = n.id AND m.alias <> '' AND {shown('m')} LEFT JOIN exchanges e ON e.item = m.item "
        f"WHERE n.domain IN ({placeholders('d', domains)}) AND (n.first_key = :first OR n.id IN ({placeholders('e', rows)}) "
        f"OR m.alias IN ({placeholders('a', rows)})) ORDER BY n.id",
        {
            "first": rows[0]["first_key"],
            **bound("d", domains),
            **bound("e", (row["id"] for row in rows)),
            **bound("a", (row["name"].casefold() for row in rows)),
        },
    )
    own = rows[0]["name_key"]
    names = {row["name_key"]: row["name"] for row in alike}
    said = {(row["name_key"], key(row["alias"])) for row in alike if row["alias"]}
    ones = {other for other in names if (own, other) in said or (other, own) in said}
    who = {name: {(row["alias"], row["speaker"]) for row in alike if row["name_key"] == name and row["kind"]} for name in names}
    short = own if own == rows[0]["first_key"] else rows[0]["first_key"]
    longer = [name for name in names if name != short and not who.get(short, set()).isdisjoint(who[name])]
    if len(longer) == 1 and own in (short, longer[0]):
        ones |= {short, longer[0]}
    return list({row["id"]: row for row in alike if row["name_key"] in ones | {own}}.values())


async def unnamed(reader: Reader, domains: Sequence[int], rows: Sequence[Row]) -> list[int]:
    """Return the items in which a speaker refers by an alias ("my sister") to nobody but these entities."""
    calls = await reader.all(
        "SELECT DISTINCT m.entity, m.domain, m.alias, e.speaker FROM mentions m JOIN exchanges e ON e.item = m.item "
        f"WHERE m.domain IN ({placeholders('d', domains)}) AND m.kind <> '' AND {shown('m')} AND m.alias <> '' AND m.alias IN "
        f"(SELECT t.alias FROM mentions t WHERE t.alias <> '' AND t.kind <> '' AND t.entity IN ({placeholders('e', rows)}))",
        {**bound("d", domains), **bound("e", (row["id"] for row in rows))},
    )
    own = {row["id"] for row in rows}
    by_call: dict[tuple[int, str, str], set[int]] = {}
    for row in calls:
        by_call.setdefault((row["domain"], row["alias"], row["speaker"]), set()).add(row["entity"])
    found: list[int] = []
    for (domain, alias, speaker), entities in by_call.items():
        if entities <= own:
            items = await reader.all(
                "SELECT m.item FROM entities n JOIN mentions m ON m.entity = n.id JOIN exchanges e ON e.item = m.item "
                "WHERE n.domain = :domain AND n.name_key = :key AND e.speaker = :speaker ORDER BY m.item DESC LIMIT :most",
                {"domain": domain, "key": UNNAMED + alias, "speaker": speaker, "most": _MOST_UNNAMED},
            )
            found += [row["item"] for row in items]
    return found
