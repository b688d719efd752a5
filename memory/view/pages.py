"""Pages: what is known of a person, a pet, a place or a project, built on demand and stored nowhere.

Which entities a name or an alias stands for, and which of them are the same, is read here as well.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from memory.forget.gone import shown
from memory.index.mentions import members_named
from memory.store.database import Reader, Row
from memory.store.lineage import bound, placeholders
from memory.text.lexical import tokens
from memory.text.off_loop import off_loop
from memory.text.passages import only_asks
from memory.text.told.named_things import aliases_in, key, names_asked
from memory.tiers import entities, exchanges, statement_reads
from memory.tiers.entities import UNNAMED
from memory.tiers.exchanges import PlacedMessage
from memory.tiers.messages import said
from memory.tiers.messages.seen import readable
from memory.types import DomainKind, Statement
from memory.view.binding import Binding, ViewPart
from memory.view.retrieval import Retrieval

_MOST = 400
_SAID = 10
_LONGEST_NAME = 100
"""In characters; what is longer is no name, and to take it apart would hold up others."""
_READ_AT_ONCE = 500
_MOST_UNNAMED = 100


@dataclass(frozen=True, slots=True)
class Page:
    """What is known under a name: its kind ('' if unknown), its aliases, and the facts and messages that mention it.

    `facts` stand now; `said` are messages, oldest first; `own` are the last messages said by somebody of that name.
    """

    name: str
    kind: str
    aliases: Sequence[str]
    facts: Sequence[Statement]
    said: Sequence[PlacedMessage]
    own: Sequence[PlacedMessage] = ()


@dataclass(frozen=True, slots=True)
class NamedOften:
    """A name, its kind ('' if unknown), and how many messages and facts mention it."""

    name: str
    kind: str
    n: int


class Pages(ViewPart):
    """The pages of one home, and of the domains that may be read beside it."""

    def __init__(self, binding: Binding, recall: Retrieval) -> None:
        super().__init__(binding)
        self._recall = recall

    async def about(self, name: str, asker: str = "") -> list[Page]:
        """Return the pages of a name: several if it begins several names, none if nobody used it.

        A name that is asked for in small letters, as whoever writes all so does, may not be known for one where it was said:
        then it is what was said with that word.

        `asker` is the name of whoever asks in a shared place: "my sister" is resolved as theirs.
        """
        names = names_asked(name)
        if not names:
            return []
        for domain in self._binding.readable:
            await entities.catch_up(self._db, self._binding.seal, domain, _READ_AT_ONCE)
        alias = next(iter(aliases_in(name)), name)
        speaker = asker if self._home.ref.kind is not DomainKind.DM else ""
        rows = await _by_name(self._db, self._domains, names) or await _by_alias(self._db, self._domains, alias, speaker)
        who_is_who = await self._who_is_who(rows)
        own = await self._own(names[-1]) if len(who_is_who) <= 1 else []
        found = [await self._page(one, own) for one in who_is_who]
        if not found and own:
            found = [Page(own[-1].exchange.speaker, "person", (), (), (), own)]
        return [page for page in found if page.facts or page.said or page.own] or await self._said_with(name)

    async def _said_with(self, name: str) -> list[Page]:
        words = frozenset(tokens(name)) if len(name) <= _LONGEST_NAME and name == name.lower() else frozenset()
        hits = await self._recall.messages(name, _SAID) if words else []
        holding = [
            one.exchange.key for one in hits if words <= frozenset(tokens(one.exchange.text)) and not only_asks(one.exchange.text)
        ]
        return [Page(name, "", (), (), await self._in_order(holding))] if holding else []

    async def _who_is_who(self, rows: Sequence[Row]) -> list[list[Row]]:
        """Return the entities of each name along with those known to be the same, which have one page together."""
        by_name: dict[str, list[Row]] = {}
        for row in rows:
            by_name.setdefault(row["name_key"], []).append(row)
        found: dict[frozenset[int], list[Row]] = {}
        for namesakes in by_name.values():
            same = await _with_namesakes(self._db, self._domains, namesakes)
            found.setdefault(frozenset(row["id"] for row in same), [*namesakes, *same])
        return list(found.values())

    async def names(self, n: int) -> list[NamedOften]:
        """Return at most n names, those mentioned most in what may be read."""
        for domain in self._binding.readable:
            await entities.catch_up(self._db, self._binding.seal, domain, _READ_AT_ONCE)
        domains = self._domains
        rows = await self._db.all(
            "SELECT n.name, n.name_key, o.kind, o.n FROM (SELECT min(e.id) AS entity, max(m.kind) AS kind, count(DISTINCT m.item) AS n "
            "FROM mentions m JOIN entities e ON e.id = m.entity "
            f"WHERE e.domain IN ({placeholders('d', domains)}) AND m.domain IN ({placeholders('d', domains)}) AND substr(e.name_key, 1, 1) <> '~' AND {shown('m')} "
            f"AND {readable('m', domains)} GROUP BY e.name_key ORDER BY n DESC, e.name_key LIMIT :most) AS o "
            "JOIN entities n ON n.id = o.entity",
            {"most": n, **bound("d", domains)},
        )
        often = sorted(rows, key=lambda row: (-row["n"], row["name_key"]))
        return [NamedOften(row["name"], row["kind"], row["n"]) for row in often]

    async def _page(self, rows: Sequence[Row], own: Sequence[PlacedMessage]) -> Page:
        domains = self._domains
        parameters = {**bound("e", [row["id"] for row in rows]), **bound("d", domains), "most": _MOST}
        mentions = (
            f"FROM mentions m WHERE m.entity IN ({placeholders('e', rows)}) AND m.domain IN ({placeholders('d', domains)}) "
            f"AND {shown('m')} AND {readable('m', domains)}"
        )
        calls = await self._db.all(f"SELECT m.kind, m.alias {mentions} AND m.kind <> ''", parameters)
        often = Counter((row["kind"], row["alias"]) for row in calls)
        kinds = sorted(often, key=lambda one: (-often[one], one))
        kind = kinds[0][0] if kinds else "person" if own else ""
        name = rows[0]["name"]
        aliases = list(dict.fromkeys(alias for _, alias in kinds if alias and alias != name.casefold()))
        items = await self._db.all(f"SELECT m.item {mentions} ORDER BY m.weight DESC, m.item DESC LIMIT :most", parameters)
        keys = list(dict.fromkeys([row["item"] for row in items] + await _items_by_alias(self._db, domains, rows)))
        stated = (await statement_reads.by_keys(self._db, domains, keys)).statements
        facts = [one for one in stated.values() if one.ended_at is None]
        named = await self._in_order(keys)
        # A question states nothing about anybody, but it still names whom it asks about.
        said = [placed for placed in named if not only_asks(placed.exchange.text)] or named
        return Page(name, kind, aliases, facts, said, own)

    async def _own(self, name: str) -> list[PlacedMessage]:
        """Return the last messages of the speaker with this name, oldest first; none if several match."""
        speakers = [one for domain in self._binding.readable for one in await said.speakers(self._db, domain)]
        meant = sorted(await off_loop(len(name), partial(members_named, name, speakers)))
        if len(meant) != 1:
            return []
        domains = self._domains
        rows = await self._db.all(
            f"SELECT e.item FROM exchanges e WHERE e.domain IN ({placeholders('d', domains)}) AND e.speaker = :speaker "
            f"AND e.kind = 'said' AND {shown('e')} AND {readable('e', domains)} ORDER BY e.item DESC LIMIT :n",
            {"speaker": meant[0], "n": _SAID, **bound("d", domains)},
        )
        return await self._in_order([row["item"] for row in rows])

    async def _in_order(self, keys: Sequence[int]) -> list[PlacedMessage]:
        """Return the readable messages among these keys, oldest first."""
        there = await exchanges.at_their_places(self._db, self._domains, keys)
        return sorted(there.values(), key=lambda placed: (placed.exchange.said_at, placed.exchange.key))


async def _by_name(reader: Reader, domains: Sequence[int], names: Sequence[str]) -> list[Row]:
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


async def _by_alias(reader: Reader, domains: Sequence[int], alias: str, speaker: str = "") -> list[Row]:
    """Return the entities that a speaker ('': anybody) calls by an alias, as in "my sister"; named ones if there are any."""
    found = await reader.all(
        f"SELECT DISTINCT n.id, n.domain, n.name, n.name_key, n.first_key FROM mentions m JOIN entities n ON n.id = m.entity "
        f"LEFT JOIN exchanges e ON e.item = m.item WHERE m.domain IN ({placeholders('d', domains)}) AND m.alias = :alias "
        f"AND m.alias <> '' AND {shown('m')} AND (CAST(:speaker AS TEXT) = '' OR e.speaker = :speaker) ORDER BY n.id",
        {"alias": alias.casefold(), "speaker": speaker, **bound("d", domains)},
    )
    return [row for row in found if row["name_key"][0] != UNNAMED] or found


async def _with_namesakes(reader: Reader, domains: Sequence[int], rows: Sequence[Row]) -> list[Row]:
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


async def _items_by_alias(reader: Reader, domains: Sequence[int], rows: Sequence[Row]) -> list[int]:
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
    for (domain, alias, speaker), called in by_call.items():
        if called <= own:
            items = await reader.all(
                "SELECT m.item FROM entities n JOIN mentions m ON m.entity = n.id JOIN exchanges e ON e.item = m.item "
                "WHERE n.domain = :domain AND n.name_key = :key AND e.speaker = :speaker ORDER BY m.item DESC LIMIT :most",
                {"domain": domain, "key": UNNAMED + alias, "speaker": speaker, "most": _MOST_UNNAMED},
            )
            found += [row["item"] for row in items]
    return found
