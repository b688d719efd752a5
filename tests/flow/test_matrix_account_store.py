"""Lyra's device and the keys in its store are one thing: where they do not belong together, she is a new device and says so."""

import os
import shutil
from pathlib import Path

import pytest
from aiohttp import ClientError
from nio import AsyncClient, AsyncClientConfig, KeysUploadError, SyncResponse
from nio.store import SqliteStore

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account.account import Account
from tests.fakes.matrix import Lost, People, Person
from tests.kits import matrix_account
from tests.kits.matrix_account import Home, device, heard, home, says, synced, words

pytest_plugins = ["tests.fakes.matrix.fixtures"]

UPLOAD, LOGOUT = "POST /keys/upload", "POST /logout"

lyra = matrix_account.lyra


@pytest.fixture
async def ada(people: People) -> Person:
    return await people.person("ada", encrypts=True)


def store(lyra: Home, name: str) -> Path:
    return lyra.folder / f"{name}.db"


async def is_new(lyra: Home, old: str, why: str) -> str:
    """Assert that she becomes a new device at the next start and says why once; return which."""
    async with lyra.awake(lyra.password) as account:
        new = device(account)
        assert new != old and await lyra.devices() == {lyra.owner.device, new}
        [said] = account.said
        assert why in said and new in said and "may not be able to read" in said
        keys = await lyra.owner.keys_of(lyra.owner.user)
        assert keys.sound(new) and keys.signed(new) and keys.vouched_by(new) and old not in keys.devices
        assert [file.name for file in lyra.folder.iterdir()] == [f"{new}.db"]
    async with lyra.awake() as account:
        assert device(account) == new and not account.said
    return new


async def test_a_lost_store_makes_her_a_new_device_and_people_go_on_talking(people: People, lyra: Home, ada: Person) -> None:
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        old = device(account)
        await ada.says(room, "before")
        assert await heard(account, room, ada.user) == "before"
    before = (await ada.keys_of(lyra.owner.user)).identity
    shutil.rmtree(lyra.folder)
    await is_new(lyra, old, "not in their folder any more")
    assert (await ada.keys_of(lyra.owner.user)).identity == before
    async with lyra.awake() as account:
        await synced(account)
        await ada.says(room, "after")
        assert await heard(account, room, ada.user) == "after"
        await says(account.client, room, "I am back")
        await ada.hears_text(room, "I am back")


@pytest.mark.torture
async def test_nio_alone_would_go_on_as_a_device_that_it_is_not(lyra: Home, tmp_path: Path) -> None:
    """The twin: the same device with a new, empty store."""
    old = await lyra.begun()
    client = await _naive(lyra, tmp_path)
    assert client.device_id == old and isinstance(await client.keys_upload(), KeysUploadError)
    await _close(client)


@pytest.mark.torture
async def test_nio_alone_would_leave_its_key_and_its_file_open_to_others(lyra: Home, tmp_path: Path) -> None:
    """The twin of what the account keeps to itself."""
    await lyra.begun()
    before = os.umask(0)
    try:
        client = await _naive(lyra, tmp_path)
    finally:
        os.umask(before)
    [file] = tmp_path.glob("*.db")
    assert file.stat().st_mode & 0o077
    assert "any pickle key" in repr(client.config) and "any pickle key" in repr(client.store)
    await _close(client)


async def test_without_the_password_a_lost_store_is_final_and_nothing_is_signed_out(lyra: Home) -> None:
    old = await lyra.begun()
    kept = store(lyra, old).read_bytes()
    shutil.rmtree(lyra.folder)
    with pytest.raises(PlatformRefused, match="not in their folder any more.*password_env"):
        await lyra.account().open()
    assert old in await lyra.devices()
    store(lyra, old).write_bytes(kept)
    async with lyra.awake() as account:
        assert device(account) == old and not account.said


