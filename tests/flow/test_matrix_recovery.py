"""Lyra's recovery key opens the account's secret storage, by an implementation that is not hers."""

import hashlib
import hmac
from base64 import b64decode
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from signedjson.key import decode_signing_key_base64, encode_verify_key_base64, get_verify_key
from signedjson.sign import sign_json
from signedjson.types import SigningKey

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account import recovery
from tests.fakes.matrix import Lost, People, Person, Proxy, Refuse
from tests.kits.matrix_account import Home, home

pytest_plugins = ["tests.fakes.matrix.fixtures"]

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
USAGES = ("master", "self_signing", "user_signing")
DEFAULT, STORED = "m.secret_storage.default_key", "PUT /user/*/account_data/*"


@pytest.fixture
async def lyra(people: People, proxy: Proxy, tmp_path: Path) -> Home:
    return await home(people, proxy, tmp_path, encrypts=True)


async def test_another_client_of_hers_is_verified_with_it(people: People, lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        key = await account.recovery_key()
    shown = await lyra.owner.keys_of(lyra.owner.user)
    assert shown.identity == public(await opened(lyra.owner, key, "master"))
    assert not shown.signed(lyra.owner.device)
    signing = await opened(lyra.owner, key, "self_signing")
    await signs(lyra.owner, signing, dict(shown.devices[lyra.owner.device]))
    assert (await lyra.owner.keys_of(lyra.owner.user)).signed(lyra.owner.device)


@pytest.mark.torture
async def test_all_three_keys_are_there_and_differ(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        key = await account.recovery_key()
    assert len({public(await opened(lyra.owner, key, usage)) for usage in USAGES}) == 3


@pytest.mark.torture
async def test_the_key_is_made_once_and_stays(lyra: Home) -> None:
    found = set()
    for _ in range(3):
        async with lyra.awake(lyra.password) as account:
            found.add(await account.recovery_key())
    [key] = found
    assert key.split() == [key[at : at + 4] for at in range(0, len(key), 5)]
    puts = lyra.proxy.calls(STORED)
    assert len(puts) == len({call.path for call in puts}) == 5


async def test_an_interrupted_start_is_finished_by_the_next(lyra: Home) -> None:
    lyra.proxy.faults.always("PUT /user/*/account_data/m.cross_signing.user_signing", Lost(accepted=False))
    with pytest.raises(PlatformFailure):
        await lyra.account(lyra.password).open()
    assert await data(lyra.owner, DEFAULT) is None
    lyra.proxy.faults.lift()
    async with lyra.awake() as account:
        assert await opened(lyra.owner, await account.recovery_key(), "user_signing")


async def test_what_was_damaged_there_is_put_back(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        key = await account.recovery_key()
    seed = (await opened(lyra.owner, key, "master")).encode()
    name = (await stored(lyra.owner, DEFAULT))["key"]
    await put(lyra.owner, "m.cross_signing.master", {"encrypted": {name: {"iv": "AAAA", "ciphertext": "AAAA", "mac": "AAAA"}}})
    await put(lyra.owner, f"m.secret_storage.key.{name}", {})
    async with lyra.awake():
        assert (await opened(lyra.owner, key, "master")).encode() == seed


async def test_a_storage_of_others_stays_until_she_is_told_to_take_it(lyra: Home) -> None:
    theirs = {"key": "element"}
    await put(lyra.owner, DEFAULT, theirs)
    for _ in range(2):
        async with lyra.awake(lyra.password) as account:
            [said] = account.said
            assert "another client" in said and "lyra matrix replace-identity" in said
            with pytest.raises(PlatformRefused, match="no recovery key"):
                await account.recovery_key()
    assert await data(lyra.owner, DEFAULT) == theirs and not lyra.proxy.calls(STORED)
    async with lyra.awake() as account:
        await account.replace_identity(lyra.password)
        key = await account.recovery_key()
    shown = await lyra.owner.keys_of(lyra.owner.user)
    assert shown.identity == public(await opened(lyra.owner, key, "master"))


@pytest.mark.torture
async def test_a_new_identity_opens_with_the_same_key(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        key = await account.recovery_key()
        before = await opened(lyra.owner, key, "master")
        await account.replace_identity(lyra.password)
        assert await account.recovery_key() == key
    after = await opened(lyra.owner, key, "master")
    assert after != before and public(after) == (await lyra.owner.keys_of(lyra.owner.user)).identity


@pytest.mark.torture
async def test_a_homeserver_that_keeps_no_such_data_does_not_keep_her_away(lyra: Home) -> None:
    lyra.proxy.faults.always(STORED, Refuse(403, "M_FORBIDDEN"))
    async with lyra.awake(lyra.password) as account:
        [said] = account.said
        assert "recovery key (M_FORBIDDEN)" in said


def test_keys_are_written_and_described_as_other_clients_do() -> None:
    """With what other clients' tests hold: Alice's key of RFC 7748, and a key with its description."""
    alice = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    assert recovery.format_key(alice) == "EsTc LW2K PGiF wKEA 3As5 g5c4 BXwk qeeJ ZJV8 Q9fu gUMN UE4d"
    check = {"iv": "xv5b6/p3ExEw++wTyfSHEg==", "mac": "ujBBbXahnTAMkmPUX2/0+VTfUh63pGyVRuBcDMgmJC8="}
    found = {"algorithm": "m.secret_storage.v1.aes-hmac-sha2"} | check
    key = typed("EsTj 3yST y93F SLpB jJsz eAXc 2XzA ygD3 w69H fGaN TKBj jXEd")
    assert recovery.describes(found, key) and not recovery.describes(found, alice)


def test_a_secret_opens_with_its_key_under_its_name_only() -> None:
    key, other = bytes(range(32)), bytes(32)
    sealed = recovery.seal(key, "a secret", b"between us")
    assert recovery.unseal(key, "a secret", sealed) == b"between us"
    assert recovery.unseal(other, "a secret", sealed) is None and recovery.unseal(key, "another", sealed) is None
    assert recovery.unseal(key, "a secret", sealed | {"ciphertext": "AAAA"}) is None
    assert recovery.unseal(key, "a secret", {}) is None


# An implementation of secret storage that shares nothing with Lyra's


def typed(text: str) -> bytes:
    """Return the key that a person typed."""
    number = reduce(lambda number, digit: number * 58 + BASE58.index(digit), text.replace(" ", ""), 0)
    data = number.to_bytes(35, "big")
    assert data[:2] == b"\x8b\x01" and reduce(xor, data) == 0
    return data[2:-1]


async def opened(owner: Person, written: str, usage: str) -> str:
    """Return a seed of the storage, opened with a recovery key."""
    name = (await stored(owner, DEFAULT))["key"]
    key, described = typed(written), await stored(owner, f"m.secret_storage.key.{name}")
    assert described["algorithm"] == "m.secret_storage.v1.aes-hmac-sha2"
    encrypting, authenticating = derived(key, "")
    check = counted(encrypting, unpacked(described["iv"]), bytes(32))
    assert hmac.new(authenticating, check, hashlib.sha256).digest() == unpacked(described["mac"])
    secret = f"m.cross_signing.{usage}"
    sealed = (await stored(owner, secret))["encrypted"][name]
    encrypting, authenticating = derived(key, secret)
    ciphertext = unpacked(sealed["ciphertext"])
    assert hmac.new(authenticating, ciphertext, hashlib.sha256).digest() == unpacked(sealed["mac"])
    return counted(encrypting, unpacked(sealed["iv"]), ciphertext).decode()


def derived(key: bytes, name: str) -> tuple[bytes, bytes]:
    both = HKDF(algorithm=SHA256(), length=64, salt=bytes(32), info=name.encode()).derive(key)
    return both[:32], both[32:]


def counted(key: bytes, iv: bytes, data: bytes) -> bytes:
    cipher = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor()
    return bytes(cipher.update(data) + cipher.finalize())


def unpacked(text: str) -> bytes:
    return b64decode(text + "==")


def signing_key(seed: str) -> SigningKey:
    key: SigningKey = decode_signing_key_base64("ed25519", "", seed)
    key.version = encode_verify_key_base64(get_verify_key(key))
    return key


def public(seed: str) -> str:
    return str(signing_key(seed).version)


async def signs(owner: Person, seed: str, document: dict[str, Any]) -> None:
    """Let the owner's client sign its own device with the seed that it was given."""
    signed = sign_json(document, owner.user, signing_key(seed))
    await owner.client.call("POST", "keys", "signatures", "upload", body={owner.user: {owner.device: signed}})


async def data(owner: Person, kind: str) -> dict[str, Any] | None:
    found = (await owner.client.call("GET", "sync"))["account_data"]["events"]
    return next((event["content"] for event in found if event["type"] == kind), None)


async def stored(owner: Person, kind: str) -> dict[str, Any]:
    return await owner.client.call("GET", "user", owner.user, "account_data", kind)


async def put(owner: Person, kind: str, content: dict[str, Any]) -> None:
    await owner.client.call("PUT", "user", owner.user, "account_data", kind, body=content)
