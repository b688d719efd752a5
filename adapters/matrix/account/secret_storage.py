"""Secret storage's algorithm, m.secret_storage.v1.aes-hmac-sha2, and keys as people write them down.

A secret is encrypted with AES-256 in counter mode and authenticated by HMAC-SHA-256; both keys are derived from the storage's
key and the secret's name by HKDF-SHA-256.
"""

import hmac
import secrets
from functools import reduce
from operator import xor

from Crypto.Cipher import AES
from Crypto.Cipher._mode_ctr import CtrMode
from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF

from adapters.matrix.account.published import packed, unpacked
from adapters.matrix.homeserver import Json

ALGORITHM = "m.secret_storage.v1.aes-hmac-sha2"
_CHECK = bytes(32)
_PREFIX = b"\x8b\x01"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_HALF = 32


def seal(key: bytes, name: str, secret: bytes) -> Json:
    """Encrypt a secret of this name."""
    iv = bytearray(secrets.token_bytes(16))
    # Bit 63 counts in some implementations and not in others.
    iv[8] &= 0x7F
    return _sealed(key, name, secret, bytes(iv))


def unseal(key: bytes, name: str, sealed: Json) -> bytes | None:
    """Return the secret, None where it was sealed with another key or for another name, or is damaged."""
    try:
        iv, ciphertext, mac = (unpacked(sealed[part]) for part in ("iv", "ciphertext", "mac"))
        encrypting, authenticating = _keys(key, name)
        if not hmac.compare_digest(mac, _mac(authenticating, ciphertext)):
            return None
        return _counter(encrypting, iv).decrypt(ciphertext)
    except (KeyError, TypeError, ValueError):
        return None


def description(key: bytes, name: str) -> Json:
    """Return what the homeserver keeps of a storage's key, by which a key that was typed can be checked."""
    check = seal(key, "", _CHECK)
    return {"name": name, "algorithm": ALGORITHM, "iv": check["iv"], "mac": check["mac"]}


def describes(found: Json, key: bytes) -> bool:
    """Whether a description is that of this key."""
    try:
        check = _sealed(key, "", _CHECK, unpacked(found["iv"]))
        return found["algorithm"] == ALGORITHM and hmac.compare_digest(unpacked(found["mac"]), unpacked(check["mac"]))
    except (KeyError, TypeError, ValueError):
        return False


def written(key: bytes) -> str:
    """Write a key as people keep it: base58 with a prefix and a parity byte, in groups of four."""
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
