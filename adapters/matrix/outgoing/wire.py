"""The last step on the way out: content goes into a room, encrypted if the room is or ever was.

In encrypted rooms, every device of everyone in the room can read what Lyra says.

Verified keys (`verification`) are kept and watched, but withhold nothing: refusing keys to unverified devices would leave
people with messages they cannot read. A room's members decide who is in it.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from math import inf
from uuid import uuid4

from nio import AsyncClient, ErrorResponse
from nio.crypto.attachments import encrypt_attachment

from adapters.errors import PlaceGone, PlatformFailure, SendFailed
from adapters.events import Place
from adapters.matrix.failures import checked
from adapters.matrix.homeserver import Json, RequestRefused, ask
from adapters.matrix.incoming.convert import PLATFORM
from adapters.matrix.incoming.event import MESSAGE, word
from adapters.matrix.incoming.scrollback import ENCRYPTED, ENCRYPTION
from adapters.matrix.outgoing.contents import PART, REACTION
from adapters.matrix.rooms.rooms import Rooms
from adapters.posting import PostedKeys
from localization.sentences import lazy

TO_ALL_DEVICES = True
"""The value of nio's `ignore_unverified_devices` for everything she sends."""


_STANDS = "M_DUPLICATE_ANNOTATION"
"""Matrix's error code for a reaction that somebody has put there before."""
_UNKNOWN = lazy("Who reads the room is not known just now; what waits is sent as soon as it is.")
_NOT_HERS = lazy("Lyra may write in that room but delete nothing there; whoever may delete messages there can do it.")
_NO_KEYS = lazy("Lyra's keys for encrypted rooms are not at hand; what waits is sent as soon as they are.")
_NOT_SHARED = lazy("Not everyone in the room has the key to read Lyra yet; what waits is sent as soon as they do.")


