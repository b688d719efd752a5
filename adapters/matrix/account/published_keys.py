"""The keys of an account as shown by the homeserver, and their signatures."""

import binascii
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from typing import Any

from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa
from nio import AsyncClient
from nio.api import Api

from adapters.matrix.homeserver import Json, ask


@dataclass(frozen=True, slots=True)
class PublishedKeys:
    """The keys of one device and its account's cross-signing keys, as shown by the homeserver; {} for missing ones."""

    user: str
    device_id: str
    device: Json = field(repr=False)
    master: Json = field(repr=False)
    self_signing: Json = field(repr=False)

    @property
    def device_key(self) -> str:
        """The Ed25519 key that identifies the device, '' if the homeserver has none."""
        return str(self.device.get("keys", {}).get(f"ed25519:{self.device_id}", ""))

    @property
    def identity_key(self) -> str:
        """The Curve25519 key that the device encrypts with, '' if the homeserver has none."""
        return str(self.device.get("keys", {}).get(f"curve25519:{self.device_id}", ""))

    @property
    def master_key(self) -> str:
        """The key that identifies the account's cross-signing identity, '' if the homeserver has none."""
        return next((key for key in _of(self.master, "keys").values() if isinstance(key, str)), "")


async def published(client: AsyncClient) -> PublishedKeys:
    """Query the keys that others are shown of this account and device. Raises like `ask`."""
    return await published_of(client, client.user_id, client.device_id)


async def published_of(client: AsyncClient, user: str, device: str) -> PublishedKeys:
    """Query the keys that the homeserver shows of an account and one of its devices. Raises like `ask`."""
    answer = await ask(client, "POST", "keys", "query", body={"device_keys": {user: []}})
    devices, master, self_signing = (_of(answer, name, user) for name in ("device_keys", "master_keys", "self_signing_keys"))
    return PublishedKeys(user, device, _of(devices, device), master, self_signing)


def names(document: Json, public: str) -> bool:
    """Return whether a document is about this cross-signing key."""
    return public in _of(document, "keys").values()


def signed_by(document: Json, user: str, name: str, public: str) -> bool:
    """Return whether a document has a valid signature by a user's Ed25519 key of this name, given in base64."""
    signature = _of(document, "signatures", user).get(f"ed25519:{name}")
    if not isinstance(signature, str):
        return False
    try:
        key = eddsa.import_public_key(unpacked(public))
        eddsa.new(key, "rfc8032").verify(signable(document), unpacked(signature))
    except (ValueError, binascii.Error):
        return False
    return True


def is_vouched_for(shown: PublishedKeys) -> bool:
    """Return whether the account's own cross-signing identity signed this device."""
    return any(signed_by(shown.device, shown.user, key, key) for key in _of(shown.self_signing, "keys").values())


def signable(document: Json) -> bytes:
    """Return the bytes of a document that a signature covers."""
    return bytes(Api.to_canonical_json(bare(document)).encode())


def bare(document: Json) -> Json:
    """Return a document without what others added to it."""
    return {name: value for name, value in document.items() if name not in ("signatures", "unsigned")}


def signature(seed: bytes, document: Json) -> str:
    """Return an Ed25519 signature of a document."""
    key = ECC.construct(curve="Ed25519", seed=seed)
    return packed(eddsa.new(key, "rfc8032").sign(signable(document)))


def packed(data: bytes) -> str:
    """Encode bytes as Matrix does, in unpadded base64."""
    return b64encode(data).decode().rstrip("=")


def unpacked(text: str) -> bytes:
    """Decode base64, padded or not. Raises ValueError."""
    return b64decode(text + "=" * (-len(text) % 4), validate=False)


def _of(found: Any, *path: str) -> Json:
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
