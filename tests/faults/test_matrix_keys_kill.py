"""Lyra is killed while she takes in a key: the homeserver sends it once more, and she takes it as if nothing had been."""

import shutil
from pathlib import Path

import pytest
from nio import AsyncClient, SyncResponse

from adapters.matrix.account.account import noted_device
from adapters.matrix.account.client import Client
from adapters.matrix.account.keystore import KeyStores, close
from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_account import Home, home, words

pytest_plugins = ["tests.fakes.matrix.fixtures"]

HALF_TAKEN = 'INSERT OR IGNORE INTO "megolminboundsessions"'


class _Careless(KeyStores):
    """Takes in a key in pieces, as nio does."""

    kind = AsyncClient


@pytest.fixture
async def lyra(people: People, proxy: Proxy, tmp_path: Path) -> Home:
    """A home where she is a device already."""
    lyra = await home(people, proxy, tmp_path)
    await lyra.begun()
    return lyra


async def client_of(lyra: Home, kind: type[KeyStores]) -> AsyncClient:
    """Return a client with the keys that are in her folder."""
    device = await noted_device(lyra.notes, lyra.owner.user)
    assert device
    stores = kind(lyra.folder, await lyra.notes.get(f"pickle_key {lyra.owner.user}"))
    client = stores.client(lyra.proxy.url, device.user, device.id)
    stores.unlock(client, device.user, device.token)
    return client


async def said(client: AsyncClient, room: str, since: str) -> list[str]:
    """Return what is said in a room since a moment, as far as it can be read."""
    client.next_batch = since
    answer = await client.sync(timeout=0)
    assert isinstance(answer, SyncResponse)
    heard = [await words(client, event) for event in answer.rooms.join[room].timeline.events]
    return [one for one in heard if one]


@pytest.mark.parametrize(("kind", "read"), [(KeyStores, ["hello"]), (_Careless, [])], ids=["in one piece", "in pieces"])
async def test_a_key_is_taken_in_one_piece(
    lyra: Home, people: People, tmp_path: Path, kind: type[KeyStores], read: list[str]
) -> None:
    ada = await people.person("ada", encrypts=True)
    client = await client_of(lyra, kind)
    assert isinstance(client, Client) is (kind is KeyStores)
    since = str((await client.sync(timeout=0, full_state=True)).next_batch)
    room = await ada.opens_dm(lyra.owner.user, encrypted=True)
    await client.join(room)
    await ada.says(room, "hello")
    left = tmp_path / "as a kill leaves it"

    def kill(statement: str) -> None:
        if statement.startswith(HALF_TAKEN) and not left.exists():
            shutil.copytree(lyra.folder, left)

    client.store.database.connection().set_trace_callback(kill)
    assert await said(client, room, since) == ["hello"]
    await close(client)
    shutil.rmtree(lyra.folder)
    left.rename(lyra.folder)
    client = await client_of(lyra, kind)
    assert await said(client, room, since) == read
    await close(client)