class Wire:
    """Puts events into rooms. Raises SendFailed, and what requests raise.

    nio considers a key shared that reached nobody, and after a failed key request it never sends to the room again. So keys
    are shared here, and a message goes out once everyone has the key.
    """

    claims_again = 60.0
    """The seconds after which devices that had no one-time key are asked for one again."""

    uploads_within = 300.0
    """The seconds that an upload may take: nio would wait for ever where nothing answers."""

    def __init__(self, client: AsyncClient, rooms: Rooms, posted: PostedKeys | None = None) -> None:
        """Record in `posted` the keys of what is put into rooms."""
        self._posted = posted or PostedKeys(PLATFORM)
        self._client = client
        self._rooms = rooms
        self._sharing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._claimed: dict[tuple[str, str], float] = {}
        self._given: defaultdict[str, set[str]] = defaultdict(set)

    async def put(self, room: str, content: Json, transaction: str, kind: str = MESSAGE) -> str:
        """Put an event into a room, by default a message, once per transaction, and return its id."""
        self._posted.add(word(content, PART))
        before = self.readers(room)
        if not await self._is_encrypted(room):
            self.require_readers(room, before)
            return await self._send(room, kind, content, transaction)
        async with self._sharing[room]:
            await self._share(room)
            self.require_readers(room, before)
            return await self._send(room, kind, content, transaction)

    def readers(self, room: str) -> Place | None:
        """Return a room with those who can read it now, None if these are unknown; what it is called does not matter."""
        with suppress(PlaceGone):
            place = self._rooms.place(room)
            return replace(place, name="") if place else None
        return None

    def require_readers(self, room: str, before: Place | None) -> None:
        """Raise SendFailed if a room's readers changed: it may have been looked up for a minute who they were."""
        if self.readers(room) != before:
            raise SendFailed(_UNKNOWN)

    async def react(self, room: str, content: Json, transaction: str) -> None:
        """Put an unencrypted reaction into a room; do nothing if it is there already, or if she may write there but not react."""
        await self._is_encrypted(room)
        try:
            checked(await self._client.room_send(room, REACTION, content, transaction))
        except RequestRefused as refused:
            stands = refused.code == _STANDS
            if not (stands or (refused.forbidden and await self._may_write(room))):
                raise

    async def upload(self, room: str, data: bytes, content_type: str) -> Json:
        """Upload a file for a room, and return what tells its readers where it is and how to decrypt it."""
        if not await self._is_encrypted(room):
            return {"url": await self._upload(data, content_type)}
        data, secret = encrypt_attachment(data)
        return {"file": secret | {"url": await self._upload(data, "application/octet-stream")}}

    async def redact(self, room: str, event: str, transaction: str) -> None:
        """Redact an event. If she may write there but not redact, the refusal is final: the room is not closed to her."""
        try:
            checked(await self._client.room_redact(room, event, tx_id=transaction))
        except RequestRefused as refused:
            if refused.forbidden and await self._may_write(room):
                raise SendFailed(_NOT_HERS, final=True) from None
            raise

    async def _may_write(self, room: str) -> bool:
        """Return whether she is in a room, according to the homeserver now, with enough power to send a message."""
        me, known = self._client.user_id, self._rooms.peek(room)
        inside = await self._client.room_get_state_event(room, "m.room.member", me)
        if known is None or isinstance(inside, ErrorResponse) or inside.content.get("membership") != "join":
            return False
        return known.state.may_send(me, ENCRYPTED if known.record.encrypted else MESSAGE)

    async def _is_encrypted(self, room: str) -> bool:
        """Return whether a room is or ever was encrypted. Raises SendFailed if that is uncertain."""
        try:
            place = self._rooms.place(room)
        except PlaceGone as gone:
            raise SendFailed(str(gone), final=True) from None
        known = self._client.rooms.get(room)
        if place is None or known is None:
            raise SendFailed(_UNKNOWN)
        if not (place.encrypted or known.encrypted):
            await self._require_open(room)
            return False
        if self._client.olm is None:
            raise SendFailed(_NO_KEYS)
        if not known.encrypted:
            # Once encrypted, a room stays so, whatever its state says now. nio has to learn whose keys it needs.
            known.encrypted, known.members_synced = True, False
        return True

    async def _require_open(self, room: str) -> None:
        # The last sync may be a while ago; encryption turned on since must not wait for the next.
        answer = await self._client.room_get_state_event(room, ENCRYPTION)
        if not (isinstance(answer, ErrorResponse) and answer.status_code == "M_NOT_FOUND"):
            checked(answer)
            raise SendFailed(_UNKNOWN)

    async def _send(self, room: str, kind: str, content: Json, transaction: str) -> str:
        sent = await self._client.room_send(room, kind, content, transaction, ignore_unverified_devices=TO_ALL_DEVICES)
        return str(checked(sent).event_id)

    async def _share(self, room: str) -> None:
        client, olm = self._client, self._client.olm
        if not client.rooms[room].members_synced:
            checked(await client.joined_members(room))
        if client.should_query_keys:
            checked(await client.keys_query())
        readers = self._readers(room)
        if not self.is_theirs(room, readers):
            olm.outbound_group_sessions.pop(room, None)
        if olm.should_share_group_session(room) or self._reaches_further(room, readers):
            while await self._share_further(room):
                continue
            olm.outbound_group_sessions[room].mark_as_shared()

    def _readers(self, room: str) -> list[str]:
        """Return who reads what is said in a room now, by nio and by what is known of it here: nio passes over odd events."""
        known = self._rooms.peek(room)
        return [user for user in self._client.rooms[room].users if known and known.state.reads(user)]

    def is_theirs(self, room: str, readers: Collection[str]) -> bool:
        """Return whether nobody but these may have a room's current key. nio keeps one that was not shared to the end."""
        return self._given[room].issubset(readers)

    def _reaches_further(self, room: str, readers: Collection[str]) -> bool:
        """Return whether some devices still lack a room's key, as they had no one-time key, and may get it now."""
        olm, session = self._client.olm, self._client.olm.outbound_group_sessions[room]
        reached = session.users_shared_with | session.users_ignored
        devices = [one for user in readers for one in olm.device_store.active_user_devices(user)]
        lacking = [one for one in devices if (one.user_id, one.id) not in reached and one.id != olm.device_id]
        tried_before = time.monotonic() - self.claims_again
        if not any(
            olm.session_store.get(one.curve25519) or self._claimed.get((one.user_id, one.id), -inf) <= tried_before
            for one in lacking
        ):
            return False
        # To nio, whoever lacks it can only get the next one.
        session.shared = False
        return True

    async def _share_further(self, room: str) -> bool:
        """Send the room's key to the devices that lack it; return whether there were any."""
        client, olm = self._client, self._client.olm
        if missing := olm.get_missing_sessions(self._readers(room)):
            checked(await client.keys_claim(missing))
            self._claimed |= {(user, device): time.monotonic() for user, devices in missing.items() for device in devices}
        further = False
        if room not in olm.outbound_group_sessions:
            self._given[room].clear()
        readers = self._readers(room)
        for devices, messages in olm.share_group_session_parallel(room, readers, ignore_unverified_devices=TO_ALL_DEVICES):
            self._given[room].update(user for user, _ in devices)
            try:
                await ask(client, "PUT", "sendToDevice", "m.room.encrypted", uuid4().hex, body=messages)
            except (RequestRefused, PlatformFailure):
                raise SendFailed(_NOT_SHARED) from None
            olm.outbound_group_sessions[room].users_shared_with.update(devices)
            further = True
        return further

    async def _upload(self, data: bytes, content_type: str) -> str:
        async with asyncio.timeout(self.uploads_within):
            answer, _ = await self._client.upload(BytesIO(data), content_type, filesize=len(data))
        return str(checked(answer).content_uri)
