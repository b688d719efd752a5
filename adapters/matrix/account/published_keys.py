"""The keys of an account and its devices on the homeserver: how they are published, shown and signed."""

import binascii
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa
from nio import AsyncClient, KeysUploadResponse
from nio.api import Api
from nio.crypto import Olm

from adapters.matrix.homeserver import Json, ask
from adapters.matrix.incoming.event import part

_KIND = "signed_curve25519"


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
    return reduce(part, path, found)


async def publish(client: AsyncClient) -> None:
    """Publish this device with its keys. Raises like `ask`; RequestRefused means that other keys were published before."""
    await _upload(client, {"device_keys": countersigned(client.olm, described(client.olm))}, 0)


async def refill(client: AsyncClient, left: int | None) -> None:
    """Publish missing one-time keys. `left` is how many there are; None asks. Raises like `publish`."""
    if left is None:
        left = await _count(client, {})
    client.olm.uploaded_key_count = left
    if left < client.olm.account.max_one_time_keys:
        await _upload(client, {}, left)


def described(olm: Olm) -> Json:
    """Return the unsigned document that publishes a device's keys."""
    own = olm.account.identity_keys
    keys = {f"{kind}:{olm.device_id}": own[kind] for kind in ("curve25519", "ed25519")}
    return {"user_id": olm.user_id, "device_id": olm.device_id, "algorithms": list(olm._algorithms), "keys": keys}


def countersigned(olm: Olm, document: Json) -> Json:
    """Return a document signed by this device, without other signatures."""
    return document | {"signatures": {olm.user_id: {f"ed25519:{olm.device_id}": olm.sign_json(bare(document))}}}


async def _upload(client: AsyncClient, body: Json, left: int) -> None:
    account = client.olm.account
    if not account.one_time_keys["curve25519"]:
        account.generate_one_time_keys(account.max_one_time_keys - left)
    # If no key was left, the fallback key may have been used. nio publishes none.
    if left == 0 and not account._account.fallback_key:
        account._account.generate_fallback_key()
    # Saved first: messages encrypted to a key whose private half is lost cannot be read.
    client.olm.save_account()
    count = await _count(client, body | _one_time_keys(client.olm))
    client.olm.handle_response(KeysUploadResponse(0, count))


async def _count(client: AsyncClient, body: Json) -> int:
    answer = await ask(client, "POST", "keys", "upload", body=body)
    return int(answer.get("one_time_key_counts", {}).get(_KIND, 0))


def _one_time_keys(olm: Olm) -> Json:
    fresh = olm.account.one_time_keys["curve25519"]
    last = {name: key.to_base64() for name, key in olm.account._account.fallback_key.items()}
    once = {f"{_KIND}:{name}": countersigned(olm, {"key": key}) for name, key in fresh.items()}
    fallback = {f"{_KIND}:{name}": countersigned(olm, {"key": key, "fallback": True}) for name, key in last.items()}
    return {"one_time_keys": once} | ({"fallback_keys": fallback} if fallback else {})
