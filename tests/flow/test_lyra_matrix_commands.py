"""Commands on Matrix: which lines are commands, what each says in a DM, and what becomes of those that a kill cut off."""

import re
from typing import Any

import pytest

from adapters.command_table import AnswerAudience
from tests.fakes.matrix import Person
from tests.kits.awake import Awake, model_server
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

OFFERED = {
    "recall QUERY",
    "more",
    "remember",
    "forget [WHAT] [about:TOPIC] [since:TIME] [until:TIME]",
    "incognito [WHAT] [OF]",
    "forget this",
    "summarize [SESSION] [last:N] [public:yes]",
    "status",
}


async def greeted(at_home: Home, *people: Person) -> str:
    """Let people make a room with Lyra, and return it when she has said who she is."""
    room = await room_of(at_home, *people)
    await people[0].hears(room, lambda event: event.sender == at_home.user and event.body.startswith("Hello, I am Lyra"))
    return room


def numbers(body: str) -> list[int]:
    """Return the numbers of the hits that an answer shows."""
    return [int(number) for number in re.findall(r"^(\d+)\. ", body, re.MULTILINE)]


async def settled(lyra: Awake) -> None:
    """Assert that nothing is left to be answered or sent."""
    journal = lyra.app.memory.journal
    await lyra.talk.tick()
    assert list(await journal.unfinished("matrix")) == [] and list(await journal.waiting("matrix")) == []


# What each says


@pytest.mark.parametrize("prefix", few(["!lyra ", "!", ".", "lyra"], 2))
async def test_help_lists_what_can_be_said_as_it_is_said(at_home: Home, ada: Person, prefix: str) -> None:
    sign = "lyra " if prefix == "lyra" else prefix
    async with at_home.lyra(matrix=f'prefix = "{prefix}"') as lyra:
        room = await dm(at_home, ada)
        told = await at_home.asks(ada, room, f"{sign}help")
        listed = set(re.findall(rf"^- `{re.escape(sign)}(.+?)` ", told.body, re.MULTILINE))
        table = lyra.talk.listeners["matrix"].table.values()
        assert {re.split(r" [A-Z\[]", one)[0] for one in listed} == {
            one.name for one in table if one.who is not AnswerAudience.OWNER
        }
        assert listed >= OFFERED and not any(one.startswith("model") for one in listed)
        assert f"<li><code>{sign}recall QUERY</code>" in told.html and told.kind == "m.notice"
        assert told.body.startswith("Just talk; I keep what you say.") and "/" not in told.body
        hello = await at_home.asks(ada, room, "my cat is called Miso")
        [intro] = [one.body for one in await at_home.said(ada, room) if one.body.startswith("Hello, I am Lyra")]
        assert f"{sign}forget it" in intro and f"{sign}privacy says more" in intro and hello.kind == "m.text"


async def test_a_hit_says_who_when_where_why_and_its_id_with_a_link_to_it(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada)
        said = await ada.says(room, "The harbour party is on Friday.")
        await at_home.answer(ada, room, said)
        found = await at_home.asks(ada, room, "!recall when is the harbour party")
        text, receipt = found.body.split("\n")
        who, link, *_sure, why, number = receipt.strip().split(" · ")
        assert text == "1. The harbour party is on Friday."
        assert re.fullmatch(r'Ada, today at \d\d:\d\d, in "Ada"', who)
        assert link == f"https://matrix.to/#/{room}/{said}"
        assert "harbour" in why and re.fullmatch(r"id [a-z2-7]{6,}", number)
        assert (await at_home.asks(ada, room, "!recall zebra")).body == 'I found nothing about "zebra".'


@pytest.mark.torture
async def test_a_hit_of_hers_links_to_what_it_answered(at_home: Home, ada: Person) -> None:
    async with model_server(lambda request: "The lighthouse is painted red.") as model, at_home.lyra(model):
        room = await dm(at_home, ada)
        said = await ada.says(room, "What is there to see?")
        await at_home.answer(ada, room, said)
        found = (await at_home.asks(ada, room, "!recall lighthouse painted")).body
        assert "The lighthouse is painted red.\n" in found and "Lyra, today" in found
        assert set(re.findall(r"https\S+", found)) == {f"https://matrix.to/#/{room}/{said}"}


