"""When Lyra answers on Matrix, and when she is silent; what she keeps of what is not said to her."""

from typing import Any

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Event, People, Person
from tests.flow.test_lyra_matrix_threads import Together
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]


async def says_without_mentions(who: Person, room: str, text: str) -> str:
    """Say something as clients do that know no mentions."""
    return await who.sends(room, "m.room.message", {"msgtype": "m.text", "body": text})


async def answered(at_home: Home, who: Person, room: str) -> list[str]:
    """Return the messages of a room that Lyra answered, in the order in which she did."""
    return [reply for one in await at_home.said(who, room) if (reply := relation(one).get("m.in_reply_to", {}).get("event_id"))]


def relation(event: Event) -> dict[str, Any]:
    """Return what an event says of how it belongs to another."""
    return dict(event.raw["content"].get("m.relates_to") or {})


async def greeting(at_home: Home, who: Person, room: str) -> Event:
    """Wait until Lyra has said who she is, and return that."""
    return await who.hears(room, lambda event: event.sender == at_home.user and event.body.startswith("Hello, I am Lyra"))


async def kept(lyra: Awake, room: str) -> str:
    """Return all that is kept of a room."""
    return "\n".join(await lyra.kept(DomainKind.ROOM, room))


# Who is answered


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_in_a_dm_everything_is_answered(at_home: Home, ada: Person, encrypted: bool) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=encrypted)
        assert (await at_home.asks(ada, room, "is anybody there?")).body == "You said: is anybody there?"


@pytest.mark.torture
async def test_in_a_room_she_answers_who_means_her_and_nobody_else(at_home: Home, ada: Person, bob: Person) -> None:
    """What Bob says is between people; what Ada says in between is for Lyra."""
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        root = await bob.says(room, "about boats")
        passed = [
            root,
            await bob.says(room, "is anybody there?"),
            await bob.says(room, "Lyra is a fine name", mentions=[ada.user]),
            await bob.says(room, "and so is Miso", reply_to=root),
            await bob.says(room, "the ferry sinks", thread=root),
            await says_without_mentions(bob, room, "how lyrical"),
        ]
        meant = [await ada.says(room, "first", mentions=[at_home.user])]
        told = await at_home.answer(ada, room, meant[0])
        meant += [
            await says_without_mentions(ada, room, "second, dear Lyra"),
            await ada.says(room, "third", reply_to=told.id),
            await ada.says(room, "fourth", thread=root, mentions=[at_home.user]),
        ]
        for one in meant:
            await at_home.answer(ada, room, one)
        # The thread is hers now.
        meant.append(await bob.says(room, "fifth", thread=root))
        passed.append(await bob.says(room, "sixth", thread=await bob.says(room, "about cats")))
        await at_home.answer(bob, room, meant[-1])
        await at_home.asks(ada, room, "last", mentions=[at_home.user])
        found = await answered(at_home, ada, room)
        assert sorted(found[:-1]) == sorted(meant) and not set(passed) & set(found)
        texts = await kept(lyra, room)
        assert not any(words in texts for words in ("anybody", "fine", "Miso", "ferry", "lyrical", "sixth"))


