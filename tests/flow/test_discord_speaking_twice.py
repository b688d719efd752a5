"""A part whose fate is unknown: looked for first, sent again under its nonce, and marked where nobody can say."""

import asyncio
from dataclasses import replace

import pytest

from adapters.base import Sending
from adapters.discord.outgoing.posts import Posts
from adapters.discord.outgoing.sending import Sender
from adapters.errors import SendFailed
from tests.fakes.discord import Channel, DiscordServer, Held, Lost, RateLimit, Status
from tests.kits.discord_speech import Setting, closed, desk, part

MARK = "-# (this may be a repeat)\n"


def forgets_nonces(server: DiscordServer) -> None:
    server.hub.nonce_window = 0.0


async def test_what_arrived_is_found_in_the_history(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        question = await server.person("ada").says(general, "once?")
        sent = await it.insists(part(general, "Once. ", answers=str(question.id), since=it.clock()))
        [said] = server.world.by_bot(general)
        assert str(said.id) == sent and len(server.calls("create_message")) == 1


class Hasty(Posts):
    """Posts without a look into the history."""

    async def send(self, sending: Sending) -> str:
        return await self._post(sending)


async def test_without_the_look_it_would_be_doubled(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost())
    async with desk(server, Setting(posts=Hasty)) as it:
        question = await server.person("ada").says(general, "once?")
        await it.insists(part(general, "Once.", answers=str(question.id), since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["Once.", "Once."]


async def test_what_did_not_arrive_is_sent(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost(accepted=False))
    async with desk(server) as it:
        question = await server.person("ada").says(general, "once?")
        await it.insists(part(general, "Once.", answers=str(question.id), since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["Once."]


async def test_the_same_words_to_another_question_are_not_taken_for_it(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        first, second = await ada.says(general, "hi"), await ada.says(general, "hi?")
        await it.sender.send(part(general, "Hello.", answers=str(second.id)))
        await it.sender.send(part(general, "Hello.", answers=str(first.id), unsure=True, since=it.clock()))
    assert [one.reply_to for one in server.world.by_bot(general)] == [second.id, first.id]


async def test_the_words_of_others_are_not_taken_for_it(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        ada = server.person("ada")
        question = await ada.says(general, "say tea")
        await server.person("bob").says(general, "tea", reply_to=question)
        await it.sender.send(part(general, "tea", answers=str(question.id), unsure=True, since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["tea"]


async def test_a_later_part_is_found_by_its_words(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        question = await server.person("ada").says(general, "all of it")
        await it.insists(part(general, "and so on", answers=str(question.id), first=False, since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["and so on"]


async def test_what_answers_nobody_is_found_by_its_words(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        await it.insists(part(general, "a thought of mine", since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["a thought of mine"]


async def test_what_is_not_in_the_history_is_sent_again_without_a_mark(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "hello?")
        old = part(general, "Hello.", answers=str(question.id), unsure=True, since=it.clock())
        it.clock.passes(600)
        await it.sender.send(old)
        await it.sender.send(replace(old, key="f" * 32, answers="", first=False, text="And more.", since=it.clock()))
    assert [one.content for one in server.world.by_bot(general)] == ["Hello.", "And more."]


async def test_where_nobody_can_say_a_late_repeat_is_marked(server: DiscordServer, general: Channel) -> None:
    closed(server, general)
    async with desk(server) as it:
        question = await server.person("ada").says(general, "hello?")
        sending = part(general, "Hello.", answers=str(question.id), unsure=True, since=it.clock())
        await it.sender.send(sending)
        it.clock.passes(600)
        await it.sender.send(replace(sending, key="e" * 32))
    assert [one.content for one in server.world.by_bot(general)] == ["Hello.", f"{MARK}Hello."]


async def test_a_marked_repeat_is_found_again(server: DiscordServer, general: Channel) -> None:
    async with desk(server) as it:
        question = await server.person("ada").says(general, "hello?")
        sending = part(general, "Hello.", answers=str(question.id), since=it.clock())
        marked = await it.sender.send(replace(sending, text=f"{MARK}Hello."))
        assert await it.sender.send(replace(sending, unsure=True)) == marked


async def test_a_dm_can_be_looked_into(server: DiscordServer) -> None:
    forgets_nonces(server)
    server.faults.script("create_message", Lost())
    async with desk(server) as it:
        ada = server.person("ada")
        place = await ada.opens_dm()
        question = await ada.says(place, "once?")
        await it.insists(part(place, "Once.", answers=str(question.id), since=it.clock()))
    assert [one.content for one in server.world.by_bot(place)] == ["Once."]


async def test_too_long_a_history_is_not_taken_as_read(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    question = await ada.says(general, "hello?")
    for number in range(600):
        await ada.says(general, str(number))
    async with desk(server) as it:
        sending = part(general, "Hello.", answers=str(question.id), unsure=True, since=it.clock())
        it.clock.passes(600)
        await it.sender.send(sending)
    assert [one.content for one in server.world.by_bot(general)] == [f"{MARK}Hello."]


async def test_a_request_that_takes_too_long_is_waited_for_and_not_repeated(server: DiscordServer, general: Channel) -> None:
    forgets_nonces(server)
    held = Held()
    server.faults.script("create_message", held)
    async with desk(server, Setting(seconds=0.05)) as it:
        question = await server.person("ada").says(general, "once?")
        sending = part(general, "Once.", answers=str(question.id), since=it.clock())
        sending_on = asyncio.create_task(it.insists_until_sent(sending))
        await held.reached.wait()
        with pytest.raises(SendFailed):
            await it.sender.send(sending)
        held.go.set()
        sent = await sending_on
        [said] = server.world.by_bot(general)
        assert sent == str(said.id) and len(server.calls("create_message")) == 1


async def test_a_long_global_limit_does_not_stop_lyra_for_good(server: DiscordServer, general: Channel) -> None:
    server.faults.script("create_message", RateLimit(0.4, everywhere=True))
    async with desk(server, Setting(seconds=0.05)) as it:
        sent = await it.insists_until_sent(part(general, "one", since=it.clock()))
        assert sent and [one.content for one in server.world.by_bot(general)] == ["one"]
        assert await it.insists_until_sent(part(general, "two", since=it.clock()))
    assert server.faults.too_early == []


class CutsOff(Sender):
    """A sender that ends requests which take too long."""

    async def send(self, sending: Sending) -> str:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._sent(sending)
        except TimeoutError:
            raise SendFailed("cut off") from None


async def test_cut_off_in_a_global_limit_lyra_would_be_silent_for_good(server: DiscordServer, general: Channel) -> None:
    server.faults.script("create_message", RateLimit(0.1, everywhere=True))
    async with desk(server, Setting(seconds=0.05, sender=CutsOff)) as it:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.0):
                await it.insists_until_sent(part(general, "one", since=it.clock()))
    assert server.world.by_bot(general) == []


@pytest.mark.parametrize("fault", [RateLimit(0.1), RateLimit(0.1, everywhere=True), Status(502), Status(502, accepted=True)])
async def test_what_passes_soon_is_waited_for(server: DiscordServer, general: Channel, fault: RateLimit | Status) -> None:
    server.faults.script("create_message", fault)
    async with desk(server) as it:
        await it.sender.send(part(general, "after all"))
    assert [one.content for one in server.world.by_bot(general)] == ["after all"] and server.faults.too_early == []
