"""An app that verifies by emoji, written from the specification alone: X25519, HKDF and HMAC of `cryptography`, and HTTP.

It shares nothing with what Lyra computes with. A `Comparison` is one verification as a person's app lives through it.
"""

import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import uuid4

from canonicaljson import encode_canonical_json
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from unpaddedbase64 import decode_base64, encode_base64

from tests.fakes.matrix.client import Json
from tests.fakes.matrix.people import Person

EMOJI = (
    "🐶🐱🦁🐎🦄🐷🐘🐰🐼🐓🐧🐢🐟🐙🦋🌷🌳🌵🍄🌏🌙☁🔥🍌🍎🍓🌽🍕🎂❤😀🤖🎩👓🔧🎅👍☂⌛⏰🎁💡📕✏📎✂🔒🔑🔨☎🏁🚂🚲✈🚀🏆⚽🎸🎺🔔⚓🎧📁📌"
)
OFFER: Mapping[str, Any] = {
    "method": "m.sas.v1",
    "key_agreement_protocols": ["curve25519-hkdf-sha256", "curve25519"],
    "hashes": ["sha256"],
    "message_authentication_codes": ["hkdf-hmac-sha256.v2", "hkdf-hmac-sha256"],
    "short_authentication_string": ["emoji", "decimal"],
}
_PREFIX = "m.key.verification."


