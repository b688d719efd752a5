"""Who reads a place changes between two turns, or within one: a new conversation begins, and nothing crosses."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from adapters.discord.access.audiences import Audiences
from adapters.discord.adapter import Discord
from adapters.events import Place
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind
from tests.fakes.discord import USUAL, Channel, DiscordServer, Guild, Message, Right, Role
from tests.kits.awake import question
from tests.kits.discord_home import Awake, prompt, server_of, sound
from tests.kits.discord_knowing import Everything, Thoughtful, Town, Unguarded, answers

CODE = "the code of the safe is 7741"
ASKED = "what is the code of the safe?"
MOVED = (
    "Who can read this place changed while I was at your question, so I answer nothing here: ask again if you still want to know."
)


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with DiscordServer() as server, Thoughtful() as model:
        yield Town(server, model, tmp_path, monkeypatch)
        sound(server)


@pytest.fixture
def home(town: Town) -> Guild:
    guild = town.server.world.guild("Home")
    town.person("bob").joins(guild)
    return guild


@pytest.fixture
def general(town: Town, home: Guild) -> Channel:
    return town.server.world.channel(home, "general")


def restrict(town: Town, place: Channel) -> None:
    """Let only Ada and Lyra read a channel from now on."""
    assert place.guild
    for who in (town.server.world.bot, town.person("ada").user):
        town.server.acts.overwrite(place, who, allow=Right.VIEW_CHANNEL)
    town.server.acts.overwrite(place, place.guild.roles[place.guild.id], deny=Right.VIEW_CHANNEL)


def reopen(town: Town, place: Channel) -> None:
    """Let everyone read a channel from now on."""
    assert place.guild
    town.server.acts.overwrite(place, place.guild.roles[place.guild.id])


async def conversations(lyra: Awake, kind: DomainKind, native_id: int) -> dict[str, int]:
    """Return the conversations of a domain, with how many messages each has."""
    return {session.name: session.messages for session in await (await lyra.view(kind, native_id)).sessions.all()}


async def outbox(lyra: Awake, question: Message) -> list[tuple[str, str]]:
    """Return what became of the parts that were to answer a question, and the words left of them."""
    rows = await lyra.app.memory.db.all("SELECT state, text FROM outbox WHERE answers = :id", {"id": str(question.id)})
    return [(row["state"], row["text"]) for row in rows]


# Between two turns


async def test_public_then_restricted_then_public_are_three_conversations_and_nothing_leaks_out(
    town: Town, home: Guild, general: Channel
) -> None:
    async with town.lyra() as lyra:
        await town.asks("ada", general, "the boat leaves at seven")
        restrict(town, general)
        await town.asks("ada", general, CODE)
        assert [message["role"] for message in lyra.chats[-1].messages] == ["system", "user"]
        await town.asks("ada", general, "when does the boat leave?")
        assert "ada: the boat leaves at seven" in prompt(lyra.chats[-1]), "what everyone reads, the few read as well"
        reopen(town, general)
        await town.asks("bob", general, ASKED)
        assert "7741" not in prompt(lyra.chats[-1])
        assert [message["role"] for message in lyra.chats[-1].messages] == ["system", "user"]
        assert await conversations(lyra, *server_of(home)) == {"#general (2)": 2, "#general": 2}
        assert await conversations(lyra, DomainKind.CHANNEL, general.id) == {"#general": 4}
        restrict(town, general)
        await town.asks("ada", general, ASKED)
        assert f"ada: {CODE}" in prompt(lyra.chats[-1]), "the few find their own words again"


async def test_what_the_few_said_is_reached_from_no_dm_of_others_once_the_channel_is_opened_again(
    town: Town, general: Channel
) -> None:
    """Discord shows its history to everyone then; who may know are those who could read it when it was said."""
    dms = {name: await town.person(name).opens_dm() for name in ("ada", "bob")}

    async def known() -> list[bool]:
        found = []
        for name, dm in dms.items():
            await town.asks(name, dm, ASKED)
            found.append(CODE in prompt(town.model.requests[-1]))
        return found

    async with town.lyra():
        for name, dm in dms.items():
            await town.sets(name, dm, "reach", "on")
        restrict(town, general)
        await town.asks("ada", general, CODE)
        assert await known() == [True, False]
        reopen(town, general)
        assert await known() == [True, False]


# What a message answers, and what others said just before


class Unwary(Audiences):
    """The guard switched off."""

    def could_read(self, place: Place, message: str) -> bool:
        """Show everything."""
        return True


class Showing(Discord):
    audiences = Unwary


async def learns(town: Town, who: str, place: Channel, said: Message | None = None) -> bool:
    """Let somebody ask in reply to a message, and say whether the code was in what the model was given."""
    question = await town.person(who).says(place, f"{town.server.mention} {ASKED}", reply_to=said)
    await town.answer(question)
    return "7741" in prompt(town.model.requests[-1])


async def test_what_the_few_said_is_not_shown_to_all_beside_a_message(town: Town, general: Channel) -> None:
    ada, bob = town.person("ada"), town.person("bob")
    async with town.lyra():
        restrict(town, general)
        kept = (await town.asks("ada", general, CODE)).reply_to
        aside = await ada.says(general, CODE)
        assert await learns(town, "ada", general, aside)
        reopen(town, general)
        assert not await learns(town, "bob", general), "just before"
        assert not await learns(town, "bob", general, aside)
        assert not await learns(town, "bob", general, next(one for one in general.history() if one.id == kept))
        told = await (await bob.uses_menu("Remember this", aside)).answer()
        assert "not everyone who reads here could read it" in told.content
    async with town.lyra():
        assert not await learns(town, "bob", general, aside), "nor after a restart"
        new = await bob.says(general, "the code of the door is 7741")
        assert await learns(town, "ada", general, new), "what all could read is shown"
        restrict(town, general)
        assert await learns(town, "ada", general, aside), "and to the few their own words"


async def test_without_the_guard_it_would_be(town: Town, general: Channel) -> None:
    async with town.lyra(discord=Showing):
        restrict(town, general)
        aside = await town.person("ada").says(general, CODE)
        await town.caught_up()
        reopen(town, general)
        assert await learns(town, "bob", general), "just before"
        assert await learns(town, "bob", general, aside)


@pytest.mark.parametrize("domains", [DomainAccess, Everything], ids=["guarded", "without the guard"])
async def test_what_is_kept_for_the_few_is_not_quoted_where_it_is_not_known_who_read_it_then(
    town: Town, general: Channel, domains: type[DomainAccess]
) -> None:
    async with town.lyra(discord=Showing, domains=domains) as lyra:
        restrict(town, general)
        kept = (await town.asks("ada", general, CODE)).reply_to
        reopen(town, general)
        await learns(town, "bob", general, next(one for one in general.history() if one.id == kept))
        assert (f"The message answers this:\n> ada: {CODE}" in prompt(lyra.chats[-1])) is (domains is Everything)


# Within one turn

CHANGES = [restrict, reopen]
Change = Callable[[Town, Channel], None]


async def changes_while_she_thinks(town: Town, general: Channel, change: Change) -> Message:
    """Let Ada ask, change who reads the channel before the model answers, and return the question once that is over."""
    await town.asks("ada", general, CODE)
    heard = len(town.model.requests)
    town.model.thinks = True
    question = await town.person("ada").says(general, f"{town.server.mention} {ASKED}")
    await town.model.heard(heard + 1)
    change(town, general)
    await town.caught_up()
    town.model.go.set()
    await town.asks("ada", general, "and the weather?")
    return question


@pytest.mark.parametrize("change", CHANGES)
async def test_an_answer_made_for_other_readers_does_not_go_out_and_is_not_lost(
    town: Town, home: Guild, general: Channel, change: Change
) -> None:
    was: tuple[DomainKind, int] = server_of(home)
    if change is reopen:
        restrict(town, general)
        was = (DomainKind.CHANNEL, general.id)
    async with town.lyra() as lyra:
        question = await changes_while_she_thinks(town, general, change)
        await lyra.talk.tick()
        assert [one.content for one in answers(town.server, question)] == [MOVED]
        assert await outbox(lyra, question) == [("cancelled", ""), ("sent", "")]
        assert (await lyra.kept(*was))[-2:] == [ASKED, f"You said: ada: {ASKED}"]
        assert [message["role"] for message in lyra.chats[-1].messages] == ["system", "user"]
        if change is reopen:
            assert "7741" not in prompt(lyra.chats[-1])


async def test_a_question_is_not_dropped_in_silence_where_something_is_deleted_besides(town: Town, general: Channel) -> None:
    ada = town.person("ada")
    async with town.lyra():
        said = await ada.says(general, f"{town.server.mention} {CODE}")
        await town.answer(said)
        heard = len(town.model.requests)
        town.model.thinks = True
        question = await ada.says(general, f"{town.server.mention} {ASKED}")
        await town.model.heard(heard + 1)
        restrict(town, general)
        await ada.deletes(said)
        await town.caught_up()
        town.model.go.set()
        assert (await town.answer(question)).content == MOVED


@pytest.mark.parametrize("change", CHANGES)
async def test_without_the_guard_at_the_exit_it_would_go_out(town: Town, general: Channel, change: Change) -> None:
    if change is reopen:
        restrict(town, general)
    async with town.lyra(domains=Unguarded):
        question = await changes_while_she_thinks(town, general, change)
        assert [one.content for one in answers(town.server, question)] == [f"You said: ada: {ASKED}"]


@pytest.mark.parametrize(
    ("domains", "off_record"),
    [(DomainAccess, False), (DomainAccess, True), (Unguarded, False)],
    ids=["guarded", "off the record", "without the guard"],
)
async def test_an_answer_that_waited_to_be_sent_while_the_readers_changed_is_said_not_to_come(
    town: Town, general: Channel, domains: type[DomainAccess], off_record: bool
) -> None:
    async with town.lyra(domains=domains) as lyra:
        await town.asks("ada", general, "is there tea?")
        if off_record:
            await (await town.person("ada").runs(general, "incognito", what="on", of="me")).answer()
        town.server.acts.overwrite(general, town.server.world.bot, deny=Right.SEND_MESSAGES)
        question = await town.person("ada").says(general, f"{town.server.mention} {CODE}")
        tries = f"/channels/{general.id}/messages"
        await town.server.pulse.until(
            lambda: any(one.path == tries and one.status == 403 for one in town.server.requests), "a try"
        )
        await town.caught_up()
        restrict(town, general)
        await town.caught_up()
        for _ in range(2):
            await lyra.talk.tick()
        told = [MOVED] if domains is DomainAccess else [f"You said: ada: {CODE}"]
        assert [one.content for one in answers(town.server, question)] == told
        # A kill between the line and the end of the answer leaves it so: it is said once all the same.
        async with lyra.app.memory.db.transaction() as tx:
            await tx.run(
                "UPDATE outbox SET state = 'attempting' WHERE state = 'cancelled' AND answers = :id", {"id": str(question.id)}
            )
        await lyra.talk.tick()
        assert [one.content for one in answers(town.server, question)] == told
        assert {state for state, _ in await outbox(lyra, question)} <= {"sent", "cancelled"}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_question_that_waited_stays_with_those_who_could_read_it(
    town: Town, home: Guild, general: Channel, change: Change
) -> None:
    was, now = server_of(home), (DomainKind.CHANNEL, general.id)
    if change is reopen:
        restrict(town, general)
        was, now = now, was
    async with town.lyra() as lyra:
        town.model.thinks = True
        await town.person("ada").says(general, f"{town.server.mention} hello")
        await town.model.heard(1)
        waits = await town.person("ada").says(general, f"{town.server.mention} {CODE}")
        await town.caught_up()
        change(town, general)
        await town.caught_up()
        town.model.go.set()
        told = await town.asks("ada", general, "is there tea?")
        assert [one.content for one in answers(town.server, waits)] == [MOVED]
        assert (await lyra.kept(*was))[-1] == CODE, "kept, and nothing was made of it"
        assert not any(CODE in question(one) for one in lyra.chats)
        assert await lyra.kept(*now) == ["is there tea?", told.content]


# A server whose everyone is a role


@pytest.fixture
def gated(town: Town) -> Guild:
    """A server that shows newcomers one channel; members have a role."""
    world = town.server.world
    guild = world.guild("Gated", rights=USUAL & ~Right.VIEW_CHANNEL, bot_rights=USUAL)
    member = world.role(guild, "member", USUAL)
    manager = world.role(guild, "manager", Right.MANAGE_GUILD)
    for name in ("lounge", "garden", "welcome"):
        town.names[name] = world.channel(guild, name)
    newcomers = guild.roles[guild.id]
    world.join(guild, town.person("ada").user, member)
    world.join(guild, town.person("eve").user, member, manager)
    town.server.acts.overwrite(town.names["welcome"], newcomers, allow=Right.VIEW_CHANNEL)
    return guild


def member_of(guild: Guild) -> Role:
    return next(role for role in guild.roles.values() if role.name == "member")


async def test_with_a_gate_named_the_members_share_a_memory_that_newcomers_do_not(town: Town, gated: Guild) -> None:
    async with town.lyra() as lyra:
        await town.asks("ada", town.names["lounge"], CODE)
        await town.asks("eve", town.names["garden"], ASKED)
        assert "7741" not in prompt(lyra.chats[-1]), "before that, each is a channel of its own"
        told = await town.sets("eve", town.names["lounge"], "everyone", f"<@&{member_of(gated).id}>")
        assert told.startswith(f"everyone: {member_of(gated).id}")
        await town.asks("ada", town.names["lounge"], CODE)
        await town.asks("eve", town.names["garden"], ASKED)
        assert "7741" in prompt(lyra.chats[-1])
        await town.asks("bob", town.names["welcome"], ASKED)
        assert "7741" not in prompt(lyra.chats[-1])


async def test_what_members_said_is_not_everyones_when_the_gate_is_taken_away(town: Town, gated: Guild) -> None:
    async with town.lyra() as lyra:
        await town.sets("eve", town.names["lounge"], "everyone", str(member_of(gated).id))
        await town.asks("ada", town.names["lounge"], CODE)
        await town.sets("eve", town.names["lounge"], "everyone", "off")
        await town.asks("bob", town.names["welcome"], ASKED)
        assert "7741" not in prompt(lyra.chats[-1])
