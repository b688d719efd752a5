"""What disappears wholesale: a server, channel, thread or room that is gone, or that Lyra is not in any more.

What was said there comes up no more from that moment, and is forgotten after a week, unless somebody who ruled it says by DM
to keep it. Who ruled it is noted at that moment, by id; those who have a DM with Lyra are told there, once.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from adapters.base import Adapter
from adapters.errors import PlaceGone
from adapters.events import Person, Place, Vanished, split_key
from bot import receipts
from bot.domains import Domains
from bot.errors import BadInput
from bot.log import log
from bot.outgoing import Outgoing
from bot.preferences import Preferences
from bot.verifying import Verifying
from memory.core import Memory
from memory.places import under
from memory.ports import Clock
from memory.types import DomainKind, DomainRef
from memory.verified import Prefix


class Row(Protocol):
    """Something that vanished: what its places begin with, when it vanished and when it is forgotten."""

    @property
    def prefix(self) -> Sequence[str]: ...

    @property
    def at(self) -> int: ...

    @property
    def due(self) -> int: ...


class Withholding(Protocol):
    """Where what was said at places is withheld, and brought back."""

    async def vanish(self, platform: str, prefix: Sequence[str]) -> int: ...

    async def keep_vanished(self, platform: str, prefix: Sequence[str]) -> int: ...

    async def vanished(self, platform: str) -> Sequence[Row]: ...


@dataclass(frozen=True, slots=True)
class Noted:
    """What is noted of something that vanished: its name, the accounts that ruled it, who was told, whether it is kept."""

    name: str
    rulers: tuple[str, ...]
    told: tuple[str, ...] = ()
    kept: bool = False


class Vanishing:
    """Follows what vanishes, on every platform."""

    def __init__(
        self,
        memory: Memory,
        withholding: Withholding,
        verifying: Verifying,
        domains: Domains,
        preferences: Preferences,
        outgoing: Outgoing,
        adapters: Mapping[str, Adapter],
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._withholding = withholding
        self._verifying = verifying
        self._domains = domains
        self._preferences = preferences
        self._outgoing = outgoing
        self._adapters = adapters
        self._clock = clock
        self._noted: dict[str, dict[Prefix, Noted]] = {platform: {} for platform in adapters}

    async def open(self) -> None:
        """Read what vanished before."""
        for platform, noted in self._noted.items():
            for key, value in (await under(self._memory.db, _scope(platform), "")).items():
                assert isinstance(value, dict)
                prefix = tuple(json.loads(key))
                noted[prefix] = Noted(value["name"], tuple(value["rulers"]), tuple(value["told"]), value["kept"])
                self._verifying.settle(platform, prefix)

    # What vanishes

    async def look(self, platform: str) -> None:
        """Find what vanished while nobody could tell of it, and tell those who were not told yet."""
        rows = {tuple(row.prefix): row for row in await self._withholding.vanished(platform)}
        for prefix, noted in list(self._noted[platform].items()):
            if prefix in rows:
                await self._tell(platform, rows[prefix])
            elif not noted.kept:
                await self._note(platform, prefix, None)
        there = [split_key(place) for place in await self._memory.verified.places(platform)]
        channels = dict.fromkeys(
            json.dumps([*key[:2], ""], ensure_ascii=False) for key in there if not self._is_known(platform, key)
        )
        for event in await self._adapters[platform].vanished(list(channels)):
            await self.vanish(event)

    async def vanish(self, event: Vanished) -> None:
        """Withhold what was said at places that vanished, answer nothing of it any more, and tell those who ruled them."""
        platform, prefix = event.platform, event.prefix
        if any(prefix[: len(one)] == one and len(one) < len(prefix) for one in self._noted[platform]):
            return
        # Noted first: after a kill the next start tells those who were not told.
        await self._note(platform, prefix, Noted(event.name, event.rulers))
        withheld = await self._withholding.vanish(platform, prefix)
        waiting = await self._memory.journal.unfinished(platform)
        await self._memory.journal.drop([one.key for one in waiting if _within(prefix, split_key(one.event.place))])
        row = next((one for one in await self._withholding.vanished(platform) if tuple(one.prefix) == prefix), None)
        log.info("place.vanished", platform=platform, messages=withheld)
        if row is None:
            await self._note(platform, prefix, None)
            return
        await self._tell(platform, row)

    async def returned(self, platform: str, places: Iterable[str]) -> None:
        """Note that something is said at places that had vanished: they are there again, and may have changed meanwhile."""
        for key in map(split_key, places):
            for prefix in [one for one in self._noted[platform] if _within(one, key)]:
                self._verifying.unsettle(platform, prefix)
                await self._verifying.missed(platform, prefix)
                if self._noted[platform][prefix].kept:
                    await self._note(platform, prefix, None)

    def _is_known(self, platform: str, key: Prefix) -> bool:
        return any(_within(prefix, key) for prefix in self._noted[platform])

    async def _note(self, platform: str, prefix: Prefix, noted: Noted | None) -> None:
        value = noted and {"name": noted.name, "rulers": noted.rulers, "told": noted.told, "kept": noted.kept}
        await self._memory.places.set(_scope(platform), json.dumps(prefix), value)
        if noted is None:
            self._noted[platform].pop(prefix, None)
            self._verifying.unsettle(platform, prefix)
        else:
            self._noted[platform][prefix] = noted
            self._verifying.settle(platform, prefix)

    # Who is told

    async def _tell(self, platform: str, row: Row) -> None:
        """Tell those who ruled something that it is forgotten soon, in the DMs that they have with Lyra."""
        prefix = tuple(row.prefix)
        noted = self._noted[platform][prefix]
        for ruler in noted.rulers:
            person = Person(platform, ruler, "")
            if ruler in noted.told or noted.kept or await self._preferences.on(person, "paused"):
                continue
            place = await self._dm(person)
            if place is None:
                continue
            view, session = await self._domains.here(place, person)
            label, sign = self._label(platform, row), self._adapters[platform].prefix or "/"
            text = (
                f"{label} is gone, or I am not in it any more. What I keep from there comes up no more, and I forget it for good "
                f"on {receipts.day(row.due, view.home.time_zone)}. To have me keep it, say here: {sign}privacy keep {label}"
            )
            parts = self._outgoing.parts(platform, text)
            await view.notify(session, parts, [])
            noted = Noted(noted.name, noted.rulers, (*noted.told, ruler), noted.kept)
            await self._note(platform, prefix, noted)
            await self._outgoing.flush(platform, place.key, parts)

    async def _dm(self, person: Person) -> Place | None:
        """Return the DM that a person has with Lyra, None where there is none."""
        adapter = self._adapters[person.platform]
        domain = await self._memory.places.find_domain(DomainRef(DomainKind.DM, person.platform, person.id))
        for session in await self._memory.view(domain).sessions() if domain else ():
            with suppress(PlaceGone):
                place = await adapter.locate_key(session.ref.place)
                if place and place.is_private and place.alone in ("", person.id):
                    return place
        return await adapter.dm(person)

    # Who keeps it

    async def keep(self, person: Person, name: str) -> str:
        """Keep what vanished under a name, as somebody who ruled it asks; return what to say. Raises BadInput."""
        platform = person.platform
        rows = [
            row
            for row in await self._withholding.vanished(platform)
            if (noted := self._noted[platform].get(tuple(row.prefix))) and person.id in noted.rulers
        ]
        wanted = _plain(name)
        labels = {self._label(platform, row): row for row in rows}
        chosen = [row for label, row in labels.items() if wanted in (_plain(label), _plain(self._name(platform, row)))]
        if len(chosen) != 1:
            raise BadInput(_which(list(labels)))
        (row,) = chosen
        prefix = tuple(row.prefix)
        kept = await self._withholding.keep_vanished(platform, prefix)
        noted = self._noted[platform][prefix]
        await self._note(platform, prefix, Noted(noted.name, noted.rulers, noted.told, kept=True))
        return f"Kept: {receipts.counted(kept, 'message')} from {self._label(platform, row)}."

    def _label(self, platform: str, row: Row) -> str:
        """Return how something is called, with the server it belonged to where that is known."""
        name, server = self._name(platform, row), self._adapters[platform].server_name(row.prefix[0])
        return f"{name} in {server}" if server and len(row.prefix) > 1 else name

    def _name(self, platform: str, row: Row) -> str:
        noted = self._noted[platform].get(tuple(row.prefix))
        return (noted.name if noted else "") or "a place"


def _scope(platform: str) -> str:
    return f"vanished:{platform}"


def _within(prefix: Prefix, key: Sequence[str]) -> bool:
    return tuple(key[: len(prefix)]) == prefix


def _plain(name: str) -> str:
    return name.strip().strip("\"'").removeprefix("#").casefold()


def _which(labels: Sequence[str]) -> str:
    if not labels:
        return "Nothing that you ruled has disappeared, or it is forgotten already."
    return f"Say which one I shall keep: {', '.join(labels)}."
