"""Where a person alone reads what they are told: the DM with them, created if there is none."""

import asyncio
from contextlib import suppress

from nio import AsyncClient

from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person, Place
from adapters.listener import Notes
from adapters.matrix.homeserver import Json, RequestRefused, account_data, ask, put_account_data
from adapters.matrix.incoming.scrollback import ENCRYPTION
from adapters.matrix.rooms.rooms import Rooms
from localization.sentences import lazy

_MEGOLM = {"algorithm": "m.megolm.v1.aes-sha2"}
_SLOW = lazy("The homeserver has not told of your DM yet; ask again in a minute.")
_NOT_ALONE = lazy("The homeserver made a DM that others can read as well; write to Lyra in one of your own first.")
_NO_KEYS = lazy("Lyra's keys for encrypted rooms are not at hand; ask again once they are.")
_DIRECT = "m.direct"
_RESTS_SECONDS = 10.0
"""How long she waits for rooms that are changing."""


class DirectRooms:
    """The DMs in which Lyra may speak first. Those she created are noted, so that nobody gets a second one."""

    def __init__(self, client: AsyncClient, rooms: Rooms, notes: Notes) -> None:
        self._client = client
        self._rooms = rooms
        self._notes = notes
        self._one = asyncio.Lock()

    async def place(self, person: Person, *, encrypted: bool = False) -> Place:
        """Return the DM with a person, an `encrypted` one if required.

        Raises PlatformFailure if there is none, and none can be created now.
        """
        async with self._one:
            noted = await self._notes.get(_note(person))
            # A DM that is changing would seem not to exist.
            if not await self._rooms.at_rest(_RESTS_SECONDS):
                raise PlatformFailure(_SLOW)
            # Nothing can change between the look and its use.
            return self._find(person, noted, encrypted=encrypted) or await self._create(person, encrypted=encrypted)

    def _find(self, person: Person, noted: str | None, *, encrypted: bool) -> Place | None:
        """Return the existing DM, or the one created before if it is still one with that person alone."""
        for room in (self._rooms.dm_of(person.id, encrypted=encrypted), noted):
            with suppress(PlaceGone):
                place = self._rooms.place(room) if room else None
                if room and place is None:
                    raise PlatformFailure(_SLOW)
                if place and place.is_private and place.alone == person.id and (place.encrypted or not encrypted):
                    return place
        return None

    async def _create(self, person: Person, *, encrypted: bool) -> Place:
        sealed = self._client.olm is not None
        if encrypted and not sealed:
            raise PlatformFailure(_NO_KEYS)
        asked: Json = {
            "preset": "trusted_private_chat",
            "is_direct": True,
            "invite": [person.id],
            "initial_state": [{"type": ENCRYPTION, "state_key": "", "content": _MEGOLM}] if sealed else [],
        }
        try:
            # nio would repeat the request if the answer is lost, and create a second room.
            room = str((await ask(self._client, "POST", "createRoom", body=asked))["room_id"])
        except RequestRefused as denied:
            raise PlatformFailure(
                "The homeserver lets Lyra make no DM ({denied}); write to her in one first.", denied=denied
            ) from None
        await self._notes.put(_note(person), room)
        with suppress(RequestRefused, PlatformFailure):
            await self._list(person.id, room)
        place = await self._rooms.arrived(room, person.id)
        if place is None:
            raise PlatformFailure(_SLOW)
        if not place.is_private:
            raise PlatformFailure(_NOT_ALONE)
        return place

    async def _list(self, user: str, room: str) -> None:
        """Mark the room as a DM for the account's other clients."""
        listed = await account_data(self._client, _DIRECT)
        before = listed.get(user)
        rooms = [one for one in before if isinstance(one, str) and one != room] if isinstance(before, list) else []
        await put_account_data(self._client, _DIRECT, {**listed, user: [*rooms, room]})


def _note(person: Person) -> str:
    return f"aside {person.id}"
