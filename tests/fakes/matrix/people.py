"""People on the homeserver: each a user of their own, with a client of their own that shares nothing with the adapter."""

import asyncio
from collections.abc import Callable
from typing import Any, Self

import aiohttp

from tests.fakes.matrix.client import Client, Json
from tests.fakes.matrix.ears import Ears, Receipt
from tests.fakes.matrix.events import Event
from tests.fakes.matrix.keys import Keys
from tests.fakes.matrix.signing import PublicKeys, cross_sign, public_keys
from tests.fakes.matrix.synapse import Synapse
from tests.fakes.matrix.talk import Talk

Look = Callable[[Event], bool]


class Person(Talk):
    """Someone with one device. It hears all the time; what it heard is in `ears`."""

    def __init__(self, client: Client, login: Json, password: str, *, encrypts: bool) -> None:
        self.user = str(login["user_id"])
        self.device = str(login["device_id"])
        self.password = password
        self.client = client
        client.token = login["access_token"]
        self.keys = Keys(client, self.user, self.device) if encrypts else None
        self.ears = Ears(client, self.keys)

    async def hears(self, room: str, look: Look = lambda event: True, *, after: str = "") -> Event:
        """Wait for an event of a room that fits, among those heard already (after one of them, by its id) and those to come."""
        return await self.ears.until(lambda: self._found(room, look, after), f"what {self.user} waits for")

    async def hears_text(self, room: str, text: str) -> Event:
        """Wait for a message with exactly this text."""
        return await self.hears(room, lambda event: event.type == "m.room.message" and event.body == text)

    async def is_invited(self, room: str) -> list[Json]:
        """Wait for an invite, and return what it shows of the room."""
        return await self.ears.until(lambda: self.ears.invites.get(room), f"an invite for {self.user}")

    async def accepts(self, room: str) -> None:
        """Wait for an invite and follow it."""
        await self.is_invited(room)
        await self.joins(room)

    async def sees_typing(self, room: str, user: str, on: bool = True) -> None:
        """Wait until someone types, or no longer does."""
        await self.ears.until(lambda: (user in self.ears.typing[room]) is on or None, f"{user} typing: {on}")

    async def sees_read(self, room: str, user: str, event_id: str) -> Receipt:
        """Wait until someone has read an event."""
        return await self.ears.until(lambda: self._receipt(room, user, event_id), f"a receipt of {user}")

    async def hears_aside(self, kind: str, sender: str) -> Json:
        """Wait for something that someone sends to this device alone, such as a request for a key."""

        def found() -> Json | None:
            return next((one for one in self.ears.asides if (one["type"], one["sender"]) == (kind, sender)), None)

        return await self.ears.until(found, f"{kind} from {sender}")

    async def timeline(self, room: str) -> list[Event]:
        """Return all of a room that this person may read, oldest first, as the server has it now."""
        found: list[Json] = []
        page: Json = {"end": ""}
        while "end" in page:
            query = {"dir": "b", "limit": "100"} | ({"from": page["end"]} if page["end"] else {})
            page = await self.client.call("GET", "rooms", room, "messages", query=query)
            found += page["chunk"]
        return [await self.ears.read(room, raw) for raw in reversed(found)]

    async def messages(self, room: str) -> list[Event]:
        """Return the messages of a room that are still there, oldest first."""
        return [event for event in await self.timeline(room) if event.type == "m.room.message" and not event.redacted]

    async def looks_at(self, room: str, event_id: str) -> Event:
        """Return one event as the server has it now."""
        return await self.ears.read(room, await self.client.call("GET", "rooms", room, "event", event_id))

    async def keys_of(self, user: str) -> PublicKeys:
        """Return the keys that the server shows of someone."""
        return await public_keys(self.client, user)

    async def signs_own_device(self) -> None:
        """Make a cross-signing identity, a new one where there is one, and sign this device."""
        assert self.keys, f"{self.user} has no keys"
        await cross_sign(self.client, self.user, self.device, self.keys.sign, self.password)

    async def logs_out(self) -> None:
        """Sign this device out: its token is worth nothing from now on."""
        self.ears.over = True
        await self.client.call("POST", "logout")

    def _found(self, room: str, look: Look, after: str) -> Event | None:
        events = [event for event in self.ears.events if event.room == room]
        start = next((place + 1 for place, event in enumerate(events) if event.id == after), 0 if not after else len(events))
        return next((event for event in events[start:] if look(event)), None)

    def _receipt(self, room: str, user: str, event_id: str) -> Receipt | None:
        wanted = (room, user, event_id)
        return next((one for one in self.ears.receipts if (one.room, one.user, one.event) == wanted), None)


class People:
    """Everyone of one test. They stop listening when the block ends."""

    def __init__(self, synapse: Synapse, url: str = "") -> None:
        self._synapse, self._url = synapse, url or synapse.url
        self._here: list[Person] = []
        self._listening: list[asyncio.Task[None]] = []
        self._session: aiohttp.ClientSession | None = None

    async def person(self, name: str, *, encrypts: bool = False, listens: bool = True) -> Person:
        """Register someone under a new name that begins with this one. `encrypts` gives their device keys.

        Who does not listen hears nothing until somebody waits for what they hear: each who listens costs the homeserver an
        answer for whatever happens.
        """
        asked: dict[str, Any] = {
            "auth": {"type": "m.login.dummy"},
            "username": self._synapse.unique(name),
            "password": "correct horse",
            "device_id": f"{name.upper()}FIRST",
            "initial_device_display_name": f"{name}'s client",
        }
        client = self._client()
        login = await client.call("POST", "register", body=asked)
        person = Person(client, login, asked["password"], encrypts=encrypts)
        await client.call("PUT", "profile", person.user, "displayname", body={"displayname": name.title()})
        if not listens:
            self._here.append(person)
            person.ears.begin = lambda: self._listens(person)
            return person
        return await self._begun(person)

    async def second_device(self, person: Person, *, encrypts: bool = True) -> Person:
        """Sign someone in once more, on another device."""
        client = self._client()
        asked: dict[str, Any] = {
            "type": "m.login.password",
            "identifier": {"type": "m.id.user", "user": person.user},
            "password": person.password,
        }
        login = await client.call("POST", "login", body=asked)
        return await self._begun(Person(client, login, person.password, encrypts=encrypts))

    async def admitted(self, user: str, device: str, token: str) -> Person:
        """Take somebody whom another server let in by a token."""
        login = {"user_id": user, "device_id": device, "access_token": token}
        return await self._begun(Person(self._client(), login, "", encrypts=False))

    async def together(self, *people: Person, encrypted: bool = False) -> str:
        """Let the first make a room where all are in, and return it."""
        first, *others = people
        room = await first.creates(encrypted=encrypted, invite=[other.user for other in others])
        for other in others:
            await other.joins(room)
        return room

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._listening:
            task.cancel()
        ends = await asyncio.gather(*self._listening, return_exceptions=True)
        for person in self._here:
            if person.keys:
                person.keys.close()
        assert self._session is not None
        await self._session.close()
        for end in ends:
            if isinstance(end, Exception):
                raise end

    def _client(self) -> Client:
        assert self._session is not None
        return Client(self._url, self._session)

    async def _begun(self, person: Person) -> Person:
        self._here.append(person)
        if person.keys:
            await person.keys.publish()
        await person.ears.sync()
        self._listens(person)
        return person

    def _listens(self, person: Person) -> None:
        self._listening.append(asyncio.create_task(person.ears.listen()))
