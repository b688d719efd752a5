"""What the homeserver tells of a user's keys, judged as a careful client does; and cross-signing, for those who want it.

It uses Synapse's own signing library, so that what Lyra signs is judged by somebody else's code.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from signedjson.key import decode_verify_key_bytes, encode_verify_key_base64, generate_signing_key, get_verify_key
from signedjson.sign import SignatureVerifyException, sign_json, verify_signed_json
from signedjson.types import SigningKey
from unpaddedbase64 import decode_base64

from tests.fakes.matrix.client import Client, Json, Refused


@dataclass(frozen=True)
class PublicKeys:
    """A user's keys: each device's by its id, and the cross-signing keys, empty where there are none."""

    user: str
    devices: Mapping[str, Json]
    master: Json
    self_signing: Json

    @property
    def identity(self) -> str:
        """The public master key, '' without one."""
        return next(iter(self.master.get("keys", {}).values()), "")

    def sound(self, device: str) -> bool:
        """Whether a device signed its own keys."""
        keys = self.devices.get(device, {})
        return _signed(keys, self.user, f"ed25519:{device}", keys.get("keys", {}).get(f"ed25519:{device}", ""))

    def signed(self, device: str) -> bool:
        """Whether its owner vouches for a device: the master key signed the self-signing key, and that one the device."""
        return _by(self.master, self.self_signing, self.user) and _by(self.self_signing, self.devices.get(device, {}), self.user)

    def vouched_by(self, device: str) -> bool:
        """Whether a device signed the master key, by which the owner's other devices know it."""
        key = self.devices.get(device, {}).get("keys", {}).get(f"ed25519:{device}", "")
        return _signed(self.master, self.user, f"ed25519:{device}", key)


async def public_keys(client: Client, user: str) -> PublicKeys:
    """Ask the homeserver for a user's keys."""
    answer = await client.call("POST", "keys", "query", body={"device_keys": {user: []}})
    master, self_signing = (answer.get(name, {}).get(user, {}) for name in ("master_keys", "self_signing_keys"))
    return PublicKeys(user, answer["device_keys"].get(user, {}), master, self_signing)


async def cross_sign(client: Client, user: str, device: str, countersign: Callable[[Json], Json], password: str) -> None:
    """Make a user a cross-signing identity, in the place of one that they have, let the device sign it with its own key, and the identity the device."""
    master, self_signing, user_signing = (generate_signing_key("") for _ in range(3))
    for key in (master, self_signing, user_signing):
        key.version = _public(key)
    upload = {"master_key": countersign(_described(master, "master", user))}
    for name, key in (("self_signing", self_signing), ("user_signing", user_signing)):
        upload[f"{name}_key"] = sign_json(_described(key, name, user), user, master)
    try:
        await client.call("POST", "keys", "device_signing", "upload", body=upload)
    except Refused as refused:
        who = {"type": "m.id.user", "user": user}
        auth = {"type": "m.login.password", "identifier": who, "password": password, "session": refused.body["session"]}
        await client.call("POST", "keys", "device_signing", "upload", body=upload | {"auth": auth})
    keys = dict((await public_keys(client, user)).devices[device])
    signed = sign_json(keys, user, self_signing)
    await client.call("POST", "keys", "signatures", "upload", body={user: {device: signed}})


def _described(key: SigningKey, usage: str, user: str) -> Json:
    public = _public(key)
    return {"user_id": user, "usage": [usage], "keys": {f"ed25519:{public}": public}}


def _public(key: SigningKey) -> str:
    return str(encode_verify_key_base64(get_verify_key(key)))


def _by(signer: Json, document: Json, user: str) -> bool:
    return any(_signed(document, user, name, key) for name, key in signer.get("keys", {}).items())


def _signed(document: Json, user: str, name: str, key: str) -> bool:
    try:
        verify_signed_json(document, user, decode_verify_key_bytes(name, decode_base64(key)))
    except (SignatureVerifyException, ValueError):
        return False
    return True
