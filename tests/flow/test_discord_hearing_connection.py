"""How Lyra comes to Discord and stays there: tokens, intents, a network that is away, and limits that outlive a process."""

import asyncio
import gc
import logging
from typing import Any

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.base import Sending
from adapters.discord import limits
from adapters.discord.adapter import AccountAccess
from adapters.errors import PlatformRefused, SendFailed
from adapters.events import Message, Reach, Unreadable
from tests.fakes.discord import Channel, DiscordServer, Lost, RateLimit, Status
from tests.kits.adapter_kit import running, server_circle
from tests.kits.discord_kit import Clock, Ear, Notebook, adapter_for, listening, restarted


async def test_with_the_intent_she_says_so(server: DiscordServer) -> None:
    async with listening(server, Ear()) as adapter:
        assert adapter.describe() == "I read what is said where I can see it, and keep what is meant for me."
        assert (adapter.platform, adapter.most_characters, adapter.edit_seconds) == ("discord", 2000, 1.5)


async def test_without_the_intent_she_goes_on_and_says_what_to_switch_on(
    server: DiscordServer, general: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    server.world.content_intent = False
    ear = Ear()
    with caplog.at_level(logging.WARNING, "adapters"):
        async with listening(server, ear) as adapter:
            said = adapter.describe()
            ada = server.person("ada")
            await ada.says(general, "not for you")
            await ada.says(general, f"{server.mention} for you")
            await ada.says(await ada.opens_dm(), "in private")
            await ear.heard(Message, 2)
    assert said == (
        "I read DMs, mentions and commands; switch on Message Content Intent in the Developer Portal under Bot"
        " to let me read my threads whole."
    )
    assert [(one.text, one.addressed) for one in ear.of(Message)] == [("for you", True), ("in private", True)]
    assert [(one.addressed, one.once) for one in ear.of(Unreadable)] == [(False, True)]
    assert caplog.text.count("Message Content Intent") == 1 and len(server.gateway.identifies) == 2


async def test_a_thread_that_was_deleted_while_she_was_away_is_not_said_to_hide_its_history(
    server: DiscordServer, general: Channel
) -> None:
    ada, ear = server.person("ada"), Ear()
    thread = await ada.starts_thread(general, "holiday", text="where to?")
    async with listening(server, ear):
        await ada.says(thread, "heard")
        await ear.heard(Message)
    server.acts.delete_thread(thread)
    async with listening(server, ear := restarted(ear)) as adapter:
        await ada.says(general, "tick")
        await ear.heard(Message)
        assert any(str(thread.id) in call.path and call.status == 404 for call in server.requests)
        assert "history" not in adapter.describe()


async def test_the_intent_is_not_asked_for_where_the_operator_does_not_want_it(server: DiscordServer) -> None:
    async with listening(server, Ear(), message_content=False) as adapter:
        assert "message_content is off" in adapter.describe()
    assert len(server.gateway.identifies) == 1


async def test_a_wrong_token_is_refused_in_one_sentence(server: DiscordServer) -> None:
    with pytest.raises(PlatformRefused, match=r"does not accept the token.*Reset Token") as refused:
        async with listening(server, Ear(), token="MTIz.very.secret"):
            pass
    assert "secret" not in str(refused.value) and "secret" not in repr(AccountAccess("MTIz.very.secret"))
    assert not server.gateway.identifies


async def test_a_token_that_is_taken_away_ends_it(server: DiscordServer) -> None:
    ear = Ear()
    running_on = asyncio.create_task(adapter_for(server).run(ear))
    await server.connected()
    server.gateway.disconnect(4004)
    with pytest.raises(PlatformRefused, match="Reset Token"):
        await running_on


async def test_a_connection_that_ends_as_it_begins_is_spoken_of_no_more(server: DiscordServer, general: Channel) -> None:
    """The library waits for the last server to be told of, and spoke of it to a client that was closed."""
    assert general.guild
    failed: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: failed.append(told))
    running_on = asyncio.create_task(adapter_for(server).run(Ear()))
    await server.connected()
    server.gateway.disconnect(4004)
    with pytest.raises(PlatformRefused):
        await running_on
    while left := [task for task in asyncio.all_tasks() if "_delay_ready" in repr(task)]:
        await asyncio.wait(left)
    del left
    gc.collect()
    assert failed == []


async def test_discords_addresses_are_as_before_afterwards(server: DiscordServer) -> None:
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    async with listening(server, Ear()):
        assert server.api_url == Route.BASE
    assert before == (Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY)


