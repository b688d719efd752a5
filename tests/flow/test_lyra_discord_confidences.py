"""What is told in confidence on Discord: whom it is kept from, where it comes up all the same, and how it is taken back."""

import re
from collections.abc import AsyncIterator, Collection
from pathlib import Path

import pytest

from adapters.discord.adapter import Discord
from adapters.events import Person, Place
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind, Identity
from tests.fakes.discord import DiscordServer, Message, Right
from tests.fakes.openai_behaviours import Calls, Request, echo, sensible
from tests.kits.discord_home import Awake, answer, prompt, sound
from tests.kits.discord_knowing import Thoughtful, Town, answers

SECRET = "my locker number is 7741"
CANARY = "7741"
ASKED = "what is my locker number?"
PEOPLE = '[people.ada]\ndiscord = ["{ada}"]\n[people.ben]\ndiscord = ["{ben}", "{twin}"]\n'


def model(request: Request) -> str:
    """Write digests as a model does, and answer with what was asked."""
    written = sensible(request)
    return written if written != echo(request) else answer(request)


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """A server with a public channel and one of Ada and Cleo, where Ben has a second account, and everybody's DM."""
    async with DiscordServer() as server, Thoughtful(model) as thoughtful:
        world = server.world
        people = {name: server.person(name) for name in ("ada", "ben", "cleo", "twin")}
        home = world.guild("Home")
        town = Town(server, thoughtful, tmp_path, monkeypatch)
        town.names["general"] = world.channel(home, "general")
        for name, person in people.items():
            world.join(home, person.user)
            town.names[f"{name}'s dm"] = await person.opens_dm()
        town.names["staff"] = world.channel(home, "staff", only=(world.bot, people["ada"].user, people["cleo"].user))
        yield town
        sound(server)


async def hears(town: Town, *names: str) -> None:
    """Let people say something, so that they are known here."""
    for name in names:
        await town.asks(name, town.names["general"], "good morning")


async def comes_up(town: Town, lyra: Awake, who: str, where: str, asked: str = ASKED) -> bool:
    """Ask at a place, and say whether the canary was in what the model was given."""
    before = len(lyra.chats)
    await town.asks(who, town.names[where], asked)
    return any(CANARY in prompt(chat) for chat in lyra.chats[before:])


async def confides(town: Town, text: str, where: str = "general") -> Message:
    """Let Ada tell something in confidence, and wait until that is understood and answered; return what was said."""
    said = await town.person("ada").says(town.names[where], f"{town.server.mention} {text}")
    await town.server.pulse.until(lambda: len(answers(town.server, said)) == 2, "a notice and an answer")
    return said


def notices(town: Town, where: str) -> list[str]:
    """Return what Lyra said at a place of what she understood."""
    return [
        one.content for one in town.server.world.by_bot(town.names[where]) if one.content.startswith(("Understood", "Verstanden"))
    ]


@pytest.mark.first
@pytest.mark.parametrize(
    ("words", "notice"),
    [
        (f"{SECRET}, but don't tell Ben", "Understood: I keep this from ben. /confide takes it back."),
        (f"Never when ben is around: {SECRET}", "Understood: I keep this from ben. /confide takes it back."),
        (f"{SECRET}. Ben must not know!", "Understood: I keep this from ben. /confide takes it back."),
        (f"{SECRET}. Das bleibt unter uns.", "Verstanden: das bleibt unter uns beiden. /confide nimmt es zurück."),
        (f"Keep this between us: {SECRET}", "Understood: this stays between the two of us. /confide takes it back."),
        (f"don't tell Zacharias, {SECRET}", "Understood: this stays between the two of us. /confide takes it back."),
    ],
)
async def test_what_is_told_in_confidence_comes_up_in_no_place_where_somebody_reads_who_may_not_know(
    town: Town, words: str, notice: str
) -> None:
    async with town.lyra(config="summarize_after = 2") as lyra:
        await hears(town, "ben", "cleo")
        await confides(town, words)
        await town.asks("cleo", town.names["general"], "the boat is green")
        await lyra.dreams()
        assert notices(town, "general") == [notice]
        assert not await comes_up(town, lyra, "ben", "general")
        assert not await comes_up(town, lyra, "ada", "general")
        guild = town.names["general"].guild
        assert guild
        view = await lyra.view(DomainKind.SERVER, guild.id)
        digests = [digest.text for _, digest in await view.digests.all()]
        facts = [one.text for tier in ("profile", "era", "narrative", "self") for one in await view.digests.statements(tier)]
        assert any("green" in text for text in digests), "the rest is summed up"
        assert not any(CANARY in text for text in (*digests, *facts))
        await town.sets("ada", town.names["ada's dm"], "reach", "on")
        assert await comes_up(town, lyra, "ada", "ada's dm")
        await town.sets("ben", town.names["ben's dm"], "reach", "on")
        assert not await comes_up(town, lyra, "ben", "ben's dm")


