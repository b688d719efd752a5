"""People call Lyra's commands on Discord: what she hears, and when they are promised an answer."""

import asyncio
from dataclasses import replace

import pytest

from adapters.command_table import AnswerAudience, Parameter
from adapters.discord.access.readers import place
from adapters.discord.connection import Pace
from adapters.events import Reach
from bot.conversation.inbox_events import payload as kept
from bot.conversation.inbox_events import read_payload
from tests.fakes.discord import Channel, DiscordServer, Right
from tests.kits.discord_speech import Setting, desk, part, spec

RECALL = spec(
    "recall",
    Parameter("query", "what to look for", required=True, suggests=True),
    Parameter("number", "how many", int),
    Parameter("public", "show everyone", bool),
    Parameter("order", "which first", choices=("newest", "best")),
)
STATUS = spec("status", answer=AnswerAudience.HERE)
VIEW = spec("memory view", Parameter("kind", "which"))
REMEMBER = spec("remember", menu="Remember this", hidden=True)
ALL = Setting(specs=(RECALL, STATUS, VIEW, REMEMBER))


async def test_a_call_is_heard_with_who_where_and_what(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        call = await ada.runs(general, "recall", query="tea", number=2, public=False, order="best")
        asked = await it.ears.asked()
        assert asked.id == str(call.id) and asked.command == "recall"
        assert (asked.person.id, asked.person.name) == (str(ada.id), "ada")
        assert asked.place.channel == str(general.id) and asked.place.reach is Reach.PUBLIC
        assert asked.arguments == {"query": "tea", "number": 2, "public": False, "order": "best"}
        assert asked.private and not asked.admin and asked.target is None
        assert abs(asked.said_at - it.clock()) < 60_000_000
        assert await call.acknowledged() == 5
        # What a place is called is no part of what is kept.
        assert read_payload(kept(asked)) == replace(asked, place=replace(asked.place, name=""))


async def test_a_subcommand_is_heard_by_its_two_words(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        await server.person("ada").runs(general, "memory view", kind="eras")
        asked = await it.ears.asked()
        assert asked.command == "memory view" and asked.arguments == {"kind": "eras"}


async def test_a_call_in_a_dm_is_heard_there(server: DiscordServer) -> None:
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        place = await ada.opens_dm()
        call = await ada.runs(place, "status")
        asked = await it.ears.asked()
        assert asked.place.reach is Reach.DIRECT and asked.place.channel == str(place.id) and not asked.admin
        await call.acknowledged()
        await it.answers(asked, "all is well")
        assert (await call.answer()).content == "all is well"


async def test_a_call_in_a_thread_is_heard_there(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        ada = server.person("ada")
        thread = await ada.starts_thread(general, "plans", text="so")
        await ada.runs(thread, "status")
        asked = await it.ears.asked()
        assert (asked.place.channel, asked.place.thread) == (str(general.id), str(thread.id))


async def test_who_rules_the_server_is_known(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    manager, head = server.person("manager"), server.person("head")
    for who, right in ((manager, Right.MANAGE_GUILD), (head, Right.ADMINISTRATOR)):
        server.world.join(general.guild, who.user, server.world.role(general.guild, who.user.name, right))
    async with desk(server, ALL) as it:
        for number, who in enumerate((manager, head, server.person("ada")), 1):
            await who.runs(general, "status")
            await it.ears.asked(number)
        assert {one.person.name: one.admin for one in it.ears.heard} == {"manager": True, "head": True, "ada": False}


async def test_the_menu_of_a_message_brings_the_message(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        said = await server.person("bob").says(general, "my birthday is in May")
        call = await server.person("ada").uses_menu("Remember this", said)
        asked = await it.ears.asked()
        assert asked.command == "remember" and asked.arguments == {} and asked.target
        assert (asked.target.id, asked.target.text) == (str(said.id), "my birthday is in May")
        assert (asked.target.person.name, asked.person.name) == ("bob", "ada") and asked.target.place == asked.place
        await it.answers(asked, "kept")
        assert (await call.answer()).ephemeral


async def test_a_slow_commit_is_promised_an_answer_all_the_same(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(specs=ALL.specs, pace=Pace(commit=0.05))) as it:
        it.ears.hold.clear()
        call = await server.person("ada").runs(general, "recall", query="tea")
        assert await call.acknowledged() == 5 and not it.ears.hold.is_set()
        it.ears.hold.set()
        await it.answers(await it.ears.asked(), "found")
        assert (await call.answer()).content == "found"


async def test_without_that_promise_a_slow_commit_would_be_too_late(server: DiscordServer, general: Channel) -> None:
    server.interactions.deadline = 0.05
    async with desk(server, Setting(specs=ALL.specs, pace=Pace(commit=30.0))) as it:
        it.ears.hold.clear()
        call = await server.person("ada").runs(general, "recall", query="tea")
        asked = await it.ears.asked()
        await asyncio.sleep(server.interactions.deadline)
        it.ears.hold.set()
        await server.heard("create_interaction_response")
        assert call.callback is None and "came too late" in await it.refused(
            part(asked.place.key, "found", answers=asked.answers)
        )


async def test_nothing_is_promised_before_the_commit(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        it.ears.hold.clear()
        call = await server.person("ada").runs(general, "recall", query="tea")
        await it.ears.asked()
        assert call.callback is None
        it.ears.hold.set()
        assert await call.acknowledged() == 5


@pytest.mark.parametrize("patience", [2.0, 0.05])
async def test_a_commit_that_failed_is_said(server: DiscordServer, general: Channel, patience: float) -> None:
    async with desk(server, Setting(specs=ALL.specs, pace=Pace(commit=patience))) as it:
        it.ears.fails = True
        if patience < 1:
            it.ears.hold.clear()
        call = await server.person("ada").runs(general, "status")
        if patience < 1:
            await call.acknowledged()
            it.ears.hold.set()
        assert "use the command again" in (await call.answer()).content
        await it.client.pulse.until(lambda: it.client.failed, "the failure")


async def test_a_command_that_is_no_more_is_said_in_private(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL):
        pass
    async with desk(server) as it:
        ada = server.person("ada")
        said = await ada.says(general, "hello")
        for call in (await ada.runs(general, "status"), await ada.uses_menu("Remember this", said)):
            answer = await call.answer()
            assert answer.ephemeral and "not offered any more" in answer.content
        assert it.ears.heard == []


async def test_arguments_of_an_older_command_are_said_to_be_old(server: DiscordServer, general: Channel) -> None:
    older = spec("recall", Parameter("query", "what to look for", int), Parameter("colour", "which"))
    async with desk(server, Setting(specs=(older,))):
        pass
    async with desk(server) as it:
        it.ears.table = {"recall": RECALL}
        ada = server.person("ada")
        for given in ({"query": 5}, {"colour": "red"}, {}):
            assert "not offered any more" in (await (await ada.runs(general, "recall", **given)).answer()).content
        assert it.ears.heard == []


async def test_where_it_is_not_known_who_reads_nothing_is_answered(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    async with desk(server, ALL) as it:
        unknown = server.world.channel(general.guild, "unheard-of")
        answer = await (await server.person("ada").runs(unknown, "status")).answer()
        assert answer.ephemeral and "cannot see who reads" in answer.content and it.ears.heard == []


async def test_what_comes_with_a_call_would_show_a_closed_channel_as_open(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    ada = server.person("ada")
    async with desk(server, ALL) as it:
        staff = server.world.channel(general.guild, "staff", only=(ada.user,))
        hearing = asyncio.create_task(it.client.wait_for("interaction"))
        await asyncio.sleep(0)
        await ada.runs(staff, "status")
        shown = (await hearing).channel
        assert shown and place(shown, lambda server: "").reach is Reach.PUBLIC


async def test_what_is_typed_is_completed(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:

        async def many() -> list[str]:
            return ["", *(f"{number} {'x' * 150}" for number in range(30))]

        it.ears.suggestions = many
        offered = await server.person("ada").completes(general, "recall", "query", "te", number=3)
        assert it.ears.typed == [("query", "te", {"number": 3})]
        assert len(offered) == 25 and {len(one["name"]) for one in offered} == {100}
        assert offered[0]["value"] == offered[0]["name"] and it.ears.heard == []


async def test_late_or_failed_suggestions_are_none(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(specs=ALL.specs, pace=Pace(suggest=0.05))) as it:

        async def never() -> list[str]:
            await it.client.wait_for("nothing")
            return []

        async def broken() -> list[str]:
            raise OSError("no disk")

        for suggestions in (never, broken):
            it.ears.suggestions = suggestions
            assert await server.person("ada").completes(general, "recall", "query", "te") == []
        assert it.client.failed == []
