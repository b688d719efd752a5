"""What disappears wholesale on Discord: it comes up no more from that moment, and who ruled it may keep it."""

import asyncio
import json
from collections.abc import Collection, Sequence

import pytest

from adapters.discord.adapter import Discord
from adapters.events import Person as Someone
from adapters.events import Vanished
from memory.forget.disappearance import WEEK
from tests.fakes.discord import Channel, Person, Right, Status, wire
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.awake import prompt
from tests.kits.discord_home import Awake, model_server
from tests.kits.discord_knowing import everything
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.fresh import with_words

SECRET = "the safe is behind the picture"

town = discord_town.town
model = entered_in_loop(model_server)


class Unseeing(Discord):
    """A Discord that does not look what disappeared while she was away."""

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        return ()


@pytest.fixture
def attic(town: Town) -> Channel:
    """A channel that everybody sees, so that what is said there is the server's."""
    return town.server.world.channel(town.guild, "attic")


def owner(town: Town) -> Person:
    """Who owns the server, and has a DM with her."""
    return Person(town.server.hub, town.server.world.boss)


async def withheld(lyra: Awake, *prefix: str) -> None:
    """Wait until what was said somewhere is withheld."""
    rows = "SELECT 1 AS yes FROM vanished WHERE prefix = :prefix AND withheld = 1"
    async with asyncio.timeout(PATIENCE):
        while not await lyra.app.memory.db.one(rows, {"prefix": json.dumps(prefix)}):
            await asyncio.sleep(0.01)


async def told(town: Town, place: Channel) -> str:
    """Wait for the one notice at a place that something is gone."""
    await town.server.pulse.until(lambda: notices(town, place), "a notice")
    (notice,) = notices(town, place)
    return notice


def notices(town: Town, place: Channel) -> list[str]:
    return [one.content for one in town.server.world.by_bot(place) if "privacy keep" in one.content and "gone" in one.content]


@pytest.mark.parametrize("down", [False, True], ids=["while she listens", "while she is down"])
async def test_what_was_said_in_a_deleted_channel_comes_up_no_more_and_its_owner_may_keep_it(
    town: Town, attic: Channel, model: OpenAIServer, down: bool
) -> None:
    boss = owner(town)
    dm = await boss.opens_dm()
    prefix = (str(town.guild.id), str(attic.id))
    async with town.lyra(model) as lyra:
        await town.says(boss, dm, "hello")
        await town.says(town.ada, attic, SECRET)
        await town.says(town.ada, town.general, "the door is green")
        assert "picture" in await town.reads(town.ada, town.general, "recall", query="picture")
        if not down:
            town.server.acts.delete_channel(attic)
            await withheld(lyra, *prefix)
            await comes_up_no_more(town, model)
    if down:
        town.server.acts.delete_channel(attic)
    async with town.lyra(model) as lyra:
        await withheld(lyra, *prefix)
        await comes_up_no_more(town, model)
        notice = await told(town, dm)
        assert "#attic in Home is gone" in notice and "/privacy keep #attic in Home" in notice
        assert "rule" in await town.reads(town.ada, await town.ada.opens_dm(), "privacy", choice="keep", name="attic")
        assert "DM" in await town.reads(boss, town.general, "privacy", choice="keep", name="attic")
        assert "Say which" in await town.reads(boss, dm, "privacy", choice="keep", name="cellar")
        assert "Kept: 2 messages from #attic in Home" in await town.reads(boss, dm, "privacy", choice="keep", name="#Attic")
        assert "picture" in await town.reads(town.ada, town.general, "recall", query="picture")
    async with town.lyra(model) as lyra:
        assert "picture" in await town.reads(town.ada, town.general, "recall", query="picture"), "it stays kept"
        assert await lyra.app.memory.disappearance.vanished("discord") == [] and len(notices(town, dm)) == 1


