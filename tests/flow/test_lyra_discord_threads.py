"""A thread for each conversation on Discord, where whoever runs a place wants that."""

from collections.abc import AsyncIterator

import pytest

from memory.tiers.messages import known
from memory.types import DomainKind
from tests.fakes.discord import Channel, Held, Message, Right, Status
from tests.kits import discord_town
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.discord_town import Town
from tests.kits.fresh import with_words
from tests.kits.memory_kit import KEY
from tests.kits.pages import holding

town = discord_town.town
SECRET = "The vault word is zanzibar7741, is that a good one?"


@pytest.fixture
async def lyra(town: Town) -> AsyncIterator[Awake]:
    async with model_server() as model, town.lyra(model) as lyra:
        assert (await town.reads(town.eve, town.general, "settings", setting="threads", value="on")).startswith("threads: on")
        yield lyra


async def thread_of(town: Town, said: Message) -> Channel:
    """Wait for her answer in the thread of a message; return that."""
    channels = town.server.world.channels
    await town.server.pulse.until(lambda: said.id in channels and said_in(town, channels[said.id]), "a thread with an answer")
    return channels[said.id]


def said_in(town: Town, thread: Channel) -> list[str]:
    """Return what she answered in a thread."""
    return [one.content for one in town.server.world.by_bot(thread) if one.content.startswith("You said")]


async def asks(town: Town, text: str) -> tuple[Message, Channel]:
    said = await town.ada.says(town.general, f"{town.server.mention} {text}")
    return said, await thread_of(town, said)


async def answers(town: Town, thread: Channel, n: int) -> list[str]:
    await town.server.pulse.until(lambda: len(said_in(town, thread)) >= n, "an answer")
    return said_in(town, thread)


async def test_a_mention_opens_a_thread_named_after_it_where_no_further_one_is_needed(town: Town, lyra: Awake) -> None:
    said, thread = await asks(
        town, "which tea is best in the morning, if one has to get up early and the kettle is broken?\nPlease."
    )
    assert thread.name == "which tea is best in the morning, if one has to get up…"
    assert not [one for one in town.server.world.by_bot(town.general) if one.reply_to], "she answers in the thread"
    for n, who in ((2, town.ada), (3, town.bob)):
        await who.says(thread, f"and number {n}?")
        assert (await answers(town, thread, n))[-1].endswith(f"and number {n}?")
    assert "which tea is best" in prompt(lyra.chats[-1]), "it is one conversation"
    await town.bob.says(town.general, "nobody asked her this")
    other, second = await asks(town, "and which cup?")
    assert second is not thread and other.id == second.id
    assert (await town.reads(town.ada, thread, "recall", query="kettle")).count("kettle") >= 1


async def test_an_archived_thread_goes_on_when_somebody_speaks_there(town: Town, lyra: Awake) -> None:
    _, thread = await asks(town, "which tea?")
    town.server.acts.change_thread(thread, archived=True)
    await town.ada.says(thread, "and which cup?")
    assert len(await answers(town, thread, 2)) == 2


@pytest.mark.parametrize("archived", [False, True], ids=["open", "closed"])
async def test_what_is_forgotten_takes_the_name_of_its_thread_along(town: Town, lyra: Awake, archived: bool) -> None:
    said, thread = await asks(town, SECRET)
    assert "zanzibar7741" in thread.name and "zanzibar7741" in await town.reads(town.bob, town.general, "sessions")
    await town.ada.says(thread, "and another thing, which stays")
    await answers(town, thread, 2)
    town.server.acts.change_thread(thread, archived=archived)
    await town.ada.deletes(said)
    await town.caught_up()
    await lyra.talk.tick()
    await town.server.pulse.until(lambda: "zanzibar" not in thread.name, "another name")
    await town.caught_up()
    assert thread.name == "Conversation" and thread.archived is archived
    assert "zanzibar7741" not in await town.reads(town.bob, town.general, "sessions")
    assert await with_words(lyra.app.memory.db, "sessions", "name", "zanzibar") == []


@pytest.mark.parametrize("how", ["forget", "confide", "say"])
async def test_what_is_kept_from_somebody_afterwards_takes_the_name_of_its_thread_along_at_once(
    town: Town, lyra: Awake, how: str
) -> None:
    said, thread = await asks(town, f"{SECRET} It is longer than the name of a thread may be, and goes on for a while.")
    assert "zanzibar7741" in thread.name and "zanzibar7741" in await town.reads(town.bob, town.general, "sessions")
    if how == "say":
        await town.ada.says(thread, "don't tell bob what I just said")
        await town.server.pulse.until(lambda: "zanzibar" not in thread.name, "another name")
    else:
        link = f"https://discord.com/channels/{town.guild.id}/{thread.id}/{said.id}"
        found = await (await lyra.view(DomainKind.SERVER, town.guild.id)).messages.find("discord", None, str(said.id))
        assert found is not None
        arguments = {"forget": {"what": link}, "confide": {"message": found.id, "who": "bob"}}[how]
        told = await (await town.ada.runs(thread, how, **arguments)).answer()
        assert "may not rename" not in told.shown
    assert thread.name == "Conversation"
    assert "zanzibar7741" not in await town.reads(town.bob, town.general, "sessions")