async def test_told_to_others_in_confidence_it_is_shown_by_no_reply(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben", "cleo")
        general = town.names["general"]
        told = await town.person("ada").says(general, f"{SECRET}, but don't tell Ben")
        for who in ("ben", "ada", "cleo"):
            await town.answer(await town.person(who).says(general, f"{town.server.mention} is that so?", reply_to=told))
            assert CANARY not in prompt(lyra.chats[-1])
        told = await town.person("ada").says(general, f"the new {SECRET}")
        await town.person("ada").says(general, "don't tell Ben that")
        for n in range(12):
            await town.person("cleo").says(general, f"the boat has {n} sails")
        await town.answer(await town.person("ben").says(general, f"{town.server.mention} is that so?", reply_to=told))
        assert CANARY not in prompt(lyra.chats[-1]), "nor where a further message asks for it"
        kept = await confides(town, f"{SECRET}, but don't tell Ben", "staff")
        await town.answer(
            await town.person("cleo").says(town.names["staff"], f"{town.server.mention} is that so?", reply_to=kept)
        )
        assert CANARY in prompt(lyra.chats[-1]), "what is kept comes up where those read who may know it"


async def test_a_forward_shows_it_to_nobody_but_its_teller(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben", "cleo")
        told = await confides(town, f"{SECRET}, but don't tell Ben")
        for who, shown in (("ben", False), ("cleo", False), ("ada", True)):
            await town.answer(await town.person(who).forwards(told, town.names[f"{who}'s dm"]))
            assert (CANARY in prompt(lyra.chats[-1])) is shown
            assert await comes_up(town, lyra, who, f"{who}'s dm") is shown


async def test_it_comes_up_where_nobody_reads_who_may_not_know(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben", "cleo")
        await confides(town, f"{SECRET}, but don't tell Ben")
        assert await comes_up(town, lyra, "cleo", "staff")
        await town.sets("cleo", town.names["cleo's dm"], "reach", "on")
        assert await comes_up(town, lyra, "cleo", "cleo's dm")


async def test_who_is_named_next_is_not_told_either_and_a_permission_is_taken_back_in_a_word(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben", "cleo")
        for text in (f"{SECRET}, but don't tell Ben", "Cleo neither", "you can tell Ben now", "wait no"):
            await confides(town, text)
        told = [one.partition(".")[0].partition(",")[0] for one in notices(town, "general")]
        assert told[:2] == ["Understood: I keep this from ben", "Understood: I keep this from cleo"] and told[3] == told[0]
        assert not await comes_up(town, lyra, "ben", "general")
        assert not await comes_up(town, lyra, "cleo", "staff")


async def test_no_tool_shows_it_where_somebody_reads_who_may_not_know(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben", "cleo")
        await confides(town, f"{SECRET}, but don't tell Ben")
        told = await lyra.app.memory.db.all(
            "SELECT i.public_id, e.text FROM exchanges e JOIN items i ON i.id = e.item WHERE e.kind = 'said'"
        )
        (id,) = (row["public_id"] for row in told if CANARY in row["text"])
        looks = (("open", {"receipt": id}), ("recall", {"query": "locker", "speaker": "ada"}), ("recall", {"from": "2020-01-01"}))
        town.model.default = lambda request: Calls(looks) if request.offered else model(request)
        assert not await comes_up(town, lyra, "ben", "general", "and what else?")
        assert len(lyra.chats[-1].messages) > 1 and not lyra.chats[-1].offered
        assert await comes_up(town, lyra, "cleo", "staff", "and what else?"), "where all may know it is opened"


class Blind(Discord):
    """The guard of who reads a place switched off: whoever is asked about does not."""

    async def non_readers(self, place: Place, accounts: Collection[str]) -> set[str]:
        return set(accounts)


@pytest.mark.parametrize(("kind", "known"), [(Discord, False), (Blind, True)], ids=["her", "the twin"])
async def test_who_comes_to_read_a_channel_is_noticed(town: Town, kind: type[Discord], known: bool) -> None:
    async with town.lyra(discord=kind) as lyra:
        await hears(town, "ben", "cleo")
        await confides(town, f"{SECRET}, but don't tell Ben", "staff")
        assert await comes_up(town, lyra, "cleo", "staff")
        town.server.acts.overwrite(town.names["staff"], town.person("ben").user, allow=Right.VIEW_CHANNEL)
        assert await comes_up(town, lyra, "cleo", "staff") is known


class Trusting(DomainAccess):
    """The guard switched off: of somebody's accounts only the one that is named may not know."""

    async def accounts(self, person: Person) -> list[Identity]:
        return [Identity(person.platform, person.id)]


@pytest.mark.parametrize(("domains", "known"), [(DomainAccess, False), (Trusting, True)], ids=["her", "the twin"])
async def test_a_second_account_of_somebody_may_not_know_either(town: Town, domains: type[DomainAccess], known: bool) -> None:
    ids = {name: town.person(name).user.id for name in ("ada", "ben", "twin")}
    async with town.lyra(config=PEOPLE.format(**ids), domains=domains) as lyra:
        await hears(town, "ben")
        await confides(town, f"{SECRET}, but don't tell Ben")
        await town.sets("twin", town.names["twin's dm"], "reach", "on")
        assert await comes_up(town, lyra, "twin", "twin's dm") is known


async def test_what_was_said_before_and_the_answers_to_it_are_kept_from_them_as_well(town: Town) -> None:
    async with town.lyra(config="summarize_after = 2") as lyra:
        await hears(town, "ben")
        await town.asks("ada", town.names["general"], SECRET)
        await lyra.dreams()
        assert await comes_up(town, lyra, "ben", "general")
        await lyra.dreams()
        await confides(town, "Please don't tell Ben about that.")
        await lyra.dreams()
        more = "with 1 earlier message of yours. /confide shows them, and takes it back."
        assert notices(town, "general") == [f"Understood: I keep this from ben, {more}"]
        assert not await comes_up(town, lyra, "ben", "general")


@pytest.mark.first
@pytest.mark.parametrize("between", [[], ["the weather is fine", "the boat is green"]], ids=["just before", "a while before"])
@pytest.mark.parametrize(
    "words",
    [
        "oh, and never mention my locker number when Ben is around",
        "I had soup. And please don't tell Ben about my locker number!",
    ],
)
async def test_what_words_name_is_kept_however_long_ago_it_was_said(town: Town, words: str, between: list[str]) -> None:
    async with town.lyra(config="summarize_after = 2") as lyra:
        await hears(town, "ben")
        for text in (SECRET, *between):
            await town.asks("ada", town.names["general"], text)
        assert await comes_up(town, lyra, "ben", "general")
        await confides(town, words)
        await lyra.dreams()
        more = "with 1 earlier message of yours. /confide shows them, and takes it back."
        assert notices(town, "general") == [f"Understood: I keep this from ben, {more}"]
        assert not await comes_up(town, lyra, "ben", "general")
        for asked, told in (("who is here?", []), ("how is the weather, and what is green?", between)):
            before = len(lyra.chats)
            await town.asks("ben", town.names["general"], asked)
            given = "\n".join(prompt(chat) for chat in lyra.chats[before:])
            assert CANARY not in given
            assert all(text in given for text in told), "what else was said may be known"


async def test_who_tells_anew_what_is_kept_from_somebody_hears_that_it_is_kept_as_well(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confides(town, "my locker is 4187, but don't tell Ben")
        await confides(town, "my locker is 4412 now")
        await town.asks("ada", town.names["general"], "my bike is red now")
        understood = "Understood: I keep this from ben. /confide"
        assert notices(town, "general") == [
            f"{understood} takes it back.",
            f"{understood} shows what that is, and takes it back.",
        ]
        assert lyra


async def test_what_was_said_on_about_it_is_kept_as_well(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        for text in ("I have a new locker number.", "It is 7741 now.", "the boat is green"):
            await town.asks("ada", town.names["general"], text)
        assert await comes_up(town, lyra, "ben", "general")
        await confides(town, "never mention my locker number when Ben is around")
        assert not await comes_up(town, lyra, "ben", "general")


async def test_where_nothing_was_said_of_what_words_name_she_says_so_and_keeps_the_last_message(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        for text in ("the boat is green", "the combination is 7741"):
            await town.asks("ada", town.names["general"], text)
        asked = await confides(town, "never mention my cupboard when Ben is around")
        notice, _ = answers(town.server, asked)
        assert notice.content.startswith(
            "I cannot tell which message you mean. To be safe I keep this from ben, with your last message"
        )
        assert not await comes_up(town, lyra, "ben", "general", "what is the combination?")


async def test_words_that_are_changed_name_what_is_to_be_kept_as_well(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        for text in (SECRET, "it is sunny today"):
            await town.asks("ada", town.names["general"], text)
        said = await town.person("ada").says(town.names["general"], f"{town.server.mention} the boat is green")
        await town.answer(said)
        await town.person("ada").edits(said, f"{town.server.mention} never mention my locker number when Ben is around")
        await town.caught_up()
        assert not await comes_up(town, lyra, "ben", "general")


async def test_talk_that_was_not_for_her_is_kept_as_words_name_it(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        ada, general = town.person("ada"), town.names["general"]
        for text in (SECRET, "the weather is fine", "never mention my locker number when Ben is around"):
            await ada.says(general, text)
        before = len(lyra.chats)
        assert not await comes_up(town, lyra, "ben", "general")
        assert any("the weather is fine" in prompt(chat) for chat in lyra.chats[before:])


async def test_it_may_be_told_again_in_words_or_by_command(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confides(town, f"{SECRET}, but don't tell Ben")
        assert not await comes_up(town, lyra, "ben", "general")
        await confides(town, "You may tell Ben now.")
        assert notices(town, "general")[1:] == ["Understood: Ben may know now what you told me here in confidence (1 message)."]
        assert await comes_up(town, lyra, "ben", "general")

        ada = town.person("ada")
        recalled = (await (await ada.runs(town.names["general"], "recall", query="locker")).answer()).shown
        (id,) = re.findall(r"7741.*?id (\w{6,})", recalled, re.DOTALL)[:1]
        kept = await (await ada.runs(town.names["general"], "confide", message=id, who="Ben")).answer()
        assert kept.content == "Understood: I keep this from ben."
        assert not await comes_up(town, lyra, "ben", "general")
        listed = await (await ada.runs(town.names["general"], "confide")).answer()
        assert id in listed.content and "I keep this from ben" in listed.content
        theirs = await (await town.person("ben").runs(town.names["general"], "confide", message=id, who="nobody")).answer()
        assert theirs.content == "Only whoever said it can have it kept from somebody."
        assert not await comes_up(town, lyra, "ben", "general")
        await (await ada.runs(town.names["general"], "confide", message="all", who="nobody")).answer()
        assert await comes_up(town, lyra, "ben", "general")


async def test_a_permission_without_a_thing_frees_what_was_kept_last_and_says_so(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        for text in (f"{SECRET}, but don't tell Ben", "I painted the boat, don't tell Ben", "You may tell Ben now."):
            await confides(town, text)
        assert notices(town, "general")[2:] == [
            "Understood: Ben may know now what you told me here in confidence (1 message). What you told me before that I still keep: "
            "say that I can tell everything, or use /confide."
        ]
        assert not await comes_up(town, lyra, "ben", "general")
        await confides(town, "You may tell Ben everything now.")
        assert await comes_up(town, lyra, "ben", "general")


async def test_what_is_forgotten_is_forgotten_within_a_confidence_as_well(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        said = await confides(town, f"{SECRET}, but don't tell Ben")
        await town.person("ada").deletes(said)
        await town.caught_up()
        for table in ("confided", "terms", "exchanges"):
            row = await lyra.app.memory.db.one(
                f"SELECT count(*) AS n FROM {table} WHERE item IN (SELECT id FROM items WHERE dead_at IS NOT NULL)"
            )
            assert row is not None and row["n"] == 0, table
        assert not await comes_up(town, lyra, "cleo", "staff")


async def test_words_that_are_changed_ask_for_discretion_as_well(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        said = await town.person("ada").says(town.names["general"], f"{town.server.mention} {SECRET}")
        await town.answer(said)
        await town.person("ada").edits(said, f"{town.server.mention} {SECRET}, but don't tell Ben")
        await town.caught_up()
        assert not await comes_up(town, lyra, "ben", "general")


async def test_an_answer_to_it_shows_it_to_nobody_else(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        said = await confides(town, f"{SECRET}, but don't tell Ben")
        before = len(lyra.chats)
        question = await town.person("ben").says(town.names["general"], f"{town.server.mention} what is that?", reply_to=said)
        await town.answer(question)
        assert answers(town.server, question) and not any(CANARY in prompt(chat) for chat in lyra.chats[before:])


async def test_a_page_shows_what_may_be_read_and_stands_in_the_prompt(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await town.asks("ada", town.names["general"], "My dog Bruno is a beagle.")
        await confides(town, "Bruno has a chip with the number 7741, but don't tell Ben")
        await lyra.dreams()
        for who, where in (("ben", "general"), ("cleo", "staff")):
            call = await town.person(who).runs(town.names[where], "memory about", name="bruno")
            text = (await call.answer()).shown
            assert text.startswith("Bruno (pet, dog)") and "beagle" in text and CANARY not in text
        before = len(lyra.chats)
        await town.asks("ada", town.names["staff"], "what about my dog?")
        assert "beagle" in prompt(lyra.chats[before])


async def test_a_look_back_and_what_others_said_before_leave_it_out(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confides(town, f"{SECRET}, but don't tell Ben")
        ada, general = town.person("ada"), town.names["general"]
        # What is not said to her is not kept, and read from the channel.
        await ada.says(general, f"between you and me: {SECRET}")
        await ada.says(general, SECRET)
        for text in ("Please don't tell Ben that.", "it rains", "the boat is green", "no, thirty-one"):
            await ada.says(general, text)
        before = len(lyra.chats)
        assert not await comes_up(town, lyra, "ben", "general")
        call = await town.person("ben").runs(general, "summarize", last=20)
        told = (await call.answer()).shown
        given = [prompt(chat) for chat in lyra.chats[before:]]
        assert len(given) == 2 and all("the boat is green" in text for text in given)
        assert not any(secret in text for text in (told, *given) for secret in (CANARY, "thirty-one"))


async def test_what_somebody_has_her_keep_is_kept_as_its_words_ask(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        said = await town.person("ada").says(town.names["general"], f"{SECRET}, but don't tell Ben")
        call = await town.person("cleo").uses_menu("Remember this", said)
        assert (await call.answer()).shown == "Kept."
        assert not await comes_up(town, lyra, "ben", "general")
        assert await comes_up(town, lyra, "cleo", "staff")


async def test_words_may_be_about_the_message_that_they_answer(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        said = await town.person("ada").says(town.names["general"], f"{town.server.mention} {SECRET}")
        await town.answer(said)
        await town.asks("ada", town.names["general"], "the boat is green")
        asked = await town.person("ada").says(town.names["general"], f"{town.server.mention} don't tell Ben that", reply_to=said)
        await town.server.pulse.until(lambda: len(answers(town.server, asked)) == 2, "a notice and an answer")
        assert not await comes_up(town, lyra, "ben", "general")
        before = len(lyra.chats)
        await town.asks("ben", town.names["general"], "what colour is the boat?")
        assert "green" in prompt(lyra.chats[before])


async def test_a_permission_means_the_message_that_it_answers_and_none_that_is_kept_if_that_is_anothers(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        told = await confides(town, f"{SECRET}, but don't tell Ben")
        general = town.names["general"]
        cake = await town.person("cleo").says(general, "I baked a cake")
        ada, says = town.person("ada"), f"{town.server.mention} you can tell Ben that"
        asked = await ada.says(general, says, reply_to=cake)
        await town.server.pulse.until(lambda: len(answers(town.server, asked)) == 2, "a notice and an answer")
        kept = "I still keep what you told me in confidence"
        assert any(one.content.startswith(kept) for one in town.server.world.by_bot(general))
        assert not await comes_up(town, lyra, "ben", "general")
        asked = await ada.says(general, says, reply_to=told)
        await town.server.pulse.until(lambda: len(answers(town.server, asked)) == 2, "a notice and an answer")
        assert await comes_up(town, lyra, "ben", "general")


@pytest.mark.first
@pytest.mark.parametrize(
    ("said", "notice"),
    [
        (("don't tell Ben", SECRET), "and what you tell me next"),
        (("I have something to tell you but don't tell Ben", "it's my locker", "the number is", CANARY), "what you tell me next"),
        (("don't tell Ben about my locker", "I fed the cat", SECRET), "What you tell me of it later I keep as well."),
    ],
    ids=["bare", "burst", "named"],
)
async def test_what_is_told_once_a_secret_was_announced_is_kept_and_she_says_so(
    town: Town, said: tuple[str, ...], notice: str
) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confides(town, said[0])
        assert any(notice in one.content for one in town.server.world.by_bot(town.names["general"]))
        for text in said[1:-1]:
            await town.asks("ada", town.names["general"], text)
        await confides(town, said[-1])
        assert not await comes_up(town, lyra, "ben", "general")
        assert not await comes_up(town, lyra, "ben", "general", "what did ada say today?")


async def test_a_message_of_somebody_else_is_not_kept_and_she_says_so(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        general = town.names["general"]
        theirs = await town.person("cleo").says(general, "ada's locker number is 7741")
        asked = await town.person("ada").says(general, f"{town.server.mention} don't tell Ben about this", reply_to=theirs)
        await town.server.pulse.until(lambda: len(answers(town.server, asked)) == 2, "a notice and an answer")
        told = [one.content for one in town.server.world.by_bot(general)]
        cannot = "I cannot keep that message from anybody: only whoever wrote it can ask for that. Of your own words: I keep this from ben."
        assert any(one.startswith(cannot) for one in told)
        assert not any(one.startswith(("Understood", "To be safe")) for one in told)
        assert await comes_up(town, lyra, "ben", "general")


async def test_what_is_kept_is_said_in_the_language_of_the_request(town: Town) -> None:
    async with town.lyra():
        await hears(town, "ben")
        for words, notice in (
            ("el código de mi taquilla es 7741, no se lo digas a Ben", "Entendido: no se lo digo a ben. /confide muestra"),
            ("ne le dis pas à Ben, mais le code de mon casier est 7742", "Compris : je ne le dis pas à ben. /confide montre"),
        ):
            await confides(town, words)
            assert any(one.content.startswith(notice) for one in town.server.world.by_bot(town.names["general"]))


async def test_that_everything_is_still_kept_is_said_once(town: Town) -> None:
    async with town.lyra():
        await hears(town, "ben")
        await confides(town, f"{SECRET}, but don't tell Ben")
        await confides(town, "you may tell Ben now if he asks nicely")
        told = [one.content for one in town.server.world.by_bot(town.names["general"])]
        assert sum(one.startswith("I still keep") for one in told) == 1


async def test_a_correction_shows_no_confidence_either_once_that_is_out_of_sight(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        ada, general = town.person("ada"), town.names["general"]
        await ada.says(general, "my locker number is 1147, but don't tell Ben")
        for n in range(9):
            await town.person("cleo").says(general, f"the boat has {n} sails")
        await ada.says(general, f"I meant {CANARY}")
        before = len(lyra.chats)
        assert not await comes_up(town, lyra, "ben", "general")
        assert "sails" in prompt(lyra.chats[before])
        told = (await (await town.person("ben").runs(general, "summarize", last=5)).answer()).shown
        assert "sails" in told and CANARY not in told


async def test_what_was_told_long_before_in_confidence_is_not_shown_where_its_speaker_says_it_to_others_again(town: Town) -> None:
    async with town.lyra() as lyra:
        await hears(town, "ben")
        await confides(town, f"{SECRET}, but don't tell Ben")
        ada, general = town.person("ada"), town.names["general"]
        for n in range(55):
            await town.person("cleo").says(general, f"the boat has {n} sails")
        await ada.says(general, f"I wrote {CANARY} on the fridge")
        before = len(lyra.chats)
        assert not await comes_up(town, lyra, "ben", "general")
        assert "sails" in prompt(lyra.chats[before])
        told = (await (await town.person("ben").runs(general, "summarize", last=5)).answer()).shown
        assert "sails" in told and CANARY not in told