@pytest.mark.torture
async def test_a_thread_stays_hers_over_a_restart(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model:
        async with at_home.lyra(model):
            room = await room_of(at_home, ada, bob)
            root = await ada.says(room, "about boats")
            await at_home.asks(ada, room, "which boat?", thread=root, mentions=[at_home.user])
        async with at_home.lyra(model):
            assert (await at_home.asks(bob, room, "and when?", thread=root)).thread == root


@pytest.mark.torture
async def test_where_an_admin_says_so_everything_is_answered_in_threads_too(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        room, other = await room_of(at_home, ada, bob), await room_of(at_home, ada, bob, name="Shed")
        await greeting(at_home, ada, other)
        root = await bob.says(room, "about boats")
        assert (await at_home.reads_aside(ada, room, "!settings answers always")).body.startswith("answers: always")
        assert (await at_home.asks(bob, room, "is anybody here?")).body == "You said: Bob: is anybody here?"
        assert (await at_home.asks(bob, room, "and in here?", thread=root)).thread == root
        elsewhere = await bob.says(other, "is anybody there?")
        await at_home.asks(ada, other, "and now?", mentions=[at_home.user])
        assert elsewhere not in await answered(at_home, bob, other)
        await at_home.reads_aside(ada, room, "!settings answers mentioned", thread=root)
        passed = await bob.says(room, "and now?")
        await at_home.asks(ada, room, "are you there?", mentions=[at_home.user])
        assert passed not in await answered(at_home, bob, room)


class _Lenient(Matrix):
    """Takes everybody for one who rules the place."""

    async def administers(self, person: Someone, place: Place) -> bool:
        return True


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, _Lenient])
async def test_only_who_rules_a_room_changes_how_she_behaves_there(
    at_home: Home, ada: Person, bob: Person, kind: type[Matrix]
) -> None:
    """The twin, too: it is the power in the room that decides."""
    async with model_server() as model, at_home.lyra(model, kind=kind):
        room = await room_of(at_home, ada, bob)
        told = (await at_home.reads_aside(bob, room, "!settings answers always")).body
        refused = "Only those who run this place can see and change its settings; yours are in a DM with me."
        assert told.startswith(refused) is (kind is Matrix)
        if kind is Matrix:
            await ada.sets_power(room, bob.user, 50)
            told = (await at_home.reads_aside(bob, room, "!settings answers always")).body
        assert told.startswith("answers: always")


# What is not said to her