async def test_a_name_that_she_may_not_take_away_is_told_to_whoever_forgot_and_goes_once_she_may(town: Town, lyra: Awake) -> None:
    said, thread = await asks(town, SECRET)
    town.server.acts.change_thread(thread, archived=True, locked=True)
    await town.caught_up()
    told = await town.reads(town.ada, town.general, "forget", what=str(said.id))
    assert "The name of a thread still shows words of it, and I may not rename that one" in told
    assert "zanzibar7741" not in await town.reads(town.bob, town.general, "sessions")
    town.server.acts.change_thread(thread, locked=False)
    await town.caught_up()
    await lyra.talk.tick()
    assert thread.name == "Conversation"


async def test_what_stands_above_its_thread_is_not_taken_for_removed(town: Town, lyra: Awake) -> None:
    said, thread = await asks(town, "the lighthouse keeper is called Bertram, what do you think?")
    there = await lyra.adapter.message_presences(f'["{town.guild.id}", "{town.general.id}", "{thread.id}"]', [str(said.id)])
    assert there[str(said.id)].there
    link = lyra.adapter.link(f'["{town.guild.id}", "{town.general.id}", "{thread.id}"]', str(said.id))
    assert link.endswith(f"/{town.general.id}/{said.id}")


async def test_where_she_may_open_none_it_is_said_once_and_answered_in_the_channel(town: Town, lyra: Awake) -> None:
    everyone = town.guild.roles[town.guild.id]
    town.server.acts.overwrite(town.general, everyone, deny=Right.CREATE_PUBLIC_THREADS)
    for _ in range(2):
        await town.says(town.ada, town.general, "which tea?")
    told = [one for one in town.server.world.by_bot(town.general) if "I cannot open a thread here" in one.content]
    assert len(told) == 1 and not [one for one in town.server.world.channels.values() if one.is_thread]


async def test_off_the_record_none_is_opened(town: Town, lyra: Awake) -> None:
    await town.asks(town.eve, town.general, "incognito", what="on")
    await town.says(town.ada, town.general, SECRET)
    assert not [one for one in town.server.world.channels.values() if one.is_thread]
    assert holding(town.home, KEY, "zanzibar7741") == []


async def test_a_name_shows_no_address_that_may_not_pass(town: Town, lyra: Awake) -> None:
    _, thread = await asks(town, "is [this](https://evil.example/x) good? <@&1> @everyone")
    assert "](http" not in thread.name and "link removed" in thread.name


async def test_a_name_tells_nothing_that_is_told_in_confidence(town: Town, lyra: Awake) -> None:
    said = await town.ada.says(town.general, f"{town.server.mention} don't tell bob: my pin is zanzibar7741, is that a good one?")
    await town.caught_up()
    await lyra.heard()
    assert town.server.world.channels[said.id].name == "Conversation"
    assert "zanzibar7741" not in await town.reads(town.bob, town.general, "sessions")


async def test_a_name_shows_nothing_that_a_spoiler_hides(town: Town, lyra: Awake) -> None:
    _, thread = await asks(town, "do you know that ||Konrad\ndies|| in the end?")
    assert thread.name == "do you know that … in the end?"


async def test_what_begins_a_thread_is_followed_when_it_is_changed_and_nothing_else_makes_one(town: Town, lyra: Awake) -> None:
    said, thread = await asks(town, "the lighthouse keeper is called Bertram, is that right?")
    await town.ada.edits(said, f"{town.server.mention} the lighthouse keeper is called Konrad, is that right?")
    other = await town.bob.says(town.general, "nobody asked her this")
    await town.bob.edits(other, "nobody asks her this")
    await town.caught_up()
    await lyra.heard()
    kept = "\n".join(await lyra.kept(DomainKind.SERVER, town.guild.id))
    assert "Konrad" in kept and "Bertram" not in kept
    sessions = await lyra.app.memory.db.all("SELECT place FROM sessions WHERE place LIKE :like", {"like": f'%"{other.id}"%'})
    assert sessions == []
    await lyra.talk.tick()
    await town.server.pulse.until(lambda: "Bertram" not in thread.name, "another name")
    await town.caught_up()
    await lyra.heard()
    assert "Bertram" not in await town.reads(town.bob, town.general, "sessions")
    assert await with_words(lyra.app.memory.db, "sessions", "name", "Bertram") == []


async def test_where_none_can_be_opened_just_now_it_is_answered_in_the_channel_without_a_word_of_it(
    town: Town, lyra: Awake
) -> None:
    # discord.py takes a 503 for an answer; a 502 it asks about again for 25 s.
    town.server.faults.script("create_thread_from_message", Status(503))
    await town.says(town.ada, town.general, "which tea?")
    assert not [one for one in town.server.world.by_bot(town.general) if "I cannot open a thread here" in one.content]
    _, thread = await asks(town, "and which cup?")
    assert thread.name == "and which cup?"


