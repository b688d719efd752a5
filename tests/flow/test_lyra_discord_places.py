"""Where people talk to Lyra on Discord: every place is a conversation of its own, and what is not for her passes by."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, DiscordServer, Guild, Kind, Right
from tests.kits.discord_home import prompt, question, server_of, sound
from tests.kits.discord_knowing import Thoughtful, Town, answers, everything, introductions

Where = Callable[[Town, Guild, Channel], Awaitable[tuple[Channel, DomainKind, int, str]]]


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with DiscordServer() as server, Thoughtful() as model:
        yield Town(server, model, tmp_path, monkeypatch)
        sound(server)


@pytest.fixture
def home(town: Town) -> Guild:
    guild = town.server.world.guild("Home", bot_rights=Right.MENTION_EVERYONE)
    town.server.world.join(guild, town.person("eve").user, town.server.world.role(guild, "manager", Right.MANAGE_GUILD))
    return guild


@pytest.fixture
def general(town: Town, home: Guild) -> Channel:
    return town.server.world.channel(home, "general")


def aloud(town: Town, place: Channel) -> list[str]:
    """Return what Lyra said at a place for everyone there to read."""
    return [one.content for one in town.server.world.by_bot(place) if not one.ephemeral]


# Every kind of place


async def in_a_dm(town: Town, _: Guild, __: Channel) -> tuple[Channel, DomainKind, int, str]:
    ada = town.person("ada")
    return await ada.opens_dm(), DomainKind.DM, ada.id, "DM"


async def in_a_channel(_: Town, home: Guild, general: Channel) -> tuple[Channel, DomainKind, int, str]:
    return general, DomainKind.SERVER, home.id, "#general"


async def in_a_thread(town: Town, home: Guild, general: Channel) -> tuple[Channel, DomainKind, int, str]:
    return await town.person("ada").starts_thread(general, "Plans"), DomainKind.SERVER, home.id, "Plans"


async def in_a_forum(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    forum = town.server.world.forum(home, "ideas")
    return await town.person("ada").starts_thread(forum, "Wishes", text="what do we want?"), DomainKind.SERVER, home.id, "Wishes"


async def in_a_private_thread(town: Town, _: Guild, general: Channel) -> tuple[Channel, DomainKind, int, str]:
    thread = await town.person("ada").starts_thread(general, "A surprise", private=True)
    await town.person("ada").invites(thread)
    return thread, DomainKind.CHANNEL, thread.id, "A surprise"


async def in_a_restricted_channel(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    staff = town.server.world.channel(home, "staff", only=(town.server.world.bot, town.person("ada").user))
    return staff, DomainKind.CHANNEL, staff.id, "#staff"


async def in_a_thread_of_a_restricted_channel(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    staff = town.server.world.channel(home, "staff", only=(town.server.world.bot, town.person("ada").user))
    return await town.person("ada").starts_thread(staff, "Rota"), DomainKind.CHANNEL, staff.id, "Rota"


async def in_an_announcement_channel(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    return town.server.world.channel(home, "news", Kind.NEWS), DomainKind.SERVER, home.id, "#news"


async def in_a_thread_of_an_announcement(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    news = town.server.world.channel(home, "news", Kind.NEWS)
    return await town.person("ada").starts_thread(news, "Why?"), DomainKind.SERVER, home.id, "Why?"


async def beside_a_stage(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    stage = town.server.world.channel(home, "talks", Kind.STAGE)
    return stage, DomainKind.CHANNEL, stage.id, "#talks"


async def in_a_channel_for_adults(town: Town, home: Guild, _: Channel) -> tuple[Channel, DomainKind, int, str]:
    bar = town.server.world.channel(home, "bar")
    bar.age_restricted = True
    return bar, DomainKind.CHANNEL, bar.id, "#bar"


async def in_a_thread_for_adults(town: Town, home: Guild, general: Channel) -> tuple[Channel, DomainKind, int, str]:
    bar, *_ = await in_a_channel_for_adults(town, home, general)
    return await town.person("ada").starts_thread(bar, "Late"), DomainKind.CHANNEL, bar.id, "Late"


KINDS: list[Where] = [
    in_a_dm, in_a_channel, in_a_thread, in_a_forum, in_a_private_thread, in_a_restricted_channel,
    in_a_thread_of_a_restricted_channel, in_an_announcement_channel, in_a_thread_of_an_announcement, beside_a_stage,
    in_a_channel_for_adults, in_a_thread_for_adults,
]  # fmt: skip


@pytest.mark.parametrize("where", KINDS, ids=[where.__name__ for where in KINDS])
async def test_a_place_is_a_conversation_named_after_it_kept_for_those_who_read_it(
    town: Town, home: Guild, general: Channel, where: Where
) -> None:
    place, kind, native_id, name = await where(town, home, general)
    async with town.lyra() as lyra:
        told = await town.asks("ada", place, "the boat leaves at seven")
        view = await lyra.view(kind, native_id)
        assert [session.name for session in await view.sessions.all()] == [name]
        assert await lyra.kept(kind, native_id) == ["the boat leaves at seven", told.content]
        assert await everything(lyra) == ["the boat leaves at seven", told.content]
        assert introductions(town.server) == [place]


async def test_channel_and_thread_of_one_server_are_two_conversations_in_one_memory(
    town: Town, home: Guild, general: Channel
) -> None:
    async with town.lyra() as lyra:
        thread = await town.person("ada").starts_thread(general, "Plans")
        await town.asks("ada", general, "the boat leaves at seven")
        await town.asks("ada", thread, "the boat is called Iris")
        view = await lyra.view(*server_of(home))
        assert {session.name: session.messages for session in await view.sessions.all()} == {"Plans": 2, "#general": 2}
        await town.asks("ada", thread, "when does the boat leave?")
        assert "ada: the boat leaves at seven" in prompt(lyra.chats[-1])


# Who is addressed


async def test_a_reply_to_her_needs_no_mention(town: Town, general: Channel) -> None:
    async with town.lyra():
        told = await town.asks("ada", general, "the boat leaves at seven")
        asked = await town.person("bob").says(general, "which boat?", reply_to=told, ping=False)
        assert (await town.answer(asked)).content == "You said: bob: which boat?"


async def test_a_thread_she_was_called_into_needs_no_mention_afterwards(town: Town, general: Channel) -> None:
    async with town.lyra():
        thread = await town.person("ada").starts_thread(general, "Plans")
        before = await town.person("ada").says(thread, "before she came")
        await town.asks("ada", thread, "are you with us?")
        after = await town.person("bob").says(thread, "which boat?")
        assert (await town.answer(after)).content == "You said: bob: which boat?"
        assert answers(town.server, before) == []


async def test_what_is_not_for_her_is_neither_answered_nor_kept_but_seen_by_who_asks_next(town: Town, general: Channel) -> None:
    async with town.lyra() as lyra:
        chatter = await town.person("bob").says(general, "the kettle is on")
        told = await town.asks("ada", general, "is there tea?")
        assert "Just before, others said here:\n> bob: the kettle is on" in prompt(lyra.chats[-1])
        assert answers(town.server, chatter) == []
        assert await everything(lyra) == ["is there tea?", told.content]


async def test_what_a_question_answers_is_seen_and_not_kept(town: Town, general: Channel) -> None:
    async with town.lyra() as lyra:
        said = await town.person("bob").says(general, "the ferry sinks at noon")
        for n in range(12):
            await town.person("bob").says(general, f"something else {n}")
        asked = await town.person("ada").says(general, f"{town.server.mention} is that so?", reply_to=said)
        told = await town.answer(asked)
        assert "The message answers this:\n> bob: the ferry sinks at noon" in prompt(lyra.chats[-1])
        assert await everything(lyra) == ["is that so?", told.content]


async def test_in_a_dm_nothing_is_read_of_what_was_said_before(town: Town) -> None:
    dm = await town.person("ada").opens_dm()
    async with town.lyra() as lyra:
        await (await town.person("ada").runs(dm, "privacy", choice="stop")).answer()
        await town.person("ada").says(dm, "this stays between me and nobody")
        await (await town.person("ada").runs(dm, "privacy", choice="resume")).answer()
        await town.asks("ada", dm, "hello")
        assert "between me and nobody" not in prompt(lyra.chats[-1])
        assert "between me and nobody" not in "\n".join(await everything(lyra))


async def test_where_an_admin_says_so_everything_is_answered(town: Town, home: Guild, general: Channel) -> None:
    lobby = town.server.world.channel(home, "lobby")
    async with town.lyra() as lyra:
        assert (await town.sets("eve", general, "answers", "always")).startswith("answers: always")
        elsewhere = await town.person("bob").says(lobby, "is anybody there?")
        asked = await town.person("bob").says(general, "is anybody here?")
        assert (await town.answer(asked)).content == "You said: bob: is anybody here?"
        await town.asks("bob", lobby, "and now?")
        assert answers(town.server, elsewhere) == []
        assert "is anybody there?" not in await lyra.kept(*server_of(home))


async def test_listening_is_announced_aloud_and_keeps_without_answering(town: Town, home: Guild, general: Channel) -> None:
    async with town.lyra() as lyra:
        await town.sets("eve", general, "listening", "on")
        [told_to_all] = aloud(town, general)
        assert told_to_all.startswith("eve turned listening on: from now on I keep everything that is said here.")
        chatter = await town.person("bob").says(general, "the kettle is on")
        told = await town.asks("ada", general, "is there tea?")
        assert await lyra.kept(*server_of(home)) == ["the kettle is on", "is there tea?", told.content]
        assert answers(town.server, chatter) == []
        await town.sets("eve", general, "listening", "off")
        assert aloud(town, general)[-1] == "eve turned listening off: I keep only what is said to me."
        await town.person("bob").says(general, "the kettle is off")
        await town.asks("ada", general, "and now?")
        assert "the kettle is off" not in await lyra.kept(*server_of(home))


async def test_only_who_rules_a_server_changes_how_she_behaves_there(town: Town, general: Channel) -> None:
    async with town.lyra():
        told = await town.sets("bob", general, "listening", "on")
        assert told.startswith("Only those who run this place can")
        assert aloud(town, general) == []


# The answer


async def test_the_answer_is_a_reply_and_pings_the_asker_alone(town: Town, home: Guild, general: Channel) -> None:
    bob, role = town.person("bob"), town.server.world.role(home, "crew")
    bob.joins(home)
    async with town.lyra():
        town.model.script(f"@everyone @here {bob.mention} <@&{role.id}> come aboard")
        asked = await town.person("ada").says(general, f"{town.server.mention} call them")
        told = await town.answer(asked)
        assert told.reply_to == asked.id
        assert told.mentions == [town.person("ada").user]
        assert told.mention_roles == [] and not told.mention_everyone


async def test_every_line_in_the_prompt_says_who_spoke(town: Town, general: Channel) -> None:
    async with town.lyra() as lyra:
        await town.asks("ada", general, "I like red")
        await town.asks("bob", general, "I like blue")
        await town.asks("ada", general, "who likes what?")
        users = [message["content"] for message in lyra.chats[-1].messages if message["role"] == "user"]
        assert users[:2] == ["ada: I like red", "bob: I like blue"]
        assert question(lyra.chats[-1]) == "ada: who likes what?"


# First contact


async def test_she_says_who_she_is_once_for_each_circle_of_readers_over_restarts_too(
    town: Town, home: Guild, general: Channel
) -> None:
    staff = town.server.world.channel(home, "staff", only=(town.server.world.bot, town.person("ada").user))
    lobby = town.server.world.channel(home, "lobby")
    dm = await town.person("ada").opens_dm()
    for _ in range(2):
        async with town.lyra():
            for place in (dm, general, lobby, staff, dm, general):
                await town.asks("ada", place, "hello")
    assert introductions(town.server) == [dm, general, staff]
    [alone, among, few] = [one.content for one in town.server.world.said if one.content.startswith("Hello, I am Lyra")]
    assert "tell it to nobody else" in alone and among == few
    for text in (alone, among):
        assert "I keep" in text and "/forget" in text and "/privacy says more, and how to stop" in text


async def test_let_into_a_server_she_says_who_she_is_once(town: Town, home: Guild) -> None:
    world = town.server.world
    club = world.guild("Club", with_bot=False)
    lounge = world.channel(club, "lounge")
    async with town.lyra():
        town.server.acts.add_bot(club)
        await town.server.sent(1, lounge)
        await town.asks("ada", lounge, "hello")
    async with town.lyra():
        await town.asks("ada", lounge, "hello again")
    assert introductions(town.server) == [lounge]
