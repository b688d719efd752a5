"""Lyra's account under test: whose it is, what she keeps of it over restarts, and what she says with it alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from nio import AsyncClient, EncryptionError, Event, MegolmEvent, RoomMessageText, RoomSendResponse, SyncResponse

from adapters.matrix.account.account import Account, Credentials
from adapters.matrix.outgoing.wire import TO_ALL_DEVICES
from tests.fakes.matrix import People, Person, Proxy
from tests.fakes.pulse import PATIENCE
from tests.kits.adapter_kit import Notebook


class Home:
    """A home of Lyra. `owner` is her account as its owner has it in another client, which is no device of hers."""

    def __init__(self, owner: Person, proxy: Proxy, folder: Path) -> None:
        self.owner, self.proxy, self.folder = owner, proxy, folder
        self.notes = Notebook()

    @property
    def password(self) -> str:
        """The password of the account."""
        return self.owner.password

    def account(self, password: str = "", token: str = "", user: str = "") -> Account:
        """Return the account as it is at a start, with these ways in."""
        access = Credentials(self.proxy.url, user or self.owner.user, password, token)
        return Account(access, self.folder, self.notes)

    @asynccontextmanager
    async def awake(self, password: str = "", token: str = "") -> AsyncIterator[Account]:
        """Open the account for the block."""
        account = self.account(password, token)
        await account.open()
        try:
            yield account
        finally:
            await account.close()

    async def begun(self) -> str:
        """Let her log in for the first time, close again, and return which device she is."""
        async with self.awake(self.password) as account:
            return device(account)

    async def devices(self) -> set[str]:
        """Return the devices of the account, as its owner sees them."""
        found = await self.owner.client.call("GET", "devices")
        return {str(one["device_id"]) for one in found["devices"]}


async def home(people: People, proxy: Proxy, folder: Path, *, encrypts: bool = False) -> Home:
    """Return a home for a new account, in which nothing was done yet."""
    return Home(await people.person("lyra", encrypts=encrypts, listens=encrypts), proxy, folder / "home" / "matrix")


def device(account: Account) -> str:
    """Return which device she is."""
    return str(account.client.device_id)


async def synced(account: Account, wait: int = 0) -> SyncResponse:
    """Sync once, with all that belongs to it, and return what came."""
    answer = await account.client.sync(timeout=wait)
    assert isinstance(answer, SyncResponse), answer
    await account.keep_keys(answer)
    return answer


async def heard(account: Account, room: str, sender: str) -> str:
    """Wait for a message of someone, and return it; '' for one that she cannot read."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await synced(account, 5000)
            for event in answer.rooms.join[room].timeline.events if room in answer.rooms.join else ():
                if event.sender == sender and isinstance(event, RoomMessageText | MegolmEvent):
                    return await words(account.client, event)


async def words(client: AsyncClient, event: Event) -> str:
    """Return what a message says, read once the devices of its sender are known; '' for one that she cannot read."""
    if isinstance(event, MegolmEvent):
        if client.should_query_keys:
            await client.keys_query()
        with suppress(EncryptionError):
            event = client.decrypt_event(event)
    return str(event.body) if isinstance(event, RoomMessageText) else ""


async def says(client: AsyncClient, room: str, text: str) -> str:
    """Let her say something in a room that she has synced, and return the event's id."""
    content = {"msgtype": "m.text", "body": text}
    sent = await client.room_send(room, "m.room.message", content, ignore_unverified_devices=TO_ALL_DEVICES)
    assert isinstance(sent, RoomSendResponse), sent
    return str(sent.event_id)


@pytest.fixture
async def lyra(people: People, proxy: Proxy, tmp_path: Path) -> Home:
    """A home for a new account, as a fixture."""
    return await home(people, proxy, tmp_path)


@pytest.fixture
async def signed_ada(people: People) -> Person:
    """Someone with a client that encrypts, whose device is signed."""
    person = await people.person("ada", encrypts=True)
    await person.signs_own_device()
    return person