class Comparison:
    """A verification between the app of a person and another user's device: in a `room`, or device to device."""

    def __init__(self, person: Person, other: str, device: str = "", room: str = "", *, sealed_by: Person | None = None) -> None:
        self.person, self.other, self.device, self.room = person, other, device, room
        self.sealed_by = sealed_by
        """Whose device encrypts what goes to the other side's, None for nobody's."""
        self.id = "" if room else uuid4().hex
        self.start: Json = {}
        self.key = X25519PrivateKey.generate()
        self.public = encode_base64(self.key.public_key().public_bytes_raw())
        self.theirs = ""
        self.emoji = ""
        self.hers = False
        """Whether the other side began."""

    # What goes out

    async def asks(self, *, to: str = "", age: float = 0.0, **changed: Any) -> None:
        """Ask for a verification, `age` seconds ago."""
        said: Json = {"from_device": self.person.device, "methods": ["m.sas.v1", "m.qr_code.show.v1"], **changed}
        if self.room:
            said |= {"msgtype": f"{_PREFIX}request", "body": "wants to verify", "to": to or self.other}
            self.id = await self.person.sends(self.room, "m.room.message", said)
        else:
            await self.says("request", {**said, "timestamp": int((time.time() - age) * 1000)})

    async def says(self, kind: str, content: Json) -> Json:
        """Send a step, and return it as it went out."""
        if self.room:
            content = content | {"m.relates_to": {"rel_type": "m.reference", "event_id": self.id}}
            await self.person.sends(self.room, f"{_PREFIX}{kind}", content)
            return content
        content = content | {"transaction_id": self.id}
        name, sent = f"{_PREFIX}{kind}", content
        if self.sealed_by:
            assert self.sealed_by.keys
            sent = await self.sealed_by.keys.seal(self.other, self.device, name, content)
            name = "m.room.encrypted"
        body = {"messages": {self.other: {self.device: sent}}}
        await (self.sealed_by or self.person).client.call("PUT", "sendToDevice", name, uuid4().hex, body=body)
        return content

    async def begins(self, **changed: Any) -> None:
        """Begin, once the other side is ready."""
        self.device = (await self.hears("ready"))["from_device"]
        await self.starts(**changed)

    async def starts(self, **changed: Any) -> None:
        """Say how to compare."""
        self.start = await self.says("start", {**OFFER, "from_device": self.person.device, **changed})

    async def exchanges(self, *, promised: bool = True) -> str:
        """Exchange keys as who began, and return the emoji."""
        accepted = await self.hears("accept")
        assert accepted["message_authentication_code"] == "hkdf-hmac-sha256.v2"
        await self.says("key", {"key": self.public})
        self.theirs = (await self.hears("key"))["key"]
        assert accepted["commitment"] == self.commitment(self.theirs)
        return self.compares()

    async def takes_part(self, *, commitment: str = "") -> str:
        """Exchange keys after the other side began, and return the emoji; `commitment` is a false one."""
        self.hers = True
        self.start = await self.hears("start")
        self.device = self.start["from_device"]
        chosen = {
            "key_agreement_protocol": "curve25519-hkdf-sha256",
            "hash": "sha256",
            "message_authentication_code": "hkdf-hmac-sha256.v2",
            "short_authentication_string": ["emoji", "decimal"],
            "commitment": commitment or self.commitment(self.public),
        }
        await self.says("accept", chosen)
        self.theirs = (await self.hears("key"))["key"]
        await self.says("key", {"key": self.public})
        return self.compares()

    async def agrees(self, *, forged: bool = False) -> None:
        """Say that the emoji are the same: prove this app's keys."""
        keys = await self.person.keys_of(self.person.user)
        device = keys.devices[self.person.device]["keys"][f"ed25519:{self.person.device}"]
        proven = {f"ed25519:{self.person.device}": device}
        if keys.identity:
            proven[f"ed25519:{keys.identity}"] = keys.identity
        own, other = self._own(), (self.other, self.device)
        macs = {id: self._mac(key if not forged else "another", own, other, id) for id, key in proven.items()}
        await self.says("mac", {"mac": macs, "keys": self._mac(",".join(sorted(proven)), own, other, "KEY_IDS")})

    async def verified(self) -> set[str]:
        """Wait for the other side's proof, and return which of its keys, as the server shows them, are right; then say that all is done."""
        said = await self.hears("mac")
        shown = await self.person.keys_of(self.other)
        device = shown.devices[self.device]["keys"][f"ed25519:{self.device}"]
        known = {f"ed25519:{self.device}": device, f"ed25519:{shown.identity}": shown.identity}
        other, own = (self.other, self.device), self._own()
        assert said["keys"] == self._mac(",".join(sorted(said["mac"])), other, own, "KEY_IDS")
        right = {id for id, mac in said["mac"].items() if mac == self._mac(known[id], other, own, id)}
        assert right == set(said["mac"])
        await self.says("done", {})
        await self.hears("done")
        return right

    # What comes in

    async def hears(self, kind: str) -> Json:
        """Wait for a step of the other side, and return its content."""
        kind = f"{_PREFIX}{kind}"
        if self.room:
            event = await self.person.hears(
                self.room, lambda one: one.type == kind and one.sender == self.other and _about(one.content) == self.id
            )
            return event.content

        def found() -> Json | None:
            asides = [one for one in self.person.ears.asides if (one["type"], one["sender"]) == (kind, self.other)]
            return next((one["content"] for one in asides if one["content"]["transaction_id"] == self.id), None)

        return await self.person.ears.until(found, f"{kind} from {self.other}")

    async def cancelled(self) -> str:
        """Wait until the other side ends it, and return its code."""
        return str((await self.hears("cancel"))["code"])

    async def is_asked(self) -> None:
        """Wait until the other side asks in the room, and be ready."""
        event = await self.person.hears(
            self.room, lambda one: one.kind == f"{_PREFIX}request" and one.content["to"] == self.person.user
        )
        self.id, self.device = event.id, event.content["from_device"]
        await self.says("ready", {"from_device": self.person.device, "methods": ["m.sas.v1"]})

    # What is computed

    def commitment(self, public: str) -> str:
        """Return what commits to a public key."""
        return encode_base64(sha256(public.encode() + encode_canonical_json(self.start)).digest())

    def compares(self) -> str:
        """Return the emoji."""
        own, other = (*self._own(), self.public), (self.other, self.device, self.theirs)
        first, second = (other, own) if self.hers else (own, other)
        data = self._derived("|".join(["MATRIX_KEY_VERIFICATION_SAS", *first, *second, self.id]), 6)
        bits = "".join(f"{byte:08b}" for byte in data)
        plain = [one for one in EMOJI if one != "\ufe0f"]
        self.emoji = "".join(plain[int(bits[at : at + 6], 2)] for at in range(0, 42, 6))
        return self.emoji

    def _mac(self, text: str, sender: tuple[str, str], receiver: tuple[str, str], id: str) -> str:
        info = "".join(["MATRIX_KEY_VERIFICATION_MAC", *sender, *receiver, self.id, id])
        mac = HMAC(self._derived(info, 32), SHA256())
        mac.update(text.encode())
        return encode_base64(mac.finalize())

    def _derived(self, info: str, length: int) -> bytes:
        secret = self.key.exchange(X25519PublicKey.from_public_bytes(decode_base64(self.theirs)))
        return HKDF(SHA256(), length, None, info.encode()).derive(secret)

    def _own(self) -> tuple[str, str]:
        return self.person.user, self.person.device


def _about(content: Json) -> str:
    return str(content.get("m.relates_to", {}).get("event_id", ""))


def emoji_in(text: str) -> str:
    """Return the emoji that stand in a text before its first question, in their order."""
    return "".join(one for one in text.partition("?")[0] if one in EMOJI and one != "\ufe0f")
