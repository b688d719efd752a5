"""Calls are answered on Discord: in private or for all, in parts, after a kill, and after the fifteen minutes."""

import asyncio
import logging
from dataclasses import replace

import pytest

from adapters.command_table import Action, AnswerAudience, Parameter
from adapters.discord.interactions.call_parsing import read_address
from adapters.posting import REPEAT
from tests.fakes.discord import Channel, DiscordServer, Held, Lost, RateLimit
from tests.kits.discord_speech import Setting, desk, part, spec

RECALL = spec("recall", Parameter("query", "what to look for"), Parameter("public", "show everyone", bool))
STATUS = spec("status", answer=AnswerAudience.HERE)
ALL = Setting(specs=(RECALL, STATUS))


async def test_a_private_answer_is_read_by_who_asked_alone(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall", query="tea")
        asked = await it.ears.asked()
        await call.acknowledged()
        sent = await it.answers(asked, "found", actions=(Action("More", "recall", "tea"),))
        await it.answers(asked, "and more", first=False)
        answer, more = await call.answer(), await call.followup()
        assert str(answer.id) == sent and answer.content == "found" and answer.controls()[0]["custom_id"] == "lyra:recall:tea"
        assert answer.ephemeral and more.ephemeral and more.content == "and more" and more is not answer
        assert general.history() == []


@pytest.mark.parametrize(("command", "given"), [("status", {}), ("recall", {"public": True})])
async def test_a_public_answer_is_read_by_all_and_pings_nobody(
    server: DiscordServer, general: Channel, command: str, given: dict[str, bool]
) -> None:
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        call = await ada.runs(general, command, **given)
        asked = await it.ears.asked()
        await call.acknowledged()
        assert not asked.private
        await it.answers(asked, f"@everyone {ada.mention}")
        await it.answers(asked, f"and {ada.mention}", first=False)
        await call.followup()
        first, second = general.history()
        assert first.content == f"@everyone {ada.mention}" and second.content == f"and {ada.mention}"
        assert not (first.mentions or second.mentions or first.mention_everyone)


async def test_an_answer_is_changed_and_sent_twice_without_harm(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "status")
        asked = await it.ears.asked()
        await call.acknowledged()
        server.faults.script("update_original_webhook_message", Lost())
        sending = part(asked.place.key, "all is well", answers=asked.answers, since=it.clock())
        sent = await it.insists(sending)
        changed = await it.sender.send(replace(sending, text="all is quiet", operation="edit", target=sent))
        assert changed == sent and [one.content for one in general.history()] == ["all is quiet"]
        await it.sender.send(replace(sending, text="", operation="delete", target=sent))
        await it.sender.send(replace(sending, text="", operation="delete", target=sent, unsure=True))
        assert general.history() == []


async def test_an_answer_waits_for_the_promise_that_is_on_its_way(server: DiscordServer, general: Channel) -> None:
    promise = Held(before=True)
    server.faults.script("create_interaction_response", promise)
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall")
        asked = await it.ears.asked()
        await promise.reached.wait()
        answering = asyncio.create_task(it.answers(asked, "found"))
        await server.heard("update_original_webhook_message")
        promise.go.set()
        assert await answering == str((await call.answer()).id) and await call.acknowledged() == 5
        assert (await call.answer()).content == "found" and it.client.failed == []


async def test_an_answer_that_is_ready_before_anything_was_promised(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        it.ears.hold.clear()
        call = await server.person("ada").runs(general, "recall")
        sent = await it.answers(await it.ears.asked(), "found")
        answer = await call.answer()
        assert str(answer.id) == sent and answer.content == "found" and answer.ephemeral
        it.ears.hold.set()
        refused = await server.heard("create_interaction_response", 2)
        assert refused[1].status == 400 and it.client.failed == [] and answer.content == "found"


async def test_a_kill_before_the_promise_still_leaves_three_seconds(server: DiscordServer, general: Channel) -> None:
    server.faults.script("create_interaction_response", Lost(accepted=False))
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall")
        asked = await it.ears.asked()
        await server.heard("create_interaction_response")
    async with desk(server) as it:
        await it.answers(asked, "found")
        answer = await call.answer()
        assert answer.content == "found" and answer.ephemeral


async def test_after_those_the_answer_is_too_late_in_private_and_an_ordinary_message_in_public(
    server: DiscordServer, general: Channel
) -> None:
    server.interactions.deadline = 0.0
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        await ada.runs(general, "recall")
        secret = await it.ears.asked(1)
        await ada.runs(general, "status")
        public = await it.ears.asked(2)
        assert "too late" in await it.refused(part(secret.place.key, "found", answers=secret.answers))
        await it.answers(public, "all is well")
        assert [one.content for one in general.history()] == ["all is well"]


@pytest.mark.parametrize("told_by", ["Discord", "the clock"])
async def test_after_fifteen_minutes_a_private_answer_is_too_late_and_the_caller_is_told_so(
    server: DiscordServer, general: Channel, told_by: str
) -> None:
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        call = await ada.runs(general, "recall")
        asked = await it.ears.asked()
        await call.acknowledged()
        if told_by == "Discord":
            call.expire()
        else:
            it.clock.passes(16 * 60)
        for first in (True, False):
            reason = await it.refused(part(asked.place.key, "found", answers=asked.answers, first=first))
            assert "too late" in reason and "ask again" in reason
        assert general.history() == [] and bool(server.calls("execute_webhook")) == (told_by == "Discord")
        (told,) = (await ada.opens_dm()).history()
        assert f"<#{general.id}>" in told.content and "use the command again" in told.content and "found" not in told.content


async def test_in_ones_own_dm_a_late_answer_is_a_message_there_marked_if_it_may_have_been_read_before(
    server: DiscordServer,
) -> None:
    ada = server.person("ada")
    dm = await ada.opens_dm()
    async with desk(server, ALL) as it:
        call = await ada.runs(dm, "recall")
        asked = await it.ears.asked()
        await call.acknowledged()
        since = it.clock()
        seen = part(asked.place.key, "found", answers=asked.answers, since=since)
        server.faults.script("update_original_webhook_message", Lost())
        await it.delayed(seen)
        it.clock.passes(16 * 60)
        server.faults.script("create_message", Lost())
        for one in (seen, part(asked.place.key, "and more", answers=asked.answers, first=False, since=since)):
            await it.insists_until_sent(replace(one, unsure=one is seen))
        assert [one.content for one in dm.history() if not one.ephemeral] == [f"-# {REPEAT}\nfound", "and more"]


@pytest.mark.parametrize("told_by", ["Discord", "the clock"])
async def test_after_fifteen_minutes_a_public_answer_is_an_ordinary_message(
    server: DiscordServer, general: Channel, told_by: str
) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "status")
        asked = await it.ears.asked()
        await call.acknowledged()
        if told_by == "Discord":
            call.expire()
        else:
            it.clock.passes(16 * 60)
        server.faults.script("create_message", Lost())
        await it.insists(part(asked.place.key, "all is well", answers=asked.answers, since=it.clock()))
        assert [one.content for one in general.history() if not one.loading] == ["all is well"]


async def test_an_answer_that_arrived_is_not_repeated_after_the_fifteen_minutes(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "status")
        asked = await it.ears.asked()
        await call.acknowledged()
        server.faults.script("update_original_webhook_message", Lost())
        sending = part(asked.place.key, "all is well", answers=asked.answers, since=it.clock())
        with pytest.raises(Exception, match="as soon as"):
            await it.sender.send(sending)
        it.clock.passes(16 * 60)
        await it.sender.send(replace(sending, unsure=True))
        assert [one.content for one in general.history()] == ["all is well"]


async def test_an_answer_outlives_a_restart(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall")
        asked = await it.ears.asked()
        await call.acknowledged()
        assert it.calls.surface(asked.id)
    async with desk(server) as it:
        assert it.calls.surface(asked.id) is None
        await it.answers(asked, "found")
        assert (await call.answer()).content == "found"


async def test_a_discord_that_is_too_busy_is_tried_again(server: DiscordServer, general: Channel) -> None:
    server.faults.script("update_original_webhook_message", RateLimit(0.01, via=False))
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall")
        asked = await it.ears.asked()
        await call.acknowledged()
        await it.insists(part(asked.place.key, "found", answers=asked.answers, since=it.clock()))
        assert (await call.answer()).content == "found"


async def test_a_token_is_never_shown(server: DiscordServer, general: Channel, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "recall")
        asked = await it.ears.asked()
        await call.acknowledged()
        server.faults.script("update_original_webhook_message", RateLimit(0.05))
        await it.answers(asked, "found")
        call.expire()
        reason = await it.refused(part(asked.place.key, "found", answers=asked.answers))
        address = read_address(asked.answers)
        assert call.token in asked.answers and "rate limited" in caplog.text
        assert call.token not in reason + repr(address) + caplog.text
