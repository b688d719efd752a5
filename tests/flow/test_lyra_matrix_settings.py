"""Lyra's settings on Matrix: who may see and change which, what each does from then on; what she says of herself, and when."""

import re

import pytest

from adapters.events import Person as Someone
from adapters.events import Place
from adapters.matrix.adapter import Matrix
from memory.types import DomainKind
from tests.fakes.matrix import Event, Person
from tests.kits.awake import model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

PERSONAL = {"reach", "encrypted", "time zone", "language", "streaming", "buttons", "reflections"}
LIMITS = {f"{what} a {span} {whose}" for what in ("turns", "tokens") for span in ("minute", "day") for whose in ("here", "each")}
ROOMS = {
    "answers",
    "replies",
    "newcomers",
    "listening",
    "time zone",
    "language",
    "streaming",
    "buttons",
    "reflections",
    "retention",
    *LIMITS,
}
NO_ADMIN = "Only those who run this place can see and change its settings; yours are in a DM with me."
NOT_YOURS = "Only whoever said it, or an admin, can have it forgotten."
FAR = "Asia/Kathmandu"


class Lawless(Matrix):
    """Takes everybody for somebody who rules the room."""

    async def administers(self, person: Someone, place: Place) -> bool:
        return True


def names(body: str) -> set[str]:
    """Return the settings that an answer shows."""
    return set(re.findall(r"^([a-z ]+): ", body, re.MULTILINE))


async def tells(at_home: Home, who: Person, room: str, text: str, *, thread: str = "") -> Event:
    """Say something to Lyra, and return her answer."""
    return await at_home.asks(who, room, text, mentions=[at_home.user], thread=thread)


async def aside(at_home: Home, who: Person, room: str, text: str, *, thread: str = "", reply_to: str = "") -> str:
    """Give a command in a room, and return what is read in the DM, without the word of what it is about."""
    return (await at_home.reads_aside(who, room, text, thread=thread, reply_to=reply_to)).body.rpartition("\n(This is about")[0]


# Who may see and change which


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_in_a_dm_everybody_has_their_own_settings(at_home: Home, ada: Person, bob: Person, encrypted: bool) -> None:
    async with at_home.lyra():
        adas, bobs = await dm(at_home, ada, encrypted=encrypted), await dm(at_home, bob)
        shown = (await at_home.asks(ada, adas, "!settings")).body
        assert names(shown) == PERSONAL and "reflections: off" in shown
        told = (await at_home.asks(ada, adas, "!settings reflections ON")).body
        assert told.startswith("reflections: on") and "\n" not in told
        told = (await at_home.asks(ada, adas, f"!settings time zone {FAR.lower()}")).body
        assert told.startswith(f"time zone: {FAR}")
        # They are the person's, in whichever DM.
        other = (await at_home.asks(ada, await dm(at_home, ada), "!settings")).body
        assert "reflections: on" in other and f"time zone: {FAR}" in other
        assert "reflections: off" in (await at_home.asks(bob, bobs, "!settings")).body


@pytest.mark.parametrize("kind", [Matrix, Lawless])
async def test_in_a_room_only_who_rules_it_sees_and_changes_its_settings(
    at_home: Home, ada: Person, bob: Person, kind: type[Matrix]
) -> None:
    async with at_home.lyra(kind=kind):
        room = await room_of(at_home, ada, bob, version="10")
        for asked in ("!settings", "!settings listening on"):
            assert (await aside(at_home, bob, room, asked) == NO_ADMIN) is (kind is Matrix)
        shown = await aside(at_home, ada, room, "!settings")
        assert names(shown) == ROOMS and f"listening: {'off' if kind is Matrix else 'on'}" in shown
        if kind is Lawless:
            return
        await ada.sets_power(room, bob.user, 50)
        await tells(at_home, ada, room, "Bob is an admin now.")
        assert (await aside(at_home, bob, room, "!settings answers always")).startswith("answers: always")


