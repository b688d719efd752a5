"""Pages: what is known of a person, a pet, a place or a project, built on demand and stored nowhere."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from memory.forget.gone import shown
from memory.index.mentions import members_named
from memory.store.database import Row
from memory.store.lineage import bound, placeholders
from memory.text.off_loop import off_loop
from memory.text.passages import only_asks
from memory.text.told.named_things import aliases_in, names_asked
from memory.tiers import entities, entity_reads, exchanges, statements
from memory.tiers.exchanges import PlacedMessage
from memory.tiers.messages import said
from memory.tiers.messages.seen import readable
from memory.types import DomainKind, Statement
from memory.view.binding import ViewPart

_MOST = 400
_SAID = 10
_READ_AT_ONCE = 500


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

    async def about(self, name: str, asker: str = "") -> list[Page]:
        """Return the pages of a name: several if it begins several names, none if it is unknown.

        `asker` is the name of whoever asks in a shared place: "my sister" is resolved as theirs.
        """
        names = names_asked(name)
        if not names:
            return []
        for domain in self._binding.readable:
            await entities.catch_up(self._db, self._binding.seal, domain, _READ_AT_ONCE)
        alias = next(iter(aliases_in(name)), name)
        speaker = asker if self._home.ref.kind is not DomainKind.DM else ""
        rows = await entity_reads.by_name(self._db, self._domains, names) or await entity_reads.by_alias(
            self._db, self._domains, alias, speaker
        )
        who_is_who = await self._who_is_who(rows)
        own = await self._own(names[-1]) if len(who_is_who) <= 1 else []
        found = [await self._page(one, own) for one in who_is_who]
        if not found and own:
            found = [Page(own[-1].exchange.speaker, "person", (), (), (), own)]
        return [page for page in found if page.facts or page.said or page.own]

    async def _who_is_who(self, rows: Sequence[Row]) -> list[list[Row]]:
        """Return the entities of each name along with those known to be the same, which have one page together."""
        by_name: dict[str, list[Row]] = {}
        for row in rows:
            by_name.setdefault(row["name_key"], []).append(row)
        found: dict[frozenset[int], list[Row]] = {}
        for namesakes in by_name.values():
            same = await entity_reads.one_with(self._db, self._domains, namesakes)
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
        keys = list(dict.fromkeys([row["item"] for row in items] + await entity_reads.unnamed(self._db, domains, rows)))
        facts = [one for one in (await statements.by_keys(self._db, domains, keys)).values() if one.ended_at is None]
        named = await self._in_order(keys)
        # A question states nothing about anybody, but who is only asked about is named all the same.
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
