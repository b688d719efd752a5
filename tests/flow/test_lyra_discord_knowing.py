"""Who may know, on Discord: words reach a prompt only where every reader could read them, whatever changes meanwhile."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from pathlib import Path

import pytest

from adapters.discord.adapter import Discord
from adapters.events import Circle, Person, Reach
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, Identity, Kind, NewExchange
from memory.view.view import View
from tests.fakes.discord import DiscordServer, Guild, Message, Right, Role
from tests.fakes.discord.things import Kind as ChannelKind
from tests.kits.discord_home import Awake, prompt, sound
from tests.kits.discord_knowing import Believing, Everything, Thoughtful, Town, everything

FACT = "my locker number is 7741"
CANARY = "7741"
ASKED = "what is my locker number?"
REACH = ("general", "club", "staff", "secret")


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """Two servers; in one of them a channel for the crew, one for the board, and a private thread. Ada is everywhere."""
    async with DiscordServer() as server, Thoughtful() as model:
        world, ada, bob = server.world, server.person("ada"), server.person("bob")
        home, club = world.guild("Home"), world.guild("Club")
        crew = world.role(home, "crew")
        town = Town(server, model, tmp_path, monkeypatch)
        general = world.channel(home, "general")
        world.join(home, bob.user)
        world.join(home, ada.user, crew)
        town.names.update({
            "general": general,
            "lobby": world.channel(home, "lobby"),
            "staff": world.channel(home, "staff", only=(world.bot, crew)),
            "board": world.channel(home, "board", only=(world.bot, ada.user)),
            "plans": await ada.starts_thread(general, "Plans"),
            "secret": await ada.starts_thread(general, "A surprise", private=True),
            "bar": world.channel(home, "bar"),
            "club": world.channel(club, "lounge"),
            "dm": await ada.opens_dm(),
            "bob's dm": await bob.opens_dm(),
        })  # fmt: skip
        town.names["bar"].age_restricted = True
        await ada.invites(town.names["secret"])
        yield town
        sound(server)


def home_of(town: Town) -> Guild:
    guild = town.names["general"].guild
    assert guild
    return guild


def crew_of(town: Town) -> Role:
    return next(role for role in home_of(town).roles.values() if role.name == "crew")


async def speaks(town: Town, place: str, text: str) -> None:
    """Say something where it belongs: in a DM its own person, elsewhere Ada."""
    await town.asks("bob" if place == "bob's dm" else "ada", town.names[place], text)


async def leaks(town: Town, lyra: Awake, asked: str) -> bool:
    """Ask at a place, and say whether the canary was in anything that the model was given since, or that was sent there."""
    before = len(lyra.chats)
    await speaks(town, asked, ASKED)
    given = [prompt(chat) for chat in lyra.chats[before:]]
    sent = [one.content for one in town.server.world.by_bot(town.names[asked])]
    assert given
    return any(CANARY in text for text in (*given, *sent))


# What is said in one place and asked in another

APART = {
    "dm": ("general", "staff", "bob's dm", "club", "secret"),
    "staff": ("general", "plans", "board", "dm", "secret"),
    "secret": ("general", "staff"),
    "general": ("club", "dm"),
    "club": ("staff",),
    "bar": ("general", "staff"),
}
TOGETHER = {"plans": ("general",), "general": ("lobby", "plans", "staff", "secret", "bar")}


@pytest.mark.parametrize("heard", APART)
async def test_words_do_not_reach_those_who_could_not_read_them(town: Town, heard: str) -> None:
    async with town.lyra() as lyra:
        await speaks(town, heard, FACT)
        assert FACT in await everything(lyra)
        assert [asked for asked in APART[heard] if await leaks(town, lyra, asked)] == []


@pytest.mark.parametrize(("heard", "asked"), [(heard, one) for heard, asked in TOGETHER.items() for one in asked])
async def test_words_reach_those_who_can_all_read_them(town: Town, heard: str, asked: str) -> None:
    async with town.lyra() as lyra:
        await speaks(town, heard, FACT)
        assert await leaks(town, lyra, asked)


async def test_without_the_guard_every_one_of_these_would_leak(town: Town) -> None:
    async with town.lyra(domains=Everything) as lyra:
        await speaks(town, "dm", FACT)
        for asked in ("general", "staff", "bob's dm", "club", "secret"):
            assert await leaks(town, lyra, asked)


# One person, several places


def people(town: Town) -> str:
    return f'[people.ada]\nconsole = "ada"\ndiscord = "{town.person("ada").id}"\n'


async def at_the_console(lyra: Awake, text: str, name: str = "ada") -> View:
    """Keep what somebody says at the terminal, and return that person's memory."""
    view = await lyra.app.view(name)
    session = await view.sessions.get(await view.sessions.active("console", "main"), "main")
    now = lyra.app.base.clock.now()
    await view.say(session, [NewExchange(Kind.SAID, text, "1", now, name, "user", Identity("console", name))])
    return view