@pytest.mark.torture
@pytest.mark.parametrize(("needed", "may"), few([(75, False), (50, True), (0, True)], 2))
async def test_who_may_change_what_a_room_is_rules_it(at_home: Home, ada: Person, bob: Person, needed: int, may: bool) -> None:
    async with at_home.lyra():
        room = await ada.creates("Garden", version="10", levels={"state_default": needed})
        await ada.sets_power(room, bob.user, 60)
        await ada.invites(room, bob.user)
        await bob.joins(room)
        await ada.invites(room, at_home.user)
        await ada.hears(room, lambda event: event.sender == at_home.user and event.type == "m.room.message")
        assert (names(await aside(at_home, bob, room, "!settings")) == ROOMS) is may


@pytest.mark.torture
async def test_what_a_place_cannot_have_is_refused_in_one_sentence(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room, private = await room_of(at_home, ada, bob), await dm(at_home, ada)
        for asked, told in (
            ("!settings everyone 5", '"everyone" can be set in a server, by its admins only.'),
            ("!settings reach on", '"reach" can be set in a DM with me only.'),
            ("!settings answers sometimes", "answers is one of: mentioned, always."),
            ("!settings time zone Mars", '"Mars" is not a time zone; write it like "Europe/Vienna".'),
            ("!settings timezone Mars", 'There is no setting "timezone"; did you mean "time zone"?'),
            ("!settings colour red", 'There is no setting "colour"; !settings shows which there are.'),
        ):
            assert await aside(at_home, ada, room, asked) == told
        for asked, told in (
            ("!settings listening on", '"listening" can be set in a server or a room, by its admins only.'),
            ("!settings everyone 5", '"everyone" can be set in a server, by its admins only.'),
        ):
            assert (await at_home.asks(ada, private, asked)).body == told


# What they do


@pytest.mark.torture
async def test_what_is_set_within_a_thread_holds_in_the_whole_room_and_is_said_there(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        root = (await tells(at_home, ada, room, "Which mill is for sale?")).answers
        assert (await aside(at_home, ada, room, "!settings listening on", thread=root)).startswith("listening: on")
        said = await bob.hears(room, lambda event: "turned listening on" in event.body)
        assert (said.body, said.thread, said.kind) == (
            "Ada turned listening on: from now on I keep everything that is said here. !privacy says how to stop.", "", "m.notice",
        )  # fmt: skip
        await bob.says(room, "The ferry leaves at nine.")
        await tells(at_home, ada, room, "That is good to know.")
        assert "The ferry leaves at nine." in await lyra.kept(DomainKind.ROOM, room)
        assert "listening: on" in await aside(at_home, ada, room, "!settings")


@pytest.mark.torture
async def test_a_command_is_about_where_it_was_given_even_if_answers_open_threads(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with at_home.lyra() as lyra:
        room = await room_of(at_home, ada, bob)
        await tells(at_home, ada, room, "The mill is for sale.")
        await aside(at_home, ada, room, "!settings replies thread")
        answer = await tells(at_home, ada, room, "The ferry leaves at nine.")
        assert answer.thread
        told = await aside(at_home, ada, room, "!summarize")
        assert "mill" in told and "ferry" not in told
        assert "mill" in await aside(at_home, ada, room, "!summarize last:20")
        assert "ferry" in await aside(at_home, ada, room, "!summarize", thread=answer.thread)
        # What was answered in a thread of its own is found in answer to it.
        assert await aside(at_home, bob, room, "!forget", reply_to=answer.thread) == NOT_YOURS
        assert "The ferry leaves at nine." in await lyra.kept(DomainKind.ROOM, room)
        told = await aside(at_home, ada, room, "!forget", reply_to=answer.thread)
        assert told.startswith("Forgotten: 1 message, 1 reply")


# Privacy


@pytest.mark.torture
async def test_privacy_says_what_is_kept_where_and_how_to_stop(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model, matrix='prefix = "!lyra "'):
        room, private = await room_of(at_home, ada, bob), await dm(at_home, ada)
        told = await aside(at_home, ada, room, "!lyra privacy")
        assert "by mention, in answer to me, or in my threads" in told and "can come up in this room" in told
        assert "words go to a model on this same machine" in told and "!lyra privacy stop" in told and "!lyra forget" in told
        told = (await at_home.asks(ada, private, "!lyra privacy")).body
        assert "I tell it only to you, here or elsewhere" in told and "servers and rooms" not in told
        await at_home.asks(ada, private, "!lyra settings reach on")
        assert "what I heard in servers and rooms" in (await at_home.asks(ada, private, "!lyra privacy")).body


@pytest.mark.torture
async def test_who_says_stop_is_kept_answered_and_quoted_no_more_until_they_resume(
    at_home: Home, ada: Person, bob: Person
) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room, private = await room_of(at_home, ada, bob), await dm(at_home, bob)
        await tells(at_home, bob, room, "The first is kept.")
        assert "You told me to stop" in (await at_home.asks(bob, private, "!privacy stop")).body
        stopped = [await bob.says(where, "The second is not.", mentions=[at_home.user]) for where in (room, private)]
        stopped.append(await bob.says(room, "Nor is the third."))
        await at_home.asks(ada, room, "What did Bob say?", mentions=[at_home.user], reply_to=stopped[0])
        asked = prompt(lyra.chats[-1])
        assert "second" not in asked and "third" not in asked and "The first is kept." in asked
        told = await aside(at_home, ada, room, "!summarize last:50")
        assert "second" not in told and "third" not in told
        assert not [one for where in (room, private) for one in await at_home.said(bob, where) if one.answers in stopped]
        kept = " ".join(await lyra.kept(DomainKind.ROOM, room))
        assert "first is kept" in kept and "second" not in kept and "third" not in kept
        assert "!privacy stop" in (await at_home.asks(bob, private, "!privacy resume")).body
        assert (await tells(at_home, bob, room, "The fourth is kept.")).body == "You said: Bob: The fourth is kept."
        await at_home.asks(ada, room, "And now?", mentions=[at_home.user])
        assert "The fourth is kept." in await lyra.kept(DomainKind.ROOM, room)


# First contact


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_in_a_dm_she_says_once_who_she_is(at_home: Home, ada: Person, encrypted: bool) -> None:
    async with model_server() as model:
        async with at_home.lyra(model, matrix='prefix = "."'):
            room = await dm(at_home, ada, encrypted=encrypted)
            await at_home.asks(ada, room, "hello")
        async with at_home.lyra(model, matrix='prefix = "."'):
            await at_home.asks(ada, room, "hello again")
        intro, *answers = await at_home.said(ada, room)
        assert intro.kind == "m.notice" and [one.kind for one in answers] == ["m.text", "m.text"]
        assert intro.body == (
            "Hello, I am Lyra, a program that remembers. I keep what you tell me here, encrypted, until you .forget it, and tell "
            "it to nobody else. To answer I send it to a model on this same machine. .privacy says more, and how to stop."
        )


@pytest.mark.torture
async def test_in_a_room_she_says_who_she_is_when_she_comes_and_not_again(at_home: Home, ada: Person, bob: Person) -> None:
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        intro = await bob.hears(room, lambda event: event.sender == at_home.user and event.type == "m.room.message")
        assert intro.body == (
            "Hello, I am Lyra, a program that remembers. Here I keep what is said to me and what I answer, encrypted, for everyone "
            "who can read this. No model elsewhere gets any of it. !forget removes what you said; !privacy says more, and "
            "how to stop."
        )
        await tells(at_home, ada, room, "hello")
        root = (await tells(at_home, bob, room, "hello, too")).answers
        await tells(at_home, bob, room, "hello in a thread", thread=root)
        said = [one.kind for one in await at_home.said(bob, room)]
        assert said == ["m.notice", "m.text", "m.text", "m.text"]


@pytest.mark.torture
async def test_who_wrote_to_her_before_her_first_start_is_told_so_once(at_home: Home, ada: Person) -> None:
    room = await ada.opens_dm(at_home.user)
    await ada.says(room, "Hello, are you there?")
    for text in ("Good morning.", "Good evening."):
        async with model_server() as model, at_home.lyra(model):
            await ada.hears(room, lambda event: event.sender == at_home.user and "before I was here" in event.body)
            assert (await at_home.asks(ada, room, text)).body == f"You said: {text}"
    told = [event.body for event in await at_home.said(ada, room) if "before I was here" in event.body]
    assert len(told) == 1