@pytest.mark.torture
async def test_a_wrong_password_then_leaves_the_old_device_signed_in(lyra: Home) -> None:
    old = await lyra.begun()
    shutil.rmtree(lyra.folder)
    with pytest.raises(PlatformRefused, match="does not accept"):
        await lyra.account("battery staple").open()
    assert old in await lyra.devices()
    await is_new(lyra, old, "not in their folder any more")


@pytest.mark.torture
async def test_a_new_token_serves_as_well_as_the_password(people: People, lyra: Home) -> None:
    first, second = [await people.second_device(lyra.owner, encrypts=False) for _ in range(2)]
    async with lyra.awake(token=first.client.token):
        pass
    shutil.rmtree(lyra.folder)
    with pytest.raises(PlatformRefused, match="password_env"):
        await lyra.account(token=first.client.token).open()
    first.ears.over = True
    async with lyra.awake(token=second.client.token) as account:
        assert device(account) == second.device and len(account.said) == 1
    assert await lyra.devices() == {lyra.owner.device, second.device}


@pytest.mark.torture
async def test_a_damaged_store_is_a_lost_one(lyra: Home) -> None:
    old = await lyra.begun()
    store(lyra, old).write_bytes(b"not a database, and not empty either" * 100)
    await is_new(lyra, old, "damaged")


@pytest.mark.torture
async def test_a_store_closed_with_another_key_is_a_lost_one(lyra: Home) -> None:
    old = await lyra.begun()
    lyra.notes.forget("pickle_key")
    await is_new(lyra, old, "not written with her key")


@pytest.mark.torture
async def test_a_store_of_another_device_is_a_lost_one(people: People, lyra: Home, tmp_path: Path) -> None:
    old = await lyra.begun()
    other = await home(people, lyra.proxy, tmp_path / "other")
    shutil.copy(store(other, await other.begun()), store(lyra, old))
    await is_new(lyra, old, "another device's")


@pytest.mark.torture
async def test_other_keys_on_the_homeserver_are_noticed(lyra: Home, tmp_path: Path) -> None:
    old = await lyra.begun()
    client = await _naive(lyra, tmp_path)
    await client.keys_upload()
    await _close(client)
    assert (await lyra.owner.keys_of(lyra.owner.user)).sound(old)
    await is_new(lyra, old, "has other keys")


@pytest.mark.torture
async def test_a_store_older_than_what_was_published_is_noticed(people: People, lyra: Home, ada: Person) -> None:
    old = await lyra.begun()
    kept = store(lyra, old).read_bytes()
    await _take(ada, lyra, old, 10)
    async with lyra.awake() as account:
        await synced(account)
    store(lyra, old).write_bytes(kept)
    async with lyra.awake() as account:
        assert device(account) == old and not account.said
    await _take(ada, lyra, old, 10)
    await is_new(lyra, old, "older ones")


async def test_keys_whose_upload_was_not_answered_are_not_lost(people: People, lyra: Home, ada: Person) -> None:
    lyra.proxy.faults.always(UPLOAD, Lost())
    with pytest.raises(PlatformFailure):
        await lyra.account(lyra.password).open()
    lyra.proxy.faults.lift()
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake() as account:
        assert not account.said
        await ada.says(room, "can you read this?")
        assert await heard(account, room, ada.user) == "can you read this?"


@pytest.mark.torture
async def test_nio_alone_would_lose_them(people: People, lyra: Home, tmp_path: Path) -> None:
    """The twin: keys that are kept only after they were published."""
    fresh = await people.second_device(lyra.owner, encrypts=False)
    lyra.proxy.faults.always(UPLOAD, Lost())
    client = _plain(lyra, tmp_path, fresh.device, fresh.client.token)
    with pytest.raises(ClientError):
        await client.keys_upload()
    await _close(client)
    lyra.proxy.faults.lift()
    client = _plain(lyra, tmp_path, fresh.device, fresh.client.token)
    assert isinstance(await client.keys_upload(), KeysUploadError)
    await _close(client)