async def held_back(town: Town, text: str) -> tuple[Message, Held]:
    """Ask, and hold the request for a thread back; return what was said and what lets that go on."""
    opening = Held(before=True)
    town.server.faults.script("create_thread_from_message", opening)
    said = await town.ada.says(town.general, f"{town.server.mention} {text}")
    await opening.reached.wait()
    return said, opening


async def quick_mentions(town: Town) -> tuple[Message, Message, Channel]:
    """Say two things in a row, the second before the first has its thread; wait until both are answered."""
    first, opening = await held_back(town, "hello")
    second = await town.ada.says(town.general, f"{town.server.mention} the lighthouse keeper is called Bertram, right?")
    await town.caught_up()
    opening.go.set()
    thread = await thread_of(town, first)
    await town.server.pulse.until(lambda: any("Bertram" in one for one in said_in(town, thread)), "an answer to both")
    return first, second, thread


async def test_what_is_said_before_the_thread_stands_belongs_to_it(town: Town, lyra: Awake) -> None:
    first, second, thread = await quick_mentions(town)
    await town.caught_up()
    await lyra.heard()
    assert [one.id for one in town.server.world.channels.values() if one.is_thread] == [first.id]
    assert not [one for one in town.server.world.by_bot(town.general) if one.reply_to]
    place = f'["{town.guild.id}", "{town.general.id}", "{thread.id}"]'
    there = await lyra.adapter.message_presences(place, [str(second.id), str(first.id)])
    assert {id: one.there for id, one in there.items()} == {str(first.id): True, str(second.id): True}
    assert lyra.adapter.link(place, str(second.id)).endswith(f"/{town.general.id}/{second.id}")
    # Once the thread stands, people see it: what is said in the channel then begins another.
    _, other = await asks(town, "and which tea?")
    assert other is not thread


async def test_what_was_said_beside_its_thread_is_found_where_it_stands_once_that_is_closed(town: Town) -> None:
    async with model_server() as model:
        async with town.lyra(model) as lyra:
            await town.reads(town.eve, town.general, "settings", setting="threads", value="on")
            first, second, thread = await quick_mentions(town)
            inside = await town.ada.says(thread, "and which cup?")
            await answers(town, thread, 3)
            place = f'["{town.guild.id}", "{town.general.id}", "{thread.id}"]'
            stands = {first: town.general, second: town.general, inside: thread}
            town.server.acts.change_thread(thread, archived=True)
            await town.caught_up()
            assert all(lyra.adapter.link(place, str(one.id)).endswith(f"/{at.id}/{one.id}") for one, at in stands.items())
        async with town.lyra(model) as lyra:
            assert all(lyra.adapter.link(place, str(one.id)).endswith(f"/{at.id}/{one.id}") for one, at in stands.items())


@pytest.mark.parametrize("how", ["edited", "removed"])
async def test_what_was_said_beside_its_thread_is_followed_where_it_stands(town: Town, lyra: Awake, how: str) -> None:
    _, second, _ = await quick_mentions(town)
    if how == "edited":
        await town.ada.edits(second, f"{town.server.mention} the lighthouse keeper is called Konrad, right?")
    else:
        await town.ada.deletes(second)
    await town.caught_up()
    await lyra.heard()
    kept = "\n".join(await lyra.kept(DomainKind.SERVER, town.guild.id))
    assert "Bertram" not in kept and ("Konrad" in kept) is (how == "edited")


async def test_two_people_who_speak_at_once_have_a_thread_each(town: Town, lyra: Awake) -> None:
    first, opening = await held_back(town, "which tea?")
    other = await town.bob.says(town.general, f"{town.server.mention} which cup?")
    opening.go.set()
    assert (await thread_of(town, first)).id == first.id and (await thread_of(town, other)).id == other.id


async def test_where_the_first_gets_no_thread_the_second_is_answered_in_the_channel_too(town: Town, lyra: Awake) -> None:
    first, opening = await held_back(town, "which tea?")
    second = await town.ada.says(town.general, f"{town.server.mention} which cup?")
    await town.caught_up()
    everyone = town.guild.roles[town.guild.id]
    town.server.acts.overwrite(town.general, everyone, deny=Right.CREATE_PUBLIC_THREADS)
    opening.go.set()
    await town.answer(first)
    await town.answer(second)
    assert not [one for one in town.server.world.channels.values() if one.is_thread]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_what_is_forgotten_in_a_thread_is_not_shown_by_who_quotes_it_in_the_channel(
    town: Town, lyra: Awake, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(known, "_is_in_thread", lambda place: False)
    first, second, thread = await quick_mentions(town)
    await town.reads(town.ada, thread, "forget", what=str(second.id))
    asked = len(lyra.chats)
    await town.bob.says(town.general, f"{town.server.mention} is that so?", reply_to=second)
    await town.server.pulse.until(lambda: len(lyra.chats) > asked, "a question of the model")
    assert ("Bertram" in prompt(lyra.chats[-1])) is not guarded
