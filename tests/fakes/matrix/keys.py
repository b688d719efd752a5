"""A device that encrypts: nio's Olm machine, without nio's client, so that a test decides who gets which key and when."""

import asyncio
from collections.abc import Collection, Iterable
from typing import Any
from uuid import uuid4

from nio import EncryptionError, KeysClaimResponse, KeysQueryResponse, KeysUploadResponse, MegolmEvent
from nio.crypto import Olm
from nio.events import ToDeviceEvent
from nio.store import SqliteMemoryStore

from tests.fakes.matrix.client import Client, Json
from tests.fakes.matrix.signing import public_keys

_SHARE = "m.room.encrypted"
_WITHHELD = "m.room_key.withheld"
_ENOUGH = 25


class Keys:
    """What one device can read, and whom it lets read."""

    def __init__(self, client: Client, user: str, device: str) -> None:
        self.signed_only = False
        """Whether devices that their owner has not signed get no keys, and are not listened to (MSC4153)."""
        self.refused: set[str] = set()
        """Users who get no keys."""
        self.late = False
        """Whether keys are kept back until `hand_over`."""
        self._client, self._user, self._device = client, user, device
        self._olm: Any = Olm(user, device, SqliteMemoryStore(user, device, "people"))
        self._readers: dict[str, frozenset[tuple[str, str]]] = {}
        self._kept: list[Json] = []
        self._withheld: dict[str, str] = {}
        self._sharing = asyncio.Lock()

    @property
    def identity(self) -> str:
        """The key by which other devices know the Olm sessions with this one."""
        return str(self._olm.account.identity_keys["curve25519"])

    async def publish(self, count: int | None = None) -> None:
        """Upload this device's keys, and one-time keys where the server has few left."""
        if self._olm.account.shared:
            if count is None or count >= _ENOUGH:
                return
            self._olm.uploaded_key_count = count
        answer = await self._client.call("POST", "keys", "upload", body=self._olm.share_keys())
        counts = answer["one_time_key_counts"]
        self._olm.handle_response(KeysUploadResponse(counts.get("curve25519", 0), counts.get("signed_curve25519", 0)))

    def hear(self, aside: Json) -> None:
        """Take what was said to this device alone: keys, and refusals of keys."""
        if aside["type"] == _WITHHELD:
            self._withheld[aside["content"].get("session_id", "")] = aside["content"]["code"]
        elif event := ToDeviceEvent.parse_event(aside):
            self._olm.handle_to_device_event(event)

    async def decrypt(self, room: str, raw: Json) -> tuple[str, Json, str]:
        """Return the type and content of an encrypted event, or why they are not to be had."""
        event = MegolmEvent.from_dict(raw | {"room_id": room})
        try:
            opened = self._olm.decrypt_megolm_event(event, room)
        except EncryptionError:
            code = self._withheld.get(raw["content"].get("session_id", ""))
            return raw["type"], {}, f"withheld {code}" if code else "no key"
        except (AttributeError, LookupError, TypeError, ValueError):
            return raw["type"], {}, "malformed"
        if self.signed_only and not await self._signed(raw["sender"], raw["content"].get("device_id", "")):
            return raw["type"], {}, "unsigned device"
        return opened.source["type"], opened.source["content"], ""

    async def encrypt(self, room: str, members: Collection[str], kind: str, content: Json, **beside: Any) -> Json:
        """Return content as ciphertext, after everyone who may read it has the key; `beside` is what no app would put there."""
        async with self._sharing:
            await self._share(room, members)
        encrypted: Json = self._olm.group_encrypt(room, {"type": kind, "content": content, **beside})
        if "m.relates_to" in content:
            encrypted["m.relates_to"] = content["m.relates_to"]
        return encrypted

    async def seal(self, user: str, device: str, kind: str, content: Json) -> Json:
        """Return content as ciphertext that one device alone can read."""
        await self._look_up([user])
        await self._claim([user])
        to = self._olm.device_store[user][device]
        sealed: Json = self._olm._olm_encrypt(self._olm.session_store.get(to.curve25519), to, kind, content)
        return sealed

    async def begin_anew(self, user: str, device: str) -> None:
        """Begin a new Olm session with a device, and tell it so, as apps do with whom they could not read something of."""
        await self._look_up([user])
        self._olm.session_store[self._olm.device_store[user][device].curve25519].clear()
        await self._send(_SHARE, {user: {device: await self.seal(user, device, "m.dummy", {})}})

    async def hand_over(self) -> None:
        """Send the keys that were kept back."""
        self.late = False
        while self._kept:
            await self._send(_SHARE, self._kept.pop(0))

    def close(self) -> None:
        """Forget everything."""
        self._olm.store.database.close()

    def sign(self, document: Json) -> Json:
        """Return a document with this device's signature."""
        return document | {"signatures": {self._user: {f"ed25519:{self._device}": self._olm.sign_json(document)}}}

    async def _share(self, room: str, members: Collection[str]) -> None:
        readers, others = await self._judged(members)
        if self._readers.get(room) == readers:
            return
        self._readers[room] = readers
        await self._claim(members)
        self._olm.create_outbound_group_session(room)
        for _, messages in self._olm.share_group_session_parallel(room, list(members), ignore_unverified_devices=True):
            if self.late:
                self._kept.append(messages["messages"])
            else:
                await self._send(_SHARE, messages["messages"])
        self._olm.outbound_group_sessions[room].shared = True
        await self._withhold(room, others)

    async def _judged(self, members: Iterable[str]) -> tuple[frozenset[tuple[str, str]], dict[tuple[str, str], str]]:
        """Return the devices that get the key, and why the others do not."""
        await self._look_up(members)
        readers, others = set[tuple[str, str]](), dict[tuple[str, str], str]()
        for member in members:
            for device in self._olm.device_store.active_user_devices(member):
                if code := await self._reason(member, device.id):
                    others[member, device.id] = code
                    self._olm.blacklist_device(device)
                else:
                    readers.add((member, device.id))
                    self._olm.unblacklist_device(device)
        return frozenset(readers), others

    async def _reason(self, member: str, device: str) -> str:
        if member == self._user and device == self._device:
            return ""
        if member in self.refused:
            return "m.blacklisted"
        return "m.unverified" if self.signed_only and not await self._signed(member, device) else ""

    async def _signed(self, user: str, device: str) -> bool:
        if (user, device) == (self._user, self._device):
            return True
        return (await public_keys(self._client, user)).signed(device)

    async def _look_up(self, members: Iterable[str]) -> None:
        answer = await self._client.call("POST", "keys", "query", body={"device_keys": {member: [] for member in members}})
        self._olm.handle_response(KeysQueryResponse(answer["device_keys"], answer["failures"]))

    async def _claim(self, members: Collection[str]) -> None:
        missing = self._olm.get_missing_sessions(list(members))
        if missing:
            wanted = {user: dict.fromkeys(devices, "signed_curve25519") for user, devices in missing.items()}
            answer = await self._client.call("POST", "keys", "claim", body={"one_time_keys": wanted})
            self._olm.handle_response(KeysClaimResponse(answer["one_time_keys"], answer["failures"]))

    async def _withhold(self, room: str, others: dict[tuple[str, str], str]) -> None:
        session, messages = self._olm.outbound_group_sessions[room].id, dict[str, Json]()
        for (user, device), code in others.items():
            messages.setdefault(user, {})[device] = {
                "algorithm": "m.megolm.v1.aes-sha2",
                "room_id": room,
                "session_id": session,
                "sender_key": self._olm.account.identity_keys["curve25519"],
                "code": code,
                "reason": "The sender does not share keys with this device.",
            }
        if messages:
            await self._send(_WITHHELD, messages)

    async def _send(self, kind: str, messages: Json) -> None:
        await self._client.call("PUT", "sendToDevice", kind, uuid4().hex, body={"messages": messages})