@pytest.mark.torture
async def test_the_old_device_is_signed_out_later_where_that_failed_at_first(lyra: Home) -> None:
    old = await lyra.begun()
    shutil.rmtree(lyra.folder)
    lyra.proxy.faults.always(LOGOUT, Lost(accepted=False))
    account = lyra.account(lyra.password)
    with pytest.raises(PlatformFailure):
        await account.open()
    assert len(account.said) == 1 and old in await lyra.devices()
    lyra.proxy.faults.lift()
    await account.open()
    assert await lyra.devices() == {lyra.owner.device, device(account)} and len(account.said) == 1
    await account.close()


async def test_people_take_keys_and_she_publishes_new_ones(lyra: Home, ada: Person) -> None:
    async with lyra.awake(lyra.password) as account:
        await _take(ada, lyra, device(account), 7)
        assert await _left(account) == 43
        assert await _left(account) == 50


async def test_keys_are_refilled_when_none_is_left_and_until_then_one_serves_all(people: People, lyra: Home, ada: Person) -> None:
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        name = device(account)
        await _take(ada, lyra, name, 50)
        [last] = (await _take(ada, lyra, name, 1)).values()
        assert last["fallback"] is True
        await ada.says(room, "there was no key left for me")
        client = account.client
        answer = await client.sync()
        assert isinstance(answer, SyncResponse) and answer.device_key_count.signed_curve25519 == 0
        # nio takes none left for no news, and would publish nothing.
        assert not client.should_upload_keys
        await account.keep_keys(answer)
        assert await words(client, answer.rooms.join[room].timeline.events[-1]) == "there was no key left for me"
        assert await _left(account) == 50
        [fresh] = (await _take(ada, lyra, name, 1)).values()
        assert "fallback" not in fresh


@pytest.mark.torture
async def test_a_sync_that_does_not_say_how_many_are_left_makes_her_ask(lyra: Home, ada: Person) -> None:
    async with lyra.awake(lyra.password) as account:
        await _take(ada, lyra, device(account), 3)
        answer = await account.client.sync()
        answer.device_key_count.signed_curve25519 = None
        await account.keep_keys(answer)
        assert await _left(account) == 50


@pytest.mark.torture
@pytest.mark.parametrize("operation", [UPLOAD, "POST /keys/query"])
async def test_a_homeserver_that_goes_away_between_syncs_passes(people: People, lyra: Home, ada: Person, operation: str) -> None:
    await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        await _take(ada, lyra, device(account), 1)
        answer = await account.client.sync()
        lyra.proxy.faults.always(operation, Lost(accepted=False))
        with pytest.raises(PlatformFailure, match="tries again"):
            await account.keep_keys(answer)
        lyra.proxy.faults.lift()
        await account.keep_keys(answer)
        assert not account.client.should_query_keys


async def _left(account: Account) -> int:
    """Return how many one-time keys a sync says are left; then she publishes what is missing."""
    answer = await synced(account)
    return int(answer.device_key_count.signed_curve25519)


async def _take(person: Person, lyra: Home, name: str, times: int) -> dict[str, dict[str, object]]:
    """Take one-time keys of her device, one after the other; return the last."""
    asked = {"one_time_keys": {lyra.owner.user: {name: "signed_curve25519"}}}
    for _ in range(times):
        answer = await person.client.call("POST", "keys", "claim", body=asked)
    found: dict[str, dict[str, object]] = answer["one_time_keys"][lyra.owner.user][name]
    return found


async def _naive(lyra: Home, folder: Path) -> AsyncClient:
    """Return her device with a store of its own, as nio alone makes it."""
    async with lyra.awake() as account:
        return _plain(lyra, folder, device(account), account.client.access_token)


def _plain(lyra: Home, folder: Path, name: str, token: str) -> AsyncClient:
    config = AsyncClientConfig(store=SqliteStore, pickle_key="any pickle key", max_timeouts=0)
    client = AsyncClient(lyra.proxy.url, lyra.owner.user, name, str(folder), config)
    client.restore_login(lyra.owner.user, name, token)
    return client


async def _close(client: AsyncClient) -> None:
    await client.close()
    client.store.database.close()
