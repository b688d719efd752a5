"""What Discord refuses: for good with a reason that says what to do, or for now."""

import asyncio

import pytest

from adapters.discord.outgoing.sending import Sender
from adapters.errors import SendFailed
from tests.fakes.discord import Channel, DiscordServer, Held, Lost, RateLimit, Right, Status
from tests.kits.adapter_kit import Clock
from tests.kits.discord_speech import Mouth, desk, part, posts


async def test_a_closed_dm(server: DiscordServer) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        place = await ada.opens_dm()
        await ada.closes_dm()
        assert "allow direct messages" in await it.refused(part(place, "hello?"))


@pytest.mark.parametrize("right", [Right.VIEW_CHANNEL, Right.SEND_MESSAGES])
async def test_a_channel_where_lyra_may_not_write(server: DiscordServer, general: Channel, right: Right) -> None:
    assert general.guild
    server.acts.overwrite(general, general.guild.roles[general.guild.id], deny=right)
    async with desk(server) as it:
        assert "let her see the channel" in await it.delayed(part(general, "hello?"))


async def test_a_channel_that_is_gone(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        del server.world.channels[general.id]
        assert "gone" in await it.refused(part(general, "hello?"))
        assert "gone" in await it.refused(part(general, "hello?", unsure=True, since=it.clock()))


@pytest.mark.parametrize("archived", [True, False])
async def test_a_locked_thread(server: DiscordServer, general: Channel, archived: bool) -> None:
    async with desk(server) as it:
        thread = await server.person("ada").starts_thread(general, "plans", text="now?")
        thread.archived, thread.locked = archived, True
        assert "open it again" in await it.delayed(part(thread, "hello?"))


async def test_anything_else_that_discord_refuses(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        bob = await server.person("bob").says(general, "mine")
        reason = await it.refused(part(general, "hers", operation="edit", target=str(bob.id)))
        assert "50005" in reason and "hers" not in reason


@pytest.mark.parametrize(
    "fault", [Status(503), Status(403), Status(408), RateLimit(0.1, via=False), Lost(), Lost(accepted=False)]
)
async def test_what_may_pass_is_tried_again(server: DiscordServer, general: Channel, fault: Status | RateLimit | Lost) -> None:
    server.faults.script("create_message", fault)
    async with desk(server) as it:
        with pytest.raises(SendFailed) as failed:
            await it.sender.send(part(general, "secret words"))
        assert not failed.value.final and "secret" not in str(failed.value) and failed.value.__cause__ is None


async def test_a_token_that_is_refused_says_so(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        it.client.http.token = "old"
        with pytest.raises(SendFailed, match="give her a new one") as failed:
            await it.sender.send(part(general, "hello?"))
        assert not failed.value.final


async def test_nothing_is_asked_while_sending_is_forbidden(server: DiscordServer, general: Channel) -> None:
    def forbid() -> None:
        raise SendFailed("not now")

    async with desk(server) as it:
        sender = Sender(it.client, forbid, it.clock, posts(it.client, it.clock))
        with pytest.raises(SendFailed, match="not now"):
            await sender.send(part(general, "hello?"))
    assert server.calls("create_message") == []


async def test_before_the_client_is_connected_what_waits_waits_on(server: DiscordServer, general: Channel) -> None:
    client, clock = Mouth(), Clock()
    sender = Sender(client, lambda: None, clock, posts(client, clock))
    with pytest.raises(SendFailed, match="not connected") as failed:
        await sender.send(part(general, "hello?"))
    assert not failed.value.final


async def test_a_client_that_closes_meanwhile_leaves_nothing_behind(server: DiscordServer, general: Channel) -> None:
    held = Held()
    server.faults.script("create_message", held)
    async with desk(server) as it:
        sending = asyncio.create_task(it.sender.send(part(general, "hello?")))
        await held.reached.wait()
        await it.client.close()
        with pytest.raises(SendFailed) as failed:
            await sending
        assert not failed.value.final


async def test_once_the_client_is_closed_what_waits_waits_on(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        await it.client.close()
        with pytest.raises(SendFailed, match="not connected") as failed:
            await it.sender.send(part(general, "hello?"))
        assert not failed.value.final
