"""Lyra's identity in the account's secret storage, so that her owner can verify her from Element with a recovery key.

Implements m.secret_storage.v1.aes-hmac-sha2, and recovery keys as people write them down. A secret is encrypted with
AES-256 in counter mode and authenticated by HMAC-SHA-256; both keys are derived from the storage's key and the secret's
name by HKDF-SHA-256.
"""

import hmac
import secrets
from functools import reduce
from operator import xor
from typing import Any

from Crypto.Cipher import AES
from Crypto.Cipher._mode_ctr import CtrMode
from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF
from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.listener import Notes
from adapters.matrix.account.published_keys import packed, unpacked
from adapters.matrix.account.signing import MASTER, REPLACE, SELF, USER, CrossSigningIdentity
from adapters.matrix.homeserver import Json, account_data, put_account_data

ALGORITHM = "m.secret_storage.v1.aes-hmac-sha2"
_CHECK = bytes(32)
_PREFIX = b"\x8b\x01"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_HALF = 32


def seal(key: bytes, name: str, secret: bytes) -> Json:
    """Encrypt a secret under its name."""
    iv = bytearray(secrets.token_bytes(16))
    # Bit 63 counts in some implementations and not in others.
    iv[8] &= 0x7F
    return _sealed(key, name, secret, bytes(iv))


def unseal(key: bytes, name: str, sealed: Json) -> bytes | None:
    """Decrypt a secret; None if it was sealed with another key or under another name, or is damaged."""
    try:
        iv, ciphertext, mac = (unpacked(sealed[part]) for part in ("iv", "ciphertext", "mac"))
        encrypting, authenticating = _keys(key, name)
        if not hmac.compare_digest(mac, _mac(authenticating, ciphertext)):
            return None
        return _counter(encrypting, iv).decrypt(ciphertext)
    except (KeyError, TypeError, ValueError):
        return None


def description(key: bytes, name: str) -> Json:
    """Return what the homeserver stores about a storage key, against which a typed key can be checked."""
    check = seal(key, "", _CHECK)
    return {"name": name, "algorithm": ALGORITHM, "iv": check["iv"], "mac": check["mac"]}


def describes(found: Json, key: bytes) -> bool:
    """Return whether a description matches this key."""
    try:
        check = _sealed(key, "", _CHECK, unpacked(found["iv"]))
        return found["algorithm"] == ALGORITHM and hmac.compare_digest(unpacked(found["mac"]), unpacked(check["mac"]))
    except (KeyError, TypeError, ValueError):
        return False


def format_key(key: bytes) -> str:
    """Encode a key as people write it down: base58 with a prefix and a parity byte, in groups of four."""
    data = _PREFIX + key
    number, digits = int.from_bytes(data + bytes([reduce(xor, data)])), ""
    while number:
        number, digit = divmod(number, len(_BASE58))
        digits = _BASE58[digit] + digits
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


def _sealed(key: bytes, name: str, secret: bytes, iv: bytes) -> Json:
    encrypting, authenticating = _keys(key, name)
    ciphertext = _counter(encrypting, iv).encrypt(secret)
    return {"iv": packed(iv), "ciphertext": packed(ciphertext), "mac": packed(_mac(authenticating, ciphertext))}


def _keys(key: bytes, name: str) -> tuple[bytes, bytes]:
    both = HKDF(key, 2 * _HALF, bytes(_HALF), SHA256, context=name.encode())
    assert isinstance(both, bytes)
    return both[:_HALF], both[_HALF:]


def _counter(key: bytes, iv: bytes) -> CtrMode:
    return AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=iv)


def _mac(key: bytes, ciphertext: bytes) -> bytes:
    return hmac.digest(key, ciphertext, "sha256")


_NOTE = "recovery"
_NAME = "Lyra's recovery key"
_DEFAULT = "m.secret_storage.default_key"


class ForeignStorage(Exception):
    """The account has a secret storage that Lyra did not create."""


class Recovery:
    """The account's secret storage, if it is Lyra's."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def ensure(self, client: AsyncClient, identity: CrossSigningIdentity, *, take_over: bool = False) -> None:
        """Store what is missing of an identity. A storage that others created is only replaced with `take_over`.

        Raises ForeignStorage, or like `ask`.
        """
        name, key = await self._key()
        default = await account_data(client, _DEFAULT)
        if default.get("key") not in (None, name) and not take_over:
            raise ForeignStorage
        if not describes(await account_data(client, _description(name)), key):
            await put_account_data(client, _description(name), description(key, _NAME))
        for usage in (MASTER, SELF, USER):
            await _keep(client, f"m.cross_signing.{usage}", packed(identity.seeds[usage]).encode(), name, key)
        # Last: from here on other clients use it.
        if default.get("key") != name:
            await put_account_data(client, _DEFAULT, {"key": name})

    async def formatted_key(self, client: AsyncClient) -> str:
        """Return the recovery key as people type it. Raises PlatformRefused if the storage is not Lyra's, or like `ask`."""
        name, key = await self._key()
        if (await account_data(client, _DEFAULT)).get("key") != name:
            raise PlatformRefused(
                "The account's secret storage is not Lyra's, so she has no recovery key for it; use the one that was made "
                "with it, or let {replace} make both new.",
                replace=REPLACE,
            )
        return format_key(key)

    async def _key(self) -> tuple[str, bytes]:
        """Return the name and the value of the storage's key, created once."""
        note: Any = await self._notes.get(_NOTE)
        if note is None:
            note = {"name": secrets.token_hex(16), "key": packed(secrets.token_bytes(32))}
            await self._notes.put(_NOTE, note)
        return note["name"], unpacked(note["key"])


def _description(name: str) -> str:
    return f"m.secret_storage.key.{name}"


async def _keep(client: AsyncClient, what: str, secret: bytes, name: str, key: bytes) -> None:
    sealed = (await account_data(client, what)).get("encrypted", {}).get(name, {})
    if unseal(key, what, sealed) != secret:
        await put_account_data(client, what, {"encrypted": {name: seal(key, what, secret)}})
