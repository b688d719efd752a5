"""Lyra's settings on Discord: who may see and change which, what each does from then on, and what /privacy tells."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from adapters.discord.adapter import Discord
from memory.types import DomainKind
from tests.fakes.discord import Message
from tests.fakes.discord.ids import made_at
from tests.fakes.openai_behaviours import Drip
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server, prompt, server_of
from tests.kits.discord_town import Town

NO_ADMIN = "Only those who run this place can see and change its settings; yours are in a DM with me."
FAR = "Asia/Kathmandu"

town = discord_town.town


def clock_there(said: Message, zone: str) -> str:
    """Return the time of day when something was said, as clocks of a zone show it."""
    at: datetime = made_at(said.id)
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M}"


async def chosen(lyra: Awake) -> list[tuple[str, ...]]:
    """Return the settings that are kept, but for what the adapter notes of its connection meanwhile."""
    kept = await lyra.app.memory.db.all("SELECT scope, key, value FROM settings ORDER BY scope, key")
    return [(row["scope"], row["key"], row["value"]) for row in kept if row["scope"] != "adapter:discord"]


# Who may see and change which


async def test_in_a_dm_everybody_sees_their_own_settings(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        shown = await town.reads(town.ada, dm, "settings")
        assert {"reach", "time zone", "streaming", "reflections"} <= {line.partition(":")[0] for line in shown.split("\n")}
        assert "listening" not in shown and "everyone" not in shown
        await town.reads(town.ada, dm, "settings", setting="reflections", value="on")
        assert "reflections: on" in await town.reads(town.ada, dm, "settings")
        assert "reflections: off" in await town.reads(town.bob, await town.bob.opens_dm(), "settings")


async def test_in_a_server_only_its_managers_see_and_change_settings(town: Town) -> None:
    async with town.lyra():
        for given in ({}, {"setting": "listening"}, {"setting": "listening", "value": "on"}):
            assert await town.reads(town.ada, town.general, "settings", **given) == NO_ADMIN
        shown = await town.reads(town.eve, town.general, "settings")
        assert {"answers", "listening", "everyone", "time zone", "streaming"} <= {
            line.partition(":")[0] for line in shown.split("\n")
        }
        assert "listening: off" in shown and "reach" not in shown


async def test_settings_of_one_kind_are_not_set_where_the_others_are(town: Town) -> None:
    dm = await town.eve.opens_dm()
    async with town.lyra():
        told = await town.reads(town.eve, town.general, "settings", setting="reach", value="on")
        assert told == '"reach" can be set in a DM with me only.'
        told = await town.reads(town.eve, dm, "settings", setting="listening", value="on")
        assert told == '"listening" can be set in a server or a room, by its admins only.'


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("answers", "sometimes", "answers is one of: mentioned, always."),
        ("listening", "maybe", "listening is one of: on, off."),
        ("streaming", "1", "streaming is one of: on, off."),
        ("time zone", "Mars", '"Mars" is not a time zone; write it like "Europe/Vienna".'),
        ("everyone", "members", "everyone is the id of a role, or off. Copy the id from the server's settings, under Roles."),
    ],
)
async def test_a_wrong_value_is_refused_and_changes_nothing(town: Town, setting: str, value: str, told: str) -> None:
    async with town.lyra() as lyra:
        before = await town.reads(town.eve, town.general, "settings", setting=setting)
        kept = await chosen(lyra)
        assert await town.reads(town.eve, town.general, "settings", setting=setting, value=value) == told
        assert await town.reads(town.eve, town.general, "settings", setting=setting) == before
        assert await chosen(lyra) == kept


# What each does


async def test_reach_lets_her_use_in_a_dm_what_the_person_can_read_elsewhere(town: Town) -> None:
    adas, bobs = await town.ada.opens_dm(), await town.bob.opens_dm()
    async with town.lyra():
        await town.says(town.eve, town.general, "The lighthouse is painted red.")
        await town.says(town.eve, town.staff, "The lighthouse costs too much.")
        nothing = 'I found nothing about "lighthouse".'
        assert await town.reads(town.ada, adas, "recall", query="lighthouse") == nothing
        for who, dm in ((town.ada, adas), (town.bob, bobs)):
            shown = await town.reads(who, dm, "settings", setting="reach", value="ON")
            assert shown.startswith("reach: on") and "\n" not in shown
        staffs = await town.asks(town.ada, adas, "recall", query="lighthouse")
        others = await town.asks(town.bob, bobs, "recall", query="lighthouse")
        assert "painted red" in staffs.shown and "costs too much" in staffs.shown and not staffs.controls()
        assert "painted red" in others.shown and "costs" not in others.shown
        await town.reads(town.ada, adas, "settings", setting="reach", value="off")
        assert await town.reads(town.ada, adas, "recall", query="lighthouse") == nothing


async def test_times_are_told_in_the_zone_that_was_set(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        private = await town.says(town.ada, dm, "My cat is called Mia.")
        public = await town.says(town.ada, town.general, "The cat of the harbour has no name.")
        assert (await town.reads(town.ada, dm, "settings", setting="time zone", value="asia/kathmandu")).startswith(
            f"time zone: {FAR}"
        )
        assert f"at {clock_there(private, FAR)}," in await town.reads(town.ada, dm, "recall", query="cat")
        elsewhere = await town.reads(town.ada, town.general, "recall", query="cat")
        assert f"at {clock_there(public, FAR)}," not in elsewhere
        await town.reads(town.eve, town.general, "settings", setting="time zone", value="Australia/Eucla")
        there = clock_there(public, "Australia/Eucla")
        assert f"at {there}," in await town.reads(town.ada, town.general, "recall", query="cat")
        assert f"at {clock_there(private, FAR)}," in await town.reads(town.ada, dm, "recall", query="cat")


async def test_always_has_her_answer_without_a_mention(town: Town) -> None:
    async with town.lyra() as lyra:
        await town.ada.says(town.general, "The first is for nobody.")
        hello = await town.says(town.ada, town.general, "Hello.")
        told = await town.reads(town.eve, town.general, "settings", setting="answers", value="always")
        assert told.startswith("answers: always")
        said = await town.ada.says(town.general, "The second is for nobody.")
        assert (await town.answer(said)).content == "Kept."
        await town.reads(town.eve, town.general, "settings", setting="answers", value="mentioned")
        await town.ada.says(town.general, "The third is for nobody.")
        await town.says(town.ada, town.general, "The fourth is for Lyra.")
        kept = [text for text in await lyra.kept(*server_of(town.guild)) if text.startswith("The ")]
        assert kept == ["The second is for nobody.", "The fourth is for Lyra."]
        assert not [
            one for one in town.server.world.said if one.reply_to not in (None, hello.id, said.id, town.general.history()[-2].id)
        ]


async def test_listening_is_announced_and_keeps_what_is_said_without_an_answer(town: Town) -> None:
    async with town.lyra() as lyra:
        await town.ada.says(town.general, "The first is not kept.")
        await town.says(town.ada, town.general, "Hello.")
        told = await town.reads(town.eve, town.general, "settings", setting="listening", value="on")
        assert told.startswith("listening: on")
        notice = [one for one in town.general.history() if one.author is town.server.world.bot][-1]
        assert notice.content == (
            "eve turned listening on: from now on I keep everything that is said here. /privacy says how to stop."
        )
        await town.ada.says(town.general, "The second is kept.")
        await town.says(town.ada, town.general, "The third is for Lyra.")
        assert "listening on: here I keep everything" in await town.reads(town.ada, town.general, "privacy")
        await town.reads(town.eve, town.general, "settings", setting="listening", value="off")
        assert "eve turned listening off: I keep only what is said to me." in [one.content for one in town.general.history()]
        await town.ada.says(town.general, "The fourth is not kept.")
        await town.says(town.ada, town.general, "The fifth is for Lyra.")
        kept = [text for text in await lyra.kept(*server_of(town.guild)) if text.startswith("The ")]
        assert kept == ["The second is kept.", "The third is for Lyra.", "The fifth is for Lyra."]


class Brisk(Discord):
    """Discord, as if it allowed many edits a second."""

    edit_seconds = 0.02


async def whole(town: Town, said: Message, end: str) -> Message:
    """Wait until the answer to a message stands there to its end, and return it."""
    answer = await town.answer(said)
    await town.server.pulse.until(lambda: answer.content.endswith(end), "the whole answer")
    return answer


async def test_streaming_shows_an_answer_while_it_is_made(town: Town) -> None:
    dm = await town.ada.opens_dm()
    places = {"on": (town.ada, dm, dm, town.ada), "off": (town.eve, town.general, town.general, town.ada)}
    async with model_server() as model, town.lyra(model, kind=Brisk):
        for value, (setter, where, place, speaker) in places.items():
            await town.says(speaker, place, "hello")
            told = await town.reads(setter, where, "settings", setting="streaming", value=value)
            assert told.startswith(f"streaming: {value}")
            model.script(Drip("Green tea is good for you", 0.05))
            said = await speaker.says(place, f"{town.server.mention} what about tea?")
            answer = await whole(town, said, "good for you")
            assert (len(answer.revisions) > 1) == (value == "on")
            assert all("Green tea is good for you".startswith(one) for one in answer.revisions)


async def test_the_role_that_is_everyone_decides_who_reads_a_channel(town: Town) -> None:
    world, guild = town.server.world, town.guild
    member = world.role(guild, "member")
    for who in (town.ada, town.bob, town.eve):
        world.join(guild, who.user, member)
    gated = world.channel(guild, "gated", only=(world.bot, member))
    async with town.lyra() as lyra:
        await town.says(town.ada, gated, "The password is sesame.")
        assert "The password is sesame." in await lyra.kept(DomainKind.CHANNEL, gated.id)
        assert "come up in this channel, and" in await town.reads(town.ada, gated, "privacy")
        told = await town.reads(town.eve, town.staff, "settings", setting="everyone", value=f"<@&{member.id}>")
        assert told.startswith(f"everyone: {member.id}")
        await town.says(town.ada, gated, "The newspaper comes at eight.")
        members = await lyra.kept(DomainKind.SERVER, f"{guild.id}/{member.id}")
        assert "The newspaper comes at eight." in members and "The password is sesame." not in members
        assert "anywhere in this server" in await town.reads(town.ada, gated, "privacy")
        assert (await town.reads(town.eve, town.staff, "settings", setting="everyone", value="off")).startswith(
            "everyone: everybody"
        )
        assert "come up in this channel, and" in await town.reads(town.ada, gated, "privacy")


async def test_settings_hold_after_a_restart(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        await town.reads(town.ada, dm, "settings", setting="time zone", value=FAR)
        await town.reads(town.eve, town.general, "settings", setting="everyone", value=str(town.guild.id))
    async with town.lyra():
        said = await town.says(town.ada, dm, "My cat is called Mia.")
        assert f"at {clock_there(said, FAR)}," in await town.reads(town.ada, dm, "recall", query="cat")
        assert f"everyone: {town.guild.id}" in await town.reads(town.eve, town.general, "settings")


# What /privacy tells


async def test_privacy_says_who_reads_what_is_kept(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        told = await town.reads(town.ada, dm, "privacy")
        assert "I tell it only to you" in told and "what I heard in servers" not in told
        assert "No model elsewhere gets any of it." in told and "/forget" in told and "/privacy stop" in told
        await town.reads(town.ada, dm, "settings", setting="reach", value="on")
        assert "You let me use here what I heard in servers" in await town.reads(town.ada, dm, "privacy")
        public = await town.reads(town.ada, town.general, "privacy")
        assert "anywhere in this server" in public and "by mention, in answer to me, or in my threads" in public
        assert "come up in this channel, and" in await town.reads(town.ada, town.staff, "privacy")


async def test_privacy_says_where_the_words_go(town: Town) -> None:
    async with model_server() as model, town.lyra(model):
        told = await town.reads(town.ada, town.general, "privacy")
        assert "words go to a model on this same machine" in told and "No word of it leaves" not in told


async def test_who_says_stop_is_kept_and_answered_no_more_until_they_resume(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "The first is kept.")
        assert "You told me to stop" in await town.reads(town.ada, dm, "privacy", choice="stop")
        stopped = [await town.ada.says(place, f"{town.server.mention} The second is not.") for place in (dm, town.general)]
        for place in (dm, town.general):
            for command, options in (("ask", {"text": "The second is not kept so either."}), ("again", {})):
                told = await town.reads(town.ada, place, command, **options)
                assert told == "You told me to keep nothing of yours; /privacy resume undoes it."
        await town.says(town.bob, town.general, "Bob goes on.")
        assert all("second" not in prompt(request) for request in lyra.chats)
        kept = " ".join(await lyra.kept(*server_of(town.guild)))
        assert "first is kept" in kept and "Bob goes on" in kept and "second" not in kept
        assert not [one for one in town.server.world.said if one.reply_to in [said.id for said in stopped]]
        assert "/privacy stop" in await town.reads(town.ada, dm, "privacy", choice="resume")
        await town.says(town.ada, dm, "The third is kept.")
        assert await lyra.kept(DomainKind.DM, town.ada.id) == ["The third is kept.", "You said: The third is kept."]


async def test_what_somebody_said_while_they_had_stopped_is_shown_to_no_model_once_they_resume(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model) as lyra:
        await town.reads(town.ada, dm, "privacy", choice="stop")
        told = await town.ada.says(town.general, "The harbour party is cancelled.")
        await town.reads(town.ada, dm, "privacy", choice="resume")
        await town.ada.says(town.general, "The boat is painted.")
        await town.says(town.bob, town.general, "What is new?")
        await town.answer(await town.bob.says(town.general, f"{town.server.mention} And this?", reply_to=told))
        summary = await town.reads(town.bob, town.general, "summarize", last=10)
        assert all("painted" in one for one in (*map(prompt, lyra.chats), summary))
        assert all("cancelled" not in one for one in (*map(prompt, lyra.chats), summary))