@pytest.mark.parametrize("why", ["has other roles", "left", "guard"])
async def test_who_rules_the_server_no_more_is_told_nothing_and_keeps_nothing(
    town: Town, attic: Channel, model: OpenAIServer, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unasked(adapter: Discord, person: Someone, server: str) -> None:
        return None

    if why == "guard":
        monkeypatch.setattr(Discord, "administers_server", unasked)
    eve = town.eve
    manager = town.server.world.role(town.guild, "manager", Right.MANAGE_GUILD)
    town.server.acts.change_member(town.guild, eve.user, manager)
    async with town.lyra(model) as lyra:
        dm = await eve.opens_dm()
        await town.says(eve, dm, "hello")
        await town.asks(eve, town.general, "settings")
        await town.says(town.ada, attic, SECRET)
        if why == "left":
            town.guild.members.pop(eve.user.id)
        else:
            town.server.acts.change_member(town.guild, eve.user)
        town.server.acts.delete_channel(attic)
        await withheld(lyra, str(town.guild.id), str(attic.id))
        answer = await town.reads(eve, dm, "privacy", choice="keep", name="#attic in Home")
        assert ("Kept" in answer, bool(notices(town, dm))) == ((True, True) if why == "guard" else (False, False))


async def comes_up_no_more(town: Town, model: OpenAIServer) -> None:
    assert "nothing" in await town.reads(town.ada, town.general, "recall", query="picture")
    assert "green" in await town.reads(town.ada, town.general, "recall", query="door")
    asked = len(model.requests)
    await town.says(town.ada, town.general, "what is behind something?")
    assert "the safe" not in "".join(map(prompt, model.requests[asked:]))


async def test_without_a_look_a_channel_deleted_meanwhile_would_come_up(town: Town, attic: Channel, model: OpenAIServer) -> None:
    async with town.lyra(model):
        await town.says(town.ada, attic, SECRET)
    town.server.acts.delete_channel(attic)
    async with town.lyra(model, kind=Unseeing) as lyra:
        await lyra.talk.history_comparison.through("discord")
        assert SECRET in await everything(lyra) and await lyra.app.memory.disappearance.vanished("discord") == []


async def test_nobody_keeps_it_and_after_a_week_it_is_forgotten(town: Town, attic: Channel, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, attic, SECRET)
        town.server.acts.delete_channel(attic)
        await withheld(lyra, str(town.guild.id), str(attic.id))
        async with lyra.app.memory.db.transaction() as tx:
            await tx.run("UPDATE vanished SET due = due - :week - 1", {"week": WEEK})
        await lyra.app.memory.sweep()
        assert await with_words(lyra.app.memory.db, "exchanges", "text", "picture") == []
        assert await lyra.app.memory.disappearance.vanished("discord") == []


@pytest.mark.parametrize("how", ["listening", "archived", "while she is down"])
async def test_a_deleted_thread_goes_alone(town: Town, model: OpenAIServer, how: str) -> None:
    thread = await town.ada.starts_thread(town.general, "holiday")
    async with town.lyra(model) as lyra:
        await town.says(town.ada, thread, SECRET)
        await town.says(town.ada, town.general, "the door is green")
        if how == "archived":
            town.server.acts.change_thread(thread, archived=True)
        if how != "while she is down":
            town.server.acts.delete_thread(thread)
            await withheld(lyra, str(town.guild.id), str(town.general.id), str(thread.id))
    if how == "while she is down":
        town.server.acts.delete_thread(thread)
    async with town.lyra(model) as lyra:
        await withheld(lyra, str(town.guild.id), str(town.general.id), str(thread.id))
        left = "\n".join(await everything(lyra))
        assert "picture" not in left and "green" in left


@pytest.mark.parametrize("down", [False, True], ids=["while she listens", "while she is down"])
async def test_a_server_that_she_is_thrown_out_of_comes_up_no_more_and_its_managers_are_told_where_they_talk_with_her(
    town: Town, model: OpenAIServer, down: bool
) -> None:
    dm, nowhere = await town.eve.opens_dm(), await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        for place in (dm, nowhere):
            await town.says(Person(town.server.hub, place.recipient or town.eve.user), place, "hello")
        await town.says(town.eve, town.staff, SECRET)
        if not down:
            town.server.acts.remove_bot(town.guild)
            await withheld(lyra, str(town.guild.id))
    if down:
        town.server.acts.remove_bot(town.guild)
    async with town.lyra(model) as lyra:
        await withheld(lyra, str(town.guild.id))
        assert SECRET not in await everything(lyra)
        assert "Home is gone" in await told(town, dm) and notices(town, nowhere) == []
        assert "Kept: 2 messages from Home." in await town.reads(town.eve, dm, "privacy", choice="keep", name="home")
        town.server.acts.add_bot(town.guild)
        town.server.world.channels[town.staff.id].overwrites.clear()
        await town.says(town.eve, town.staff, "here I am again")
        assert SECRET in await everything(lyra)


@pytest.mark.parametrize("what", ["an outage", "a hidden channel", "a broken request"])
async def test_what_is_only_out_of_reach_has_not_disappeared(town: Town, attic: Channel, model: OpenAIServer, what: str) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, attic, SECRET)
        if what == "an outage":
            town.server.acts.guild_fails(town.guild)
            await town.says(town.ada, await town.ada.opens_dm(), "hello")
            assert await lyra.app.memory.disappearance.vanished("discord") == []
            town.server.gateway.tell("GUILD_CREATE", lambda _: wire.guild_created(town.server.world, town.guild))
    if what == "a hidden channel":
        town.server.acts.overwrite(attic, town.server.world.bot, deny=Right.VIEW_CHANNEL)
    if what == "a broken request":
        unlisted = town.server.world.channels.pop(attic.id)
        town.server.faults.script("get_channel", *[Status(503)] * 3)
    async with town.lyra(model) as lyra:
        await lyra.talk.history_comparison.through("discord")
        assert await lyra.app.memory.disappearance.vanished("discord") == []
        assert SECRET in await everything(lyra)
    if what == "a broken request":
        town.server.world.channels[attic.id] = unlisted


async def test_a_question_from_a_channel_that_is_gone_is_neither_kept_nor_answered(
    town: Town, attic: Channel, model: OpenAIServer
) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, attic, "hello")
        await lyra.talk.mailboxes.drain(0)
        await town.ada.says(attic, f"{town.server.mention} {SECRET}")
        async with asyncio.timeout(PATIENCE):
            while not await lyra.app.memory.journal.unfinished("discord"):
                await asyncio.sleep(0.01)
    town.server.acts.delete_channel(attic)
    asked = len(model.requests)
    async with town.lyra(model) as lyra:
        await withheld(lyra, str(town.guild.id), str(attic.id))
        await lyra.heard()
        assert await lyra.app.memory.journal.unfinished("discord") == []
        rows = await lyra.app.memory.db.all("SELECT text FROM exchanges")
        assert SECRET not in [row["text"] for row in rows] and len(model.requests) == asked


async def test_what_its_author_had_forgotten_meanwhile_is_not_kept_with_the_rest(
    town: Town, attic: Channel, model: OpenAIServer
) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, attic, SECRET)
        await town.says(town.bob, attic, "the ladder is in the shed")
        town.server.acts.delete_channel(attic)
        await withheld(lyra, str(town.guild.id), str(attic.id))
        await town.asks(town.ada, town.general, "forget", what="all yes")
        assert await lyra.app.memory.disappearance.keep("discord", [str(town.guild.id), str(attic.id)])
        assert "ladder" in str(await everything(lyra)) and SECRET not in str(await everything(lyra))