async def recalls(view: View) -> bool:
    return any(CANARY in hit.exchange.text for hit in await view.recall.messages(ASKED, 5))


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "not declared"])
async def test_a_persons_dm_and_terminal_read_each_other_where_the_operator_says_so(town: Town, declared: bool) -> None:
    async with town.lyra(config=people(town) if declared else "") as lyra:
        await at_the_console(lyra, FACT)
        assert await leaks(town, lyra, "dm") is declared
        assert not await leaks(town, lyra, "bob's dm") and not await leaks(town, lyra, "general")


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "not declared"])
async def test_the_terminal_reads_its_persons_dm_and_nobody_elses(town: Town, declared: bool) -> None:
    async with town.lyra(config=people(town) if declared else "") as lyra:
        await speaks(town, "dm", FACT)
        assert await recalls(await lyra.app.view("ada")) is declared
        assert not await recalls(await lyra.app.view("bob"))


@pytest.mark.parametrize("heard", REACH)
async def test_a_dm_reaches_what_its_person_can_read_once_they_say_so(town: Town, heard: str) -> None:
    async with town.lyra() as lyra:
        await speaks(town, heard, FACT)
        assert not await leaks(town, lyra, "dm")
        assert (await town.sets("ada", town.names["dm"], "reach", "on")).startswith("reach: on")
        assert await leaks(town, lyra, "dm")
        assert not await leaks(town, lyra, "bob's dm")


async def test_a_dm_does_not_reach_what_is_for_adults_as_nobody_tells_who_is_one(town: Town) -> None:
    async with town.lyra() as lyra:
        await speaks(town, "bar", FACT)
        await town.sets("ada", town.names["dm"], "reach", "on")
        assert not await leaks(town, lyra, "dm")


class Kindless(Discord):
    """The guard of kinds switched off: an id is an id, be it a channel's or a server's."""

    async def readable_circles(self, person: Person, circles: Collection[Circle], spoken: Collection[Circle] = ()) -> set[Circle]:
        """Take every circle for that of a server as well."""
        servers = await super().readable_circles(person, [Circle(Reach.PUBLIC, one.id) for one in circles])
        return {one for one in circles if Circle(Reach.PUBLIC, one.id) in servers}


@pytest.mark.parametrize("discord", [Discord, Kindless], ids=["guarded", "without the guard"])
async def test_a_channel_that_bears_the_id_of_its_server_is_not_read_as_the_server(town: Town, discord: type[Discord]) -> None:
    """In servers from before 2017 the first channel does."""
    home = home_of(town)
    only = (town.server.world.bot, crew_of(town))
    town.names["oldest"] = town.server.world.channel(home, "oldest", only=only, number=home.id)
    async with town.lyra(discord=discord) as lyra:
        await speaks(town, "general", "the party is on Friday")
        await speaks(town, "oldest", FACT)
        for name in ("ada", "bob"):
            await town.sets(name, town.names["dm" if name == "ada" else "bob's dm"], "reach", "on")
        assert await leaks(town, lyra, "bob's dm") is (discord is Kindless)
        if discord is Discord:
            assert await leaks(town, lyra, "dm"), "ada reads that channel"
            await speaks(town, "bob's dm", "when is the party?")
            assert "on Friday" in prompt(lyra.chats[-1]), "and bob what everyone reads"


async def leaves(town: Town) -> None:
    del home_of(town).members[town.person("ada").id]


async def loses_the_role(town: Town) -> None:
    town.server.acts.change_member(home_of(town), town.person("ada").user)


async def leaves_the_thread(town: Town) -> None:
    town.server.acts.leave_thread(town.names["secret"], town.person("ada").user)


LOST = [("general", leaves), ("staff", leaves), ("staff", loses_the_role), ("secret", leaves_the_thread), ("secret", leaves)]


@pytest.mark.parametrize(("heard", "lost"), LOST, ids=[f"{heard}, {lost.__name__}" for heard, lost in LOST])
async def test_a_dm_reaches_only_what_its_person_can_read_now(
    town: Town, heard: str, lost: Callable[[Town], Awaitable[None]]
) -> None:
    async with town.lyra() as lyra:
        await speaks(town, heard, FACT)
        await town.sets("ada", town.names["dm"], "reach", "on")
        assert await leaks(town, lyra, "dm")
        await lost(town)
        assert not await leaks(town, lyra, "dm")


async def test_without_asking_discord_it_would_still_reach_what_was_lost(town: Town) -> None:
    async with town.lyra(discord=Believing) as lyra:
        await speaks(town, "staff", FACT)
        await town.sets("ada", town.names["dm"], "reach", "on")
        await loses_the_role(town)
        assert await leaks(town, lyra, "dm")


async def test_what_remains_readable_is_still_reached_after_a_role_is_lost(town: Town) -> None:
    async with town.lyra() as lyra:
        await speaks(town, "general", FACT)
        await town.sets("ada", town.names["dm"], "reach", "on")
        await loses_the_role(town)
        assert await leaks(town, lyra, "dm")


