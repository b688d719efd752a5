"""Former admins of a place that disappeared: notified by DM that it will be forgotten soon, and able to keep it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.events import Message, Person, Place
from bot.commands.texts import receipts
from bot.conversation.answering.unanswered import LATE
from bot.conversation.preferences import PAUSED
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from bot.reconciliation.vanished_places import PlaceRegister
from localization.current_language import reading
from localization.sentences import _, ngettext
from memory.forget.disappearance import VanishedPlace


class KeepRequests:
    """Notifies former admins, and keeps places on their request."""

    def __init__(self, services: Services, register: PlaceRegister, adapters: Mapping[str, Adapter]) -> None:
        self._services = services
        self._register = register
        self._adapters = adapters

    async def tell(self, row: VanishedPlace) -> None:
        """Notify former admins once, in their DMs with Lyra, that a place will be forgotten soon."""
        noted = self._register.get(row.platform, row.prefix)
        if noted is None or noted.kept:
            return
        for ruler in noted.rulers:
            person = Person(row.platform, ruler, "")
            if ruler in noted.told or await self._services.preferences.on(person, PAUSED) or not await self._rules(person, row):
                continue
            if place := await self._services.domains.existing_dm(self._adapters[row.platform], person):
                with reading(await self._services.languages.to(place, person)):
                    await self._say(place, person, row)
                noted = replace(noted, told=(*noted.told, ruler))
                await self._register.put(row.platform, row.prefix, noted)

    async def ask_again(self, questions: Iterable[Message]) -> None:
        """Queue one line per place for when she is back there: its open questions will not be answered any more."""
        for asked in {one.place.key: one for one in questions}.values():
            if view := await self._services.domains.home_view(asked.place, asked.person):
                with reading(await self._services.languages.to(asked.place, asked.person)):
                    parts = await self._services.outgoing.composer.parts(asked.place.platform, str(LATE), links=NO_LINKS)
                session = await self._services.domains.current_session(view, asked.place, left=True)
                await view.notices.queue(session, parts, [], asked.id)

    async def _say(self, place: Place, person: Person, row: VanishedPlace) -> None:
        view = await self._services.domains.view(place, person)
        label, sign = self._label(row), self._adapters[row.platform].prefix or "/"
        text = _(
            "{label} is gone, or I am not in it any more. What I keep from there comes up no more, and I forget it "
            "for good on {due}. To have me keep it, say here: {sign}privacy keep {label}",
            label=label,
            due=receipts.day(row.due, view.home.time_zone),
            sign=sign,
        )
        await self._services.outgoing.tell(place, person, text)

    async def keep(self, person: Person, name: str) -> str:
        """Keep a disappeared place by name, at the request of a former admin; return what to say. Raises BadInput."""
        platform, wanted = person.platform, _plain(name)
        rows = [row for row in await self._services.memory.disappearance.vanished(platform) if await self._rules(person, row)]
        chosen = [row for row in rows if wanted in (_plain(self._label(row)), _plain(self._name(row)))]
        labels = {self._label(row) for row in chosen}
        if len(labels) != 1:
            raise BadInput(_which(sorted({self._label(row) for row in rows})))
        kept = 0
        for row in chosen:
            noted = self._register.get(platform, row.prefix)
            assert noted is not None
            # Noted first, so that it does not count as newly disappeared at the next start.
            await self._register.put(platform, row.prefix, replace(noted, kept=True))
            kept += await self._services.memory.disappearance.keep(platform, row.prefix)
        return ngettext("Kept: {n} message from {place}.", "Kept: {n} messages from {place}.", kept, place=labels.pop())

    async def _rules(self, person: Person, row: VanishedPlace) -> bool:
        """Return whether somebody was an admin of the place, and still is one of its server, if any."""
        noted = self._register.get(row.platform, row.prefix)
        if noted is None or person.id not in noted.rulers:
            return False
        return await self._adapters[row.platform].administers_server(person, row.prefix[0]) is not False

    def _label(self, row: VanishedPlace) -> str:
        server = self._adapters[row.platform].server_name(row.prefix[0]) if len(row.prefix) > 1 else ""
        return f"{self._name(row)} in {server}" if server else self._name(row)

    def _name(self, row: VanishedPlace) -> str:
        noted = self._register.get(row.platform, row.prefix)
        return noted.name if noted else ""


def _plain(name: str) -> str:
    return name.strip().strip("\"'").removeprefix("#").casefold()


def _which(labels: Sequence[str]) -> str:
    if not labels:
        return _("Nothing that you ruled has disappeared, or it is forgotten already.")
    return _("Say which one I shall keep: {labels}.", labels=", ".join(labels))