@pytest.mark.torture
async def test_listening_is_announced_aloud_and_keeps_without_answering(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        await at_home.reads_aside(ada, room, "!settings listening on")
        aloud = (await at_home.said(bob, room))[-1]
        assert aloud.body.startswith("Ada turned listening on: from now on I keep everything that is said here.")
        assert aloud.kind == "m.notice"
        chatter = await bob.says(room, "the kettle is on")
        in_a_thread = await bob.says(room, "the lamp is on", thread=chatter)
        await at_home.asks(ada, room, "is there light?", thread=chatter, mentions=[at_home.user])
        await at_home.asks(ada, room, "is there tea?", mentions=[at_home.user])
        assert [word in await kept(lyra, room) for word in ("kettle", "lamp", "tea")] == [True] * 3
        assert not {chatter, in_a_thread} & set(await answered(at_home, bob, room))
        await at_home.reads_aside(ada, room, "!settings listening off")
        assert (await at_home.said(bob, room))[-1].body == "Ada turned listening off: I keep only what is said to me."
        await bob.says(room, "the toast burns")
        await at_home.asks(ada, room, "and now?", mentions=[at_home.user])
        assert "toast" not in await kept(lyra, room)


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_what_was_said_just_before_is_seen_and_kept_nowhere(
    at_home: Home, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        root = await bob.says(room, "the kettle is on")
        await bob.says(room, "the lamp is on", thread=root)
        told = await at_home.asks(ada, room, "is there tea?", mentions=[at_home.user])
        assert "Just before, others said here:\n> Bob: the kettle is on\n\nAda: is there tea?" in prompt(lyra.chats[-1])
        assert await lyra.kept(DomainKind.ROOM, room) == ["is there tea?", told.body]
        await at_home.asks(ada, room, "and light?", thread=root, mentions=[at_home.user])
        assert "others said here:\n> Bob: the kettle is on\n> Bob: the lamp is on\n\nAda: and light?" in prompt(lyra.chats[-1])
        views = [lyra.app.memory.view(domain) for domain in await lyra.app.memory.places.domains()]
        texts = [message.text for view in views async for _, message in view.messages.all()]
        assert not any("kettle" in text or "lamp" in text for text in texts)


@pytest.mark.torture
async def test_what_a_question_answers_is_seen_and_not_kept(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        said = await bob.says(room, "the ferry sinks at noon")
        for number in range(11):
            await bob.says(room, f"something else {number}")
        await at_home.asks(ada, room, "is that so?", reply_to=said, mentions=[at_home.user])
        assert "The message answers this:\n> Bob: the ferry sinks at noon" in prompt(lyra.chats[-1])
        assert "ferry" not in await kept(lyra, room)


# Machines


@pytest.mark.torture
async def test_notices_are_never_answered(at_home: Home, ada: Person, bob: Person) -> None:
    """Wherever a text would be: in a DM, by name, where everything is answered."""
    async with model_server() as model, at_home.lyra(model) as lyra:
        alone, room = await dm(at_home, bob), await room_of(at_home, ada, bob)
        await at_home.reads_aside(ada, room, "!settings answers always")
        ignored = [
            await bob.says(alone, "beep", kind="m.notice"),
            await bob.says(room, "beep", kind="m.notice"),
            await bob.says(room, "Lyra: beep", mentions=[at_home.user], kind="m.notice"),
        ]
        for place in (alone, room):
            await at_home.asks(bob, place, "boop")
            assert not set(ignored) & set(await answered(at_home, bob, place))
        assert "beep" not in "\n".join([*await lyra.kept(DomainKind.DM, bob.user), await kept(lyra, room)])


@pytest.mark.torture
@pytest.mark.parametrize("known", [True, False])
async def test_machines_get_five_answers_in_a_row_until_a_person_speaks(
    at_home: Home, people: People, ada: Person, known: bool
) -> None:
    """The twin, too: one that is not known as a machine is answered on and on."""
    robot = await people.person("robot")
    section = f'bots = ["{robot.user}"]' if known else ""
    async with model_server() as model, at_home.lyra(model, matrix=section) as lyra:
        room = await room_of(at_home, ada, robot)
        for number in range(5):
            await at_home.asks(robot, room, f"beep {number}", mentions=[at_home.user])
        sixth = await robot.says(room, "boop", mentions=[at_home.user])
        await at_home.asks(ada, room, "what are you two doing?", mentions=[at_home.user])
        assert (sixth in await answered(at_home, ada, room)) is not known
        assert ("boop" in await kept(lyra, room)) is not known
        assert (await at_home.asks(robot, room, "beep again", mentions=[at_home.user])).body == "You said: Robot: beep again"


@pytest.mark.torture
async def test_a_machine_runs_no_command(at_home: Home, people: People, ada: Person) -> None:
    robot = await people.person("robot")
    async with model_server() as model, at_home.lyra(model, matrix=f'bots = ["{robot.user}"]'):
        room = await room_of(at_home, ada, robot)
        asked = await robot.says(room, "!new Beeps")
        await at_home.asks(ada, room, "hello", mentions=[at_home.user])
        assert asked not in await answered(at_home, ada, room)


# How it shows


@pytest.mark.torture
async def test_talk_is_text_and_all_else_is_a_notice(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob)
        assert (await greeting(at_home, bob, room)).kind == "m.notice"
        assert (await at_home.asks(ada, room, "hello", mentions=[at_home.user])).kind == "m.text"
        begun = await at_home.asks(ada, room, "!new Boats")
        assert (begun.body, begun.kind) == ('This is a new conversation: "Boats".', "m.notice")
        unclear = await at_home.asks(ada, room, "!summarise", mentions=[at_home.user])
        assert (unclear.kind, "\n" in unclear.body) == ("m.notice", False)
        model.script(b.DENIED)
        failed = await at_home.asks(ada, room, "are you there?", mentions=[at_home.user])
        assert failed.body.endswith("Your message is kept; I answer it when the model does.") and failed.kind == "m.notice"
        await lyra.talk.tick()
        later = await ada.hears(room, lambda event: event.body == "You said: Ada: are you there?")
        assert (later.kind, later.mentions) == ("m.text", [ada.user])


@pytest.mark.torture
async def test_she_is_seen_typing_while_she_answers_and_has_read_what_she_answered(
    at_home: Home, ada: Person, bob: Person
) -> None:
    bob.ears.signs = True
    async with Together() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        model.awaits = 2
        asked = await ada.says(room, "tell me a tale", mentions=[at_home.user])
        await bob.sees_typing(room, at_home.user)
        assert asked not in await answered(at_home, bob, room)
        again = await bob.says(room, "a short one", thread=asked, mentions=[at_home.user])
        await at_home.answer(ada, room, asked)
        await at_home.answer(bob, room, again)
        await bob.sees_typing(room, at_home.user, on=False)
        await bob.sees_read(room, at_home.user, again)