@pytest.mark.parametrize(("reach", "found"), [("on", False), ("off", True)], ids=["drew on a server", "drew on nothing else"])
async def test_an_answer_that_drew_on_another_domain_is_never_recalled(town: Town, reach: str, found: bool) -> None:
    dm = town.names["dm"]
    async with town.lyra() as lyra:
        await speaks(town, "general", FACT)
        await town.sets("ada", dm, "reach", reach)
        town.model.script("Your locker is the kestrel one.")
        await speaks(town, "dm", ASKED)
        await town.sets("ada", dm, "reach", "off")
        view = await lyra.view(DomainKind.DM, town.person("ada").id)
        hits = await view.recall.messages("kestrel locker", 5)
        assert any("kestrel" in hit.exchange.text for hit in hits) is found
        told = await (await town.person("ada").runs(dm, "recall", query="kestrel")).answer()
        assert ("kestrel one" in told.shown) is found


@pytest.mark.parametrize("domains", [DomainAccess, Everything], ids=["guarded", "unguarded"])
async def test_a_canary_in_every_place_is_seen_by_its_readers_alone(town: Town, domains: type[DomainAccess]) -> None:
    reads = {
        "general": {"general", "lobby", "plans"}, "club": {"club"}, "dm": {"dm"}, "bob's dm": {"bob's dm"}, "board": {"board"},
    }  # fmt: skip
    async with town.lyra(domains=domains) as lyra:
        for at, name in enumerate(town.names):
            await speaks(town, name, f"my locker number is 88{at}99")
        seen: dict[str, set[str]] = {}
        for name in reads:
            await speaks(town, name, ASKED)
            given = prompt(lyra.chats[-1])
            seen[name] = {other for at, other in enumerate(town.names) if f"88{at}99" in given}
    public = {"general", "lobby", "plans"}
    reads["board"] |= public
    guarded = all(seen[name] <= reads[name] and name in seen[name] for name in reads)
    assert guarded is (domains is DomainAccess), seen


async def test_who_may_not_come_into_a_voice_channel_reads_nothing_of_its_chat(town: Town) -> None:
    """Discord shows the chat of a voice channel to those alone who may connect to it, though others see its name."""
    voices = town.names["voices"] = town.server.world.channel(home_of(town), "voices", ChannelKind.VOICE)
    async with town.lyra():
        await speaks(town, "voices", FACT)
        await town.sets("ada", town.names["dm"], "reach", "on")
        told = await (await town.person("ada").runs(town.names["dm"], "recall", query="locker number")).answer()
        assert CANARY in told.shown
        town.server.acts.overwrite(voices, crew_of(town), deny=Right.CONNECT)
        await speaks(town, "bob's dm", "are you there?")
        told = await (await town.person("ada").runs(town.names["dm"], "recall", query="locker number")).answer()
        assert CANARY not in told.shown


# What an answer took along

REPEATS = "Your locker number is 7741."


async def repeats_itself(town: Town, lyra: Awake) -> Message:
    """Have a DM reach what was said to the staff, and make a second answer there of the first one alone; return what was said."""
    told = await town.person("ada").says(town.names["staff"], f"{town.server.mention} {FACT}")
    await town.answer(told)
    await town.sets("ada", town.names["dm"], "reach", "on")
    town.model.script(REPEATS, "As I said: 7741.")
    await speaks(town, "dm", ASKED)
    assert FACT in prompt(lyra.chats[-1])
    await speaks(town, "dm", "say that again")
    assert REPEATS in prompt(lyra.chats[-1]) and FACT not in prompt(lyra.chats[-1])
    return told


async def in_view(town: Town, lyra: Awake) -> bool:
    """Say whether the canary stands in view of a DM that asks for nothing, or is found there."""
    await speaks(town, "dm", "good evening")
    found = await (await town.person("ada").runs(town.names["dm"], "recall", query=CANARY)).answer()
    return CANARY in prompt(lyra.chats[-1]) or f"said: {CANARY}" in found.shown


@pytest.mark.parametrize("carried", [True, False])
async def test_an_answer_made_of_an_answer_is_shown_no_more_once_the_role_is_lost(town: Town, carried: bool) -> None:
    """Were only the first one known to hold the staff's words, the second would still be."""
    async with town.lyra() as lyra:
        await repeats_itself(town, lyra)
        assert await in_view(town, lyra)
        if not carried:
            async with lyra.app.memory.db.transaction() as tx:
                await tx.run("DELETE FROM abroad WHERE reply > (SELECT min(reply) FROM abroad)")
        await loses_the_role(town)
        assert await in_view(town, lyra) is not carried


async def test_an_answer_made_of_an_answer_is_gone_once_the_message_is_deleted(town: Town) -> None:
    async with town.lyra() as lyra:
        told = await repeats_itself(town, lyra)
        await town.person("ada").deletes(told)
        await town.caught_up()
        rows = await lyra.app.memory.db.all("SELECT text FROM exchanges")
        assert CANARY not in " ".join(row["text"] for row in rows)
        assert not await in_view(town, lyra)