async def test_a_network_that_is_away_at_first_is_waited_for(server: DiscordServer, general: Channel) -> None:
    """First the login finds nobody (each time it asks twice), then the gateway, which ends discord.py with an error of its own."""
    clock, ear = Clock(), Ear()
    server.faults.script("get_my_user", *[Lost(accepted=False)] * 12)
    server.gateway.refuse = 1
    async with listening(server, ear, clock=clock):
        await server.person("ada").says(general, "back again")
        await ear.heard(Message)
    assert clock.waits[:7] == [1, 2, 4, 8, 16, 32, 60]


async def test_a_copy_of_her_that_posts_with_the_same_token_is_told_of_once(
    server: DiscordServer, general: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    assert general.guild
    place = f'["{general.guild.id}", "{general.id}", ""]'
    async with listening(server, ear := Ear()) as adapter:
        await adapter.send(Sending("own", place, "mine", "send", "", unsure=False))
        await server.person("ada").says(general, "heard after it")
        await ear.heard(Message)
        assert "Another program" not in caplog.text
        async with listening(server, Ear()) as copy:
            for key in ("one", "two"):
                await copy.send(Sending(key, place, "not mine", "send", "", unsure=False))
            await server.person("ada").says(general, "heard after those")
            await ear.heard(Message, 2)
    assert caplog.text.count("Another program posts as Lyra on Discord") == 1


async def test_she_logs_in_no_earlier_than_discords_edge_allows(server: DiscordServer, general: Channel) -> None:
    ear = Ear()
    server.faults.script("get_my_user", RateLimit(1.0, everywhere=True, via=False))
    async with listening(server, ear):
        await server.person("ada").says(general, "let in again")
        await ear.heard(Message)
    assert server.faults.too_early == []


async def test_a_session_that_discord_never_begins_is_given_up(server: DiscordServer, general: Channel) -> None:
    """The gateway takes the start of a session and hears the heart, but never tells that the session began."""
    clock, ear = Clock(), Ear()
    server.gateway.unanswered = 1
    async with listening(server, ear, clock=clock, pace=clock.pace(patience=0.5)):
        await server.person("ada").says(general, "at last")
        await ear.heard(Message)
    assert ear.texts == ["at last"] and clock.waits[0] == 1


async def test_a_connection_that_does_not_come_back_is_made_anew(server: DiscordServer, general: Channel) -> None:
    clock, ear = Clock(), Ear()
    async with listening(server, ear, clock=clock, pace=clock.pace(patience=0.5)) as adapter:
        await server.person("ada").says(general, "before")
        place = (await ear.heard(Message)).place
        server.gateway.refuse = 100
        server.gateway.disconnect()
        await server.disconnected()
        await server.person("ada").says(general, "meanwhile")
        await clock.pulse.until(lambda: clock.waits, "that it is given up")
        server.gateway.refuse = 0
        await server.identified(2)
        await ear.heard(Message, 2)
        assert await adapter.locate(place) is not None
    assert ear.texts == ["before", "meanwhile"] and ear.times_ready == 2


async def test_while_the_connection_is_away_nothing_is_known(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()) as adapter:
        await server.person("ada").says(general, "before")
        place = (await ear.heard(Message)).place
        server.gateway.refuse = 100
        server.gateway.disconnect()
        await server.disconnected()
        while await adapter.locate(place) is not None:
            await asyncio.sleep(0)
        assert await adapter.readable_circles((await ear.heard(Message)).person, [server_circle(place.server)]) == set()
        server.gateway.refuse = 0
        await server.resumed()
        await server.person("ada").says(general, "after")
        await ear.heard(Message, 2)
        known = await adapter.locate(place)
        assert known is not None and known.reach is Reach.PUBLIC


async def test_ending_it_leaves_the_gateway_politely(server: DiscordServer) -> None:
    async with listening(server, Ear()) as adapter:
        pass
    await server.disconnected()
    assert server.gateway.sessions == {}, "the session was closed, not lost"
    with pytest.raises(SendFailed, match="not connected") as failed:
        await adapter.send(Sending("k", '["1", "2", ""]', "hello", "send", "", unsure=False))
    assert not failed.value.final


async def test_a_listener_that_fails_ends_it(server: DiscordServer, general: Channel) -> None:
    class Broken(Ear):
        async def ready(self) -> None:
            await super().ready()
            raise LookupError("the disk is full")

    with pytest.raises(LookupError, match="disk is full"):
        await adapter_for(server).run(Broken())
    await server.disconnected()


async def test_the_last_starts_of_the_day_are_spared(server: DiscordServer, caplog: pytest.LogCaptureFixture) -> None:
    server.gateway.budget = limits.SPARED_STARTS - 1
    clock, ear = Clock(jumps=True), Ear()
    with caplog.at_level(logging.WARNING, "adapters"):
        async with listening(server, ear, clock=clock):
            assert clock.waits[0] == pytest.approx(86_400, abs=5)
    assert "only a few more connections today" in caplog.text


async def test_every_start_is_counted_over_restarts(server: DiscordServer) -> None:
    """Discord itself says that enough is left: what was noted holds her back."""
    day = 86_400 * 1_000_000
    clock = Clock(jumps=True)
    times = [clock.now() - day // 2 + number for number in range(1000 - limits.SPARED_STARTS + 1)]
    notes = Notebook(starts=times)
    async with listening(server, Ear(), clock=clock, notes=notes):
        assert clock.waits[0] == pytest.approx(43_200, abs=5)
    assert clock.now() - notes.values["starts"][-1] < 60_000_000
    clock = Clock(jumps=True)
    async with listening(server, Ear(), clock=clock, notes=Notebook(starts=times[1:])):
        assert max(clock.waits, default=0) <= 5, "one less, and nothing is waited for"


async def test_two_starts_are_five_seconds_apart(server: DiscordServer, general: Channel) -> None:
    clock, ear = Clock(), Ear()
    async with listening(server, ear, clock=clock):
        await server.person("ada").says(general, "before")
        await ear.heard(Message)
        assert clock.waits == []
        server.gateway.invalidate()
        await server.identified(2)
        assert clock.waits == [5.0]


async def test_starts_that_run_out_while_she_is_connected_are_waited_for(server: DiscordServer, general: Channel) -> None:
    clock, ear = Clock(jumps=True), Ear()
    server.gateway.budget = limits.SPARED_STARTS
    async with listening(server, ear, clock=clock):
        await server.person("ada").says(general, "before")
        await ear.heard(Message)
        server.gateway.invalidate()
        await server.person("ada").says(general, "meanwhile")
        await ear.heard(Message, 2)
        assert max(clock.waits) > 80_000 and ear.texts == ["before", "meanwhile"]


async def test_too_many_refused_requests_stop_all_sending_even_after_a_restart(server: DiscordServer, general: Channel) -> None:
    clock, notes, ear = Clock(), Notebook(), Ear()
    minute = clock.now() // 60_000_000
    notes.values["refused"] = {str(minute - 3): limits.MOST_REFUSED - 2, str(minute - 60): 9_000}
    sending = Sending("k", '["", "1", ""]', "hello", "send", "", unsure=False)
    async with listening(server, ear, clock=clock, notes=notes) as adapter:
        for _ in range(2):
            with pytest.raises(SendFailed):
                await adapter.send(sending)
        assert len(server.calls("create_message")) == 2, "an unknown channel is not counted"
        place = f'["{general.guild.id if general.guild else 0}", "{general.id}", ""]'
        server.faults.script("create_message", *[Status(403)] * 2)
        for _ in range(2):
            with pytest.raises(SendFailed):
                await adapter.send(Sending("l", place, "hello", "send", "", unsure=False))
        with pytest.raises(SendFailed, match="asks it for nothing until") as failed:
            await adapter.send(Sending("m", place, "hello", "send", "", unsure=False))
        assert not failed.value.final and len(server.calls("create_message")) == 4
    async with listening(server, Ear(), clock=clock, notes=notes) as adapter:
        with pytest.raises(SendFailed, match="asks it for nothing until"):
            await adapter.send(Sending("m", place, "hello", "send", "", unsure=False))
    assert len(server.calls("create_message")) == 4
    later = Clock(jumps=True)
    await later.pause(11 * 60)
    async with listening(server, Ear(), clock=later, notes=notes) as adapter:
        await adapter.send(Sending("m", place, "hello", "send", "", unsure=False))
    assert [one.content for one in server.world.said] == ["hello"]


async def test_a_stop_for_everything_is_kept_over_a_restart(server: DiscordServer, general: Channel) -> None:
    notes = Notebook()
    place = f'["{general.guild.id if general.guild else 0}", "{general.id}", ""]'
    sending = Sending("k", place, "hello", "send", "", unsure=False)
    async with listening(server, Ear(), notes=notes) as adapter:
        server.faults.script("create_message", RateLimit(120.0, everywhere=True))
        with pytest.raises(SendFailed):
            await adapter.send(sending)
    server.faults.forgive()
    async with listening(server, Ear(), notes=notes) as adapter:
        with pytest.raises(SendFailed, match="asks it for nothing until"):
            await adapter.send(sending)
    assert len(server.calls("create_message")) == 1


async def test_she_can_be_ended_while_she_waits_for_the_network(server: DiscordServer) -> None:
    server.faults.script("get_my_user", *[Lost(accepted=False)] * 100)
    clock, ear = Clock(), Ear()
    adapter = adapter_for(server, clock=clock)
    async with running(adapter, ear):
        await clock.pulse.until(lambda: len(clock.waits) > 3, "some tries")
    assert ear.times_ready == 0 and await adapter.locate_key('["1", "2", ""]') is None
