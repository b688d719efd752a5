"""What goes wrong on the way to the homeserver on demand, and whether it took effect."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.fakes.matrix import UNKNOWN_TOKEN, Client, Held, Lost, People, Person, Proxy, RateLimit, Refused, Status, Synapse, Then
from tests.fakes.matrix.faults import DOWNLOAD, KEYS, MESSAGES, REDACT, SEND, SYNC, TO_DEVICE, UPLOAD
from tests.fakes.matrix.synapse import free_port

pytest_plugins = ["tests.fakes.matrix.fixtures"]
WORDS = {"msgtype": "m.text", "body": "hello"}


@pytest.fixture
async def ada(people: People) -> Person:
    return await people.person("ada")


@pytest.fixture
async def room(ada: Person) -> str:
    return await ada.creates()


@pytest.fixture
async def bot(ada: Person, proxy: Proxy) -> AsyncIterator[Client]:
    """A client on ada's account, by way of the proxy."""
    async with aiohttp.ClientSession() as session:
        yield Client(proxy.url, session, ada.client.token)


async def say(bot: Client, room: str, key: str = "one") -> str:
    return str((await bot.call("PUT", "rooms", room, "send", "m.room.message", key, body=WORDS))["event_id"])


async def test_without_faults_everything_passes_and_is_recorded(ada: Person, room: str, bot: Client, proxy: Proxy) -> None:
    said = await say(bot, room)
    [call] = proxy.calls(SEND)
    assert (call.status, call.body, call.path) == (200, WORDS, f"/rooms/{room}/send/m.room.message/one")
    assert [event.id for event in await ada.messages(room)] == [said]
    mxc = await bot.upload(b"\x00\x01", "image/png")
    assert await bot.download(mxc) == await ada.client.download(mxc) == b"\x00\x01"
    with pytest.raises(Refused) as refused:
        await bot.call("GET", "rooms", "!nowhere", "messages", query={"dir": "b"})
    assert refused.value.errcode == "M_FORBIDDEN"


async def test_a_limit_refuses_once_and_says_how_long(ada: Person, room: str, bot: Client, proxy: Proxy) -> None:
    proxy.faults.script(SEND, RateLimit(0.2))
    with pytest.raises(Refused) as refused:
        await say(bot, room)
    assert refused.value.errcode == "M_LIMIT_EXCEEDED" and refused.value.body["retry_after_ms"] == 200
    assert await ada.messages(room) == []
    await say(bot, room)
    assert [call.status for call in proxy.calls(SEND)] == [429, 200]


@pytest.mark.parametrize("accepted", [False, True])
async def test_an_error_before_or_after_it_took_effect(ada: Person, room: str, bot: Client, proxy: Proxy, accepted: bool) -> None:
    proxy.faults.script(SEND, Status(502, accepted))
    with pytest.raises(aiohttp.ContentTypeError):
        await say(bot, room)
    assert len(await ada.messages(room)) == int(accepted)


@pytest.mark.parametrize("accepted", [False, True])
async def test_a_lost_connection_before_or_after_it_took_effect(
    ada: Person, room: str, bot: Client, proxy: Proxy, accepted: bool
) -> None:
    await bot.call("GET", "account", "whoami")
    # On a connection that was used before, aiohttp tries once more by itself, for methods that may be repeated.
    proxy.faults.script(SEND, Lost(accepted), Lost(accepted))
    with pytest.raises(aiohttp.ClientConnectionError):
        await say(bot, room)
    assert len(await ada.messages(room)) == int(accepted)
    await say(bot, room)
    assert len(await ada.messages(room)) == 1


@pytest.mark.parametrize("before", [False, True])
async def test_an_answer_or_a_request_is_held(ada: Person, room: str, bot: Client, proxy: Proxy, before: bool) -> None:
    held = Held(before=before)
    proxy.faults.script(SEND, held)
    saying = asyncio.create_task(say(bot, room))
    await held.reached.wait()
    assert len(await ada.messages(room)) == int(not before) and not saying.done()
    held.go.set()
    assert [event.id for event in await ada.messages(room)] == [await saying] or before
    assert len(await ada.messages(room)) == 1


async def test_something_happens_between_effect_and_answer(ada: Person, room: str, bot: Client, proxy: Proxy) -> None:
    async def interrupt() -> None:
        await ada.says(room, "meanwhile")

    proxy.faults.script(SEND, Then(interrupt))
    await say(bot, room)
    assert [event.body for event in await ada.messages(room)] == ["hello", "meanwhile"]


async def test_a_waiting_sync_is_cut(bot: Client, proxy: Proxy) -> None:
    since = (await bot.call("GET", "sync"))["next_batch"]
    waiting = asyncio.create_task(bot.call("GET", "sync", query={"since": since, "timeout": "30000"}))
    for _ in range(2):
        await proxy.waiting(SYNC)
        if not waiting.done():
            proxy.cut(SYNC)
            await proxy.heard(SYNC, 2)
    with pytest.raises(aiohttp.ClientConnectionError):
        await waiting
    assert (await bot.call("GET", "sync", query={"since": since}))["next_batch"]


async def test_a_token_is_revoked_until_that_is_lifted(room: str, bot: Client, proxy: Proxy) -> None:
    proxy.faults.always("*", UNKNOWN_TOKEN)
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            await bot.call("GET", "sync")
        assert (refused.value.status, refused.value.errcode) == (401, "M_UNKNOWN_TOKEN")
    proxy.faults.lift()
    assert await say(bot, room)


async def test_a_fault_meets_only_its_operation_and_scripts_come_first(room: str, bot: Client, proxy: Proxy) -> None:
    proxy.faults.always(SYNC, UNKNOWN_TOKEN)
    proxy.faults.script(SYNC, RateLimit())
    await say(bot, room)
    for status in (429, 401, 401):
        with pytest.raises(Refused) as refused:
            await bot.call("GET", "sync")
        assert refused.value.status == status


async def test_when_the_homeserver_is_down_connections_break() -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    async with Proxy(nobody) as proxy, aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectionError):
            await say(Client(proxy.url, session, "token"), "!room:lyra.test")
        assert {call.status for call in proxy.calls(SEND)} == {499}


async def test_people_can_come_by_way_of_it(synapse: Synapse, proxy: Proxy) -> None:
    async with People(synapse, proxy.url) as people:
        ada, bob = await people.person("ada", encrypts=True), await people.person("bob", encrypts=True)
        room = await people.together(ada, bob, encrypted=True)
        await ada.says(room, "by the long way")
        await bob.hears_text(room, "by the long way")
        said = await ada.attaches(room, "cat.png", b"PNG", "image/png")
        await bob.opens(await bob.hears(room, lambda event: event.id == said))
        await ada.redacts(room, said)
        await bob.messages(room)
        operations = (DOWNLOAD, KEYS, MESSAGES, REDACT, SEND, SYNC, TO_DEVICE, UPLOAD)
        assert [operation for operation in operations if not proxy.calls(operation)] == []