@pytest.mark.torture
async def test_more_hits_are_shown_by_saying_more(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada)
        said = [await ada.says(room, f"Walnut number {n}.") for n in range(7)]
        await at_home.answer(ada, room, said[-1])
        first = (await at_home.asks(ada, room, "!recall walnut")).body
        assert numbers(first) == [1, 2, 3, 4, 5] and first.endswith("\n!more shows more.")
        second = (await at_home.asks(ada, room, "!more")).body
        assert numbers(second) == [6, 7] and "!more" not in second
        assert sorted(re.findall(r"number (\d)\.", first + second)) == [str(n) for n in range(7)]
        assert (await at_home.asks(ada, room, "!more")).body == "That list is not there any more; ask again."
        await at_home.asks(ada, room, "!recall walnut")
        await at_home.asks(ada, room, "!recall zebra")
        assert (await at_home.asks(ada, room, "!more")).body == "That list is not there any more; ask again."


@pytest.mark.torture
async def test_conversations_are_begun_listed_and_summed_up(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada)
        assert (await at_home.asks(ada, room, "!summarize")).body == "There is nothing to summarize here yet."
        await at_home.asks(ada, room, "The bread needs forty minutes.")
        assert (await at_home.asks(ada, room, "!new garden")).body == 'This is a new conversation: "garden".'
        await at_home.asks(ada, room, "The tulips are red.")
        listed = (await at_home.asks(ada, room, "!sessions")).body.split("\n")
        assert [line.partition(":")[0] for line in listed] == ["* garden", "  Ada"] and listed[0].endswith("2 messages, just now")
        here, there = [(await at_home.asks(ada, room, f"!summarize{name}")).body for name in ("", " Ada")]
        assert "tulips" in here and "bread" not in here and "forty minutes" in there and "tulips" not in there
        unknown = (await at_home.asks(ada, room, "!summarize attic")).body
        assert unknown == 'There is no conversation "attic" here; !sessions shows which there are.'
        kept = (await at_home.asks(ada, room, "!memory")).body
        assert kept.startswith("I keep 2 messages of yours in 2 conversations, and 2 gists of them. !forget removes")
        assert "bread" in kept and "tulips" in kept
        status = (await at_home.asks(ada, room, "!status")).body
        assert status.startswith("2 messages of yours kept, the last just now.\n") and "encrypted rooms" in status


