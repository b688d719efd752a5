"""Access: from a place and a person to the domain that is written and those that may be read.

Decided on every turn from live facts; when in doubt, nothing is read.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from adapters.base import Adapter
from adapters.errors import PlaceGone
from adapters.events import Circle, Person, Place, Reach, split_key
from bot.config.settings import Settings
from bot.conversation.people import People
from bot.conversation.preferences import Chosen, Preferences
from memory.core import Memory
from memory.places.named_conversations import thread
from memory.ports import Clock
from memory.text.time.zones import current
from memory.types import Confidence, Domain, DomainKind, DomainRef, Identity, Session, SessionRef
from memory.view.view import View

_KINDS = {Reach.PUBLIC: DomainKind.SERVER, Reach.RESTRICTED: DomainKind.CHANNEL, Reach.ROOM: DomainKind.ROOM}
_REACHES = {kind: reach for reach, kind in _KINDS.items()}


class DomainAccess:
    """Creates views for places, from live facts and the linked accounts of people."""

    def __init__(self, memory: Memory, settings: Settings, preferences: Preferences, clock: Clock, time_zone: str) -> None:
        self._memory = memory
        self._preferences = preferences
        self._clock = clock
        self._time_zone = time_zone
        self._fixed = bool(settings.time_zone)
        self._adapters: Mapping[str, Adapter] = {}
        self.people = People(settings, memory.linking)

    def connect(self, adapters: Mapping[str, Adapter]) -> None:
        """Set the platforms to ask what a person can read under their other accounts; without them none of that is read."""
        self._adapters = adapters

    async def view(self, place: Place, person: Person, adapter: Adapter | None = None) -> View:
        """Return the memory that the readers of this place may know now. Without an adapter no other person's place is read."""
        view, _ = await self.view_with_session(place, person, adapter, await self._preferences.read(place, person))
        view.opened_for_turn(nothing_confided=False)
        return view

    async def view_with_session(
        self, place: Place, person: Person, adapter: Adapter | None, chosen: Chosen
    ) -> tuple[View, Session | None]:
        """Return the memory that the readers of this place may know now, given the settings `chosen`, and its session, if any, for one turn."""
        ref = _home_ref(place, person)
        beside = await self._beside(place, person, chosen)
        stored, confidences, session = await self._memory.places.arrive([ref, *beside], place.platform, place.key)
        nothing_confided = all(one.home != stored[ref].key for one in confidences) if ref in stored else True
        home = await self._home(stored.get(ref), ref, chosen.value(person if place.is_private else place, "time zone"))
        readable = [stored[one] for one in beside if one in stored]
        if place.circle is None:
            sealed = await self._sealed_elsewhere(person, chosen) if adapter else []
            reach, encrypted = (chosen.on(person, name) for name in ("reach", "encrypted"))
            heard = await self._readable(person, adapter, reach=reach, encrypted=encrypted)
            for domain, its_confidences in [*heard, *sealed]:
                readable.append(domain)
                confidences += its_confidences
        readable += await self._in_confidence(place, person, confidences, adapter)
        view = self._memory.view(home, readable)
        view.opened_for_turn(nothing_confided=nothing_confided)
        return view, session

    async def home_view(self, place: Place, person: Person) -> View | None:
        """Return the memory of a place alone, None if nothing was ever stored there."""
        return await self._existing_view(_home_ref(place, person))

    async def alone_with(self, account: Identity) -> View | None:
        """Return the memory that only an account reads, None if nothing was ever stored there."""
        return await self._existing_view(DomainRef(DomainKind.DM, account.platform, account.native_id))

    async def _existing_view(self, ref: DomainRef) -> View | None:
        found = await self._memory.places.find_domain(ref)
        return self._memory.view(found) if found else None

    async def view_of_account(self, platform: str, account: str) -> View:
        """Return the memory that the person of an account may know."""
        person = Person(platform, account, account)
        return await self.view(Place(platform, account, account, Reach.DIRECT), person)

    async def accounts(self, person: Person) -> list[Identity]:
        """Return all accounts of a person, the given one first."""
        return await self.people.accounts(Identity(person.platform, person.id))

    async def shared_with(self, person: Person, adapters: Mapping[str, Adapter]) -> list[View]:
        """Return the memory of each shared place that a person can certainly read now, under any of their accounts.

        Confidences are left out. End-to-end encrypted places are included only if the person allowed it.
        """
        accounts = [Person(one.platform, one.native_id, person.name) for one in await self.accounts(person)]
        found: dict[int, View] = {}
        for account in accounts:
            adapter = adapters.get(account.platform)
            chosen = await self._preferences.read(account)
            for domain, _ in await self._readable(account, adapter, reach=True, encrypted=chosen.on(account, "encrypted")):
                found.setdefault(domain.key, self._memory.view(domain))
        return list(found.values())

    async def shared_anywhere(self, person: Person) -> list[View]:
        """Return the memory of each shared place that a person can certainly read now on a platform that is connected here."""
        return await self.shared_with(person, self._adapters)

    async def other_homes(self, person: Person) -> list[View]:
        """Return the private memory of each of a person's other accounts."""
        refs = await self._own(person, await self._preferences.read(person))
        return [view for ref in refs if (view := await self._existing_view(ref))]

    async def current_session(self, view: View, place: Place, *, left: bool = False) -> Session:
        """Return the current session of a place, without naming it; `left` is as in `named_session`."""
        return await view.sessions.get(await self._ref(view, place, left=left), "")

    async def named_session(self, view: View, place: Place, person: Person | None = None, *, left: bool = False) -> Session:
        """Return the current session of a place, to store something there: named after the place, unless off the record.

        If the place has other readers now and those of the view have `left` it, this is the last session that they had there;
        the current session of the new readers is not touched.
        """
        name = "" if await self._is_off_record(place, person) else place.name
        return await view.sessions.get(await self._ref(view, place, left=left), name)

    async def _ref(self, view: View, place: Place, *, left: bool) -> SessionRef:
        return await (view.sessions.latest if left else view.sessions.active)(place.platform, place.key)

    async def existing_dm(self, adapter: Adapter, person: Person) -> Place | None:
        """Return the existing DM of a person, or None."""
        home = await self._existing_view(DomainRef(DomainKind.DM, person.platform, person.id))
        for session in await home.sessions.all() if home else ():
            with suppress(PlaceGone):
                place = await adapter.locate_key(session.ref.place)
                if place and place.is_private and place.alone in ("", person.id):
                    return place
        return await adapter.dm(person)

    async def begin_session(self, view: View, place: Place, name: str) -> Session:
        """Begin a new session at a place."""
        return await view.sessions.get(await view.sessions.begin(place.platform, place.key), name)

    async def view_and_session(self, place: Place, person: Person | None = None) -> tuple[View, Session]:
        """Return a place's own memory and session; a private place needs its person."""
        view = await self.view(place, person or Person(place.platform, "", ""))
        return view, await self.current_session(view, place)

    async def person_of(self, domain: int) -> str:
        """Return the account whose private domain one is, by its key; '' for a shared one."""
        refs, _confidences = await self._memory.places.refs([domain])
        return next((ref.native_id for ref in refs.values() if ref.kind is DomainKind.DM), "")

    async def earlier(self, place: Place) -> list[View]:
        """Return the memory of each room that a place replaced, as far as everyone here could read it."""
        return [view for circle in place.earlier if (view := await self._existing_view(_ref(place.platform, circle)))]

    async def rename(self, place: Place, before: str) -> None:
        """Rename the session of a place to the place's current name, if it was named after the place before.

        Off the record it loses its name until something is stored there.
        """
        view = await self.view(place, Person(place.platform, "", ""))
        # One without a name stays so: it may have been opened off the record.
        session = await self.current_session(view, place)
        if session.name == before:
            await self._memory.places.rename(session, view.home, "" if await self._is_off_record(place) else place.name)

    async def thread_of(self, view: View, name: str) -> str:
        """Return the thread of a terminal conversation by its display name, whether or not it exists."""
        by_name = {session.name: session for session in await view.sessions.all()}
        return (
            split_key(by_name[name].ref.place)[2]
            if name in by_name
            else thread(self._memory.places.seal, view.home.ref.native_id, name)
        )

    async def has_same_readers(
        self, place: Place, domain: int, also: Collection[int] = (), adapter: Adapter | None = None
    ) -> bool:
        """Return whether a place has the readers now for whom something was written, so that it may be said there.

        `domain` and `also` are the keys of the home then and of the domains read beside it. Without an adapter none of them may
        be a confidence.
        """
        refs, confidences = await self._memory.places.refs([domain, *also])
        home = refs.pop(domain, None)
        if place.circle is None:
            return home is not None and home.kind is DomainKind.DM and await self._are_of(home, refs.values())
        is_private_room = bool(place.alone) and not place.crowded
        readable = {_ref(place.platform, circle) for circle in _beside(place)}
        reader = Person(place.platform, place.alone, "")
        return (
            home == _ref(place.platform, place.circle)
            and all(ref in readable or (is_private_room and ref.kind is DomainKind.DM) for ref in refs.values())
            and await self._are_of(DomainRef(DomainKind.DM, place.platform, place.alone), refs.values())
            and len(await self._in_confidence(place, reader, confidences, adapter)) == len(confidences)
        )

    async def _is_off_record(self, place: Place, person: Person | None = None) -> bool:
        if person is None:
            return (await self._preferences.read(place)).all_off_record(place)
        return (await self._preferences.read(place, person)).is_off_record(place, person)

    async def _in_confidence(
        self, place: Place, person: Person, confidences: Sequence[Confidence], adapter: Adapter | None
    ) -> list[Domain]:
        """Return the confidences that all current readers of a place may know; `person` is the reader of a private place."""
        if not confidences:
            return []
        if place.is_private:
            readers = frozenset(await self.accounts(person))
            return [one.domain for one in confidences if one.excepted.others is not readers.isdisjoint(one.excepted.accounts)]
        excluding = [one for one in confidences if not one.excepted.others]
        if adapter is None or not excluding:
            return []
        # Excluding one account of a person excludes all of them.
        excluded_ids = {one.domain.key: await self._at(place.platform, one.excepted.accounts) for one in excluding}
        non_readers = await adapter.non_readers(place, frozenset().union(*excluded_ids.values()))
        return [one.domain for one in excluding if excluded_ids[one.domain.key] <= non_readers]

    async def _are_of(self, own: DomainRef, others: Collection[DomainRef]) -> bool:
        private_accounts = {Identity(ref.platform, ref.native_id) for ref in others if ref.kind is DomainKind.DM and ref != own}
        return not private_accounts or private_accounts.issubset(
            await self.people.accounts(Identity(own.platform, own.native_id))
        )

    async def _at(self, platform: str, accounts: Collection[Identity]) -> frozenset[str]:
        """Return the ids on a platform of people given by any of their accounts."""
        every = {one for account in accounts for one in await self.people.accounts(account)}
        return frozenset(one.native_id for one in every if one.platform == platform)

    async def _home(self, domain: Domain | None, ref: DomainRef, chosen_zone: str) -> Domain:
        domain = domain or await self._memory.places.domain(ref, chosen_zone or self._time_zone, self._clock.now())
        chosen = chosen_zone or (self._time_zone if self._fixed else "")
        if chosen:
            return domain if domain.time_zone == chosen else await self._memory.places.tell_times_in(domain, chosen)
        if current(domain.time_zone) == self._time_zone:
            return domain
        return await self._memory.places.move(domain, self._time_zone, self._clock.now())

    async def _beside(self, place: Place, person: Person, chosen: Chosen) -> list[DomainRef]:
        """Return the domains that are always read beside a place's own."""
        if place.circle is None:
            return await self._own(person, chosen)
        found = [_ref(place.platform, circle) for circle in _beside(place)]
        if place.encrypted and place.is_private and place.alone == person.id:
            found += [DomainRef(DomainKind.DM, person.platform, person.id), *await self._own(person, chosen)]
        return found

    async def _own(self, person: Person, chosen: Chosen) -> list[DomainRef]:
        _this, *others = await self.people.accounts(Identity(person.platform, person.id), chosen)
        return [DomainRef(DomainKind.DM, one.platform, one.native_id) for one in others]

    async def _sealed_elsewhere(self, person: Person, chosen: Chosen) -> list[tuple[Domain, list[Confidence]]]:
        """Return the encrypted domains that a person can read now on other platforms and opted into there."""
        accounts = await self.people.accounts(Identity(person.platform, person.id), chosen)
        others = [one for one in accounts if one.platform != person.platform and one.platform in self._adapters]
        found: list[tuple[Domain, list[Confidence]]] = []
        for account in (Person(one.platform, one.native_id, person.name) for one in others):
            if await self._preferences.on(account, "encrypted"):
                found += await self._readable(account, self._adapters[account.platform], reach=False, encrypted=True)
        return found

    async def _readable(
        self, person: Person, adapter: Adapter | None, *, reach: bool, encrypted: bool
    ) -> Sequence[tuple[Domain, list[Confidence]]]:
        """Return the shared domains of a platform that a person can read now: encrypted ones if `encrypted`, others if `reach`."""
        if adapter is None or not (reach or encrypted):
            return ()
        shared = {
            Circle(_REACHES[domain.ref.kind], domain.ref.native_id, domain.ref.epoch): (domain, confidences)
            for domain, confidences in await self._memory.places.domains_with_confidences()
            if domain.ref.platform == person.platform and domain.ref.kind in _REACHES
        }
        sealed = await adapter.encrypted_circles(shared)
        wanted = [circle for circle in sorted(shared) if (encrypted if circle in sealed else reach)]
        if not wanted:
            return ()
        spoken_in = {one.key for one in await self._memory.spoken_in(Identity(person.platform, person.id))}
        spoken = [circle for circle in wanted if shared[circle][0].key in spoken_in]
        readable = await adapter.readable_circles(person, wanted, spoken)
        return [shared[circle] for circle in wanted if circle in readable]


def _beside(place: Place) -> list[Circle]:
    """Return the circles of the rooms whose content may come up at a place: a room no longer listened to may have changed."""
    return [circle for circle in (place.wider, *place.earlier) if circle and circle not in place.unheard]


def _home_ref(place: Place, person: Person) -> DomainRef:
    return _ref(place.platform, place.circle) if place.circle else DomainRef(DomainKind.DM, person.platform, person.id)


def _ref(platform: str, circle: Circle) -> DomainRef:
    return DomainRef(_KINDS[circle.reach], platform, circle.id, circle.epoch)