@pytest.mark.torture
async def test_a_look_back_reads_what_is_there_and_keeps_nothing(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra() as lyra:
        room = await greeted(at_home, ada, bob)
        for text in ("The ferry leaves at nine.", "The mill is for sale."):
            await bob.says(room, text)
        told = (await at_home.reads_aside(ada, room, "!summarize last:2")).body
        assert told.startswith("2 messages since today at ") and "ferry" in told and "mill" in told
        assert "I keep 0 messages said here" in (await at_home.reads_aside(ada, room, "!memory")).body
        for wrong in ("last:0", "last:201"):
            assert "1 to 200" in (await at_home.reads_aside(ada, room, f"!summarize {wrong}")).body
        told = (await at_home.asks(ada, room, "!summarize last:2 public:yes")).body
        assert told == "A look back answers only you: leave out public."
        await settled(lyra)


@pytest.mark.torture
async def test_what_is_for_her_owner_is_refused(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada)
        for said in ("!model", "!model ollama", "!model off"):
            assert (await at_home.asks(ada, room, said)).body == "!model is for whoever runs me, at the terminal or in private."


# Which lines are commands


@pytest.mark.torture
async def test_a_command_may_follow_a_mention_or_her_name(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room, private = await greeted(at_home, ada, bob), await dm(at_home, ada)
        pill = f'<a href="https://matrix.to/#/{at_home.user}">Lyra</a> !help'
        mentions = [at_home.user]
        calls: list[tuple[str, dict[str, Any]]] = [
            (f"{at_home.user} !help", {"mentions": mentions}),
            ("Lyra: !help", {}),
            ("lyra, !HELP", {}),
            ("Lyra !help", {"html": pill, "mentions": mentions}),
        ]
        for said, how in calls:
            assert "`!recall QUERY`" in (await at_home.reads_aside(ada, room, said, **how)).body
            assert "`!recall QUERY`" in (await at_home.asks(ada, private, said, **how)).body
        assert len(await at_home.said(bob, room)) == 1


@pytest.mark.torture
async def test_another_prefix_leaves_the_first_one_to_talk(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model, matrix='prefix = "!lyra "'):
        room = await dm(at_home, ada)
        assert (await at_home.asks(ada, room, "!status")).body == "You said: !status"
        for said in ("!lyra status", "!Lyra   status", "Lyra: !lyra Status"):
            assert (await at_home.asks(ada, room, said)).body.startswith("1 message of yours kept")
        assert (await at_home.asks(ada, room, "!lyra stauts")).body == "There is no !lyra stauts; did you mean !lyra status?"


@pytest.mark.torture
async def test_a_slip_is_told_in_one_sentence_and_a_mark_alone_is_talk(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        for said, told in (
            ("!recal Miso", "There is no !recal; did you mean !recall?"),
            ("!important buy milk", "There is no !important. !help shows what there is."),
            ("!recall", "!recall needs QUERY: what to look for. Usage: !recall QUERY"),
            ("!status now", '!status does not know what to do with "now". Usage: !status'),
        ):
            assert (await at_home.asks(ada, room, said)).body == told
        assert lyra.chats == []
        for said in ("!", "!!!", "! well", "!1"):
            assert (await at_home.asks(ada, room, said)).body == f"You said: {said}"


@pytest.mark.torture
@pytest.mark.parametrize("setting", few(["!settings answers always", "", "!settings listening on"]))
async def test_among_others_what_another_machine_is_called_for_is_not_hers(
    at_home: Home, ada: Person, bob: Person, setting: str
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await greeted(at_home, ada, bob)
        if setting:
            await at_home.reads_aside(ada, room, setting)
        before = len(await at_home.said(bob, room))
        await bob.says(room, "!weather Vienna")
        await at_home.asks(bob, room, "hello", mentions=[at_home.user])
        assert len(lyra.chats) == 1 and len(await at_home.said(bob, room)) == before + 1
        told = await at_home.asks(bob, room, f"{at_home.user}: !weather Vienna", mentions=[at_home.user])
        assert told.body == "There is no !weather. !help shows what there is."


@pytest.mark.torture
async def test_a_machine_calls_no_commands(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model, matrix=f'bots = ["{bob.user}"]'):
        room = await room_of(at_home, ada, bob)
        told = await at_home.asks(bob, room, "!new garden", mentions=[at_home.user])
        assert told.body == "You said: Bob: !new garden" and told.kind == "m.text"
        assert (await at_home.asks(ada, room, "!new garden")).body == 'This is a new conversation: "garden".'


# Cut off


@pytest.mark.torture
@pytest.mark.parametrize("prefix", few(["!lyra ", "!"]))
async def test_a_command_that_a_kill_cut_off_is_not_run_again_but_told_of(at_home: Home, ada: Person, prefix: str) -> None:
    section, ada.ears.signs = f'prefix = "{prefix}"', True
    async with at_home.lyra(matrix=section) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "The tulips are red.")
        await lyra.talk.mailboxes.drain(0)
        said = await ada.says(room, f"{prefix}forget all yes")
        await ada.sees_read(room, at_home.user, said)
    async with at_home.lyra(matrix=section) as lyra:
        told = (await at_home.answer(ada, room, said)).body
        assert told == f"{prefix}forget was interrupted before it was done; say it again if you still want it."
        assert "tulips" in (await at_home.asks(ada, room, f"{prefix}recall tulips")).body
        await settled(lyra)
    async with at_home.lyra(matrix=section) as lyra:
        await settled(lyra)
        assert sum("interrupted" in one.body for one in await at_home.said(ada, room)) == 1
