"""What was said before Lyra was there is not for her; what was said on the way in is, and so are threads that she is part of."""

from pathlib import Path

import pytest

from adapters.events import Message, Unreadable
from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.rooms.room import Room
from tests.fakes.matrix import People, Person, Proxy
from tests.kits.adapter_kit import room_circle
from tests.kits.matrix_kit import Ear, Home, dm, home, in_dm, in_room, listening, sees_inside

pytest_plugins = ["tests.fakes.matrix.fixtures"]


async def test_nothing_that_was_said_before_her_first_start_is_heard(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    room = await ada.opens_dm(lyra.user)
    await lyra.owner.accepts(room)
    await ada.says(room, "Old news")
    async with listening(lyra, ear):
        told = await ear.heard(Unreadable)
        await ada.says(room, "News")
        await ear.heard(Message)
    assert ear.texts == ["News"] and "before I was here" in str(told.why) and (told.person.id, told.once) == (ada.user, True)


async def test_the_first_words_of_a_dm_are_heard_though_she_was_not_in_it_yet(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    """Clients make a DM when its first words are said; nobody says them twice."""
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear):
        pass
    room = await ada.opens_dm(lyra.user)
    await ada.says(room, "Hello, are you there?")
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        message = await again.heard(Message)
        await ada.says(room, "I am.")
        await again.heard(Message, 2)
    assert again.texts == ["Hello, are you there?", "I am."] and message.addressed


async def test_what_was_said_in_a_room_before_she_came_is_not_for_her(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear()):
        room = await people.together(ada, bo)
        await ada.says(room, "Lyra, are you there?", mentions=[lyra.user])
        await ada.invites(room, lyra.user)
        await sees_inside(ada, room, lyra.user)
        await ada.says(room, "Lyra, and now?", mentions=[lyra.user])
        message = await ear.heard(Message)
    assert message.text == "and now?" and ear.texts == ["and now?"]


class _Everywhere(Hearing):
    """Takes everything that it is shown for said to her."""

    def is_for_her(self, room: Room, *, inside: bool, quiet: bool) -> bool:
        return True


class _Nosy(Matrix):
    hearing = _Everywhere


@pytest.mark.torture
async def test_it_is_the_place_in_the_room_that_tells_what_came_before_her(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin."""
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    async with listening(lyra, ear := Ear(), kind=_Nosy):
        room = await people.together(ada, bo)
        await ada.invites(room, lyra.user)
        await ada.says(room, "Lyra is coming, Bo.")
        await ear.heard(Message)


@pytest.mark.torture
async def test_what_she_was_told_before_her_first_start_stays_unanswered_in_a_new_dm_as_well(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    room = await ada.opens_dm(lyra.user)
    await ada.says(room, "Old news")
    async with listening(lyra, ear):
        await sees_inside(ada, room, lyra.user)
        await ear.heard(Unreadable)
        await ada.says(room, "News")
        await ear.heard(Message)
    assert ear.texts == ["News"]


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
async def test_after_coming_back_to_a_room_she_does_not_hear_it_all_again(
    people: People, proxy: Proxy, tmp_path: Path, restarted: bool
) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        await ada.says(room, "Once")
        await ear.heard(Message)
        await ada.kicks(room, lyra.user)
        out = await ada.hears(room, lambda event: event.state_key == lyra.user and event.content["membership"] == "leave")
        await ada.says(await dm(lyra, ada), "Out")
        await ear.heard(Message, 2)
        if not restarted:
            await _comes_back(lyra, ada, room, out.id)
            await ear.heard(Message, 3)
    if restarted:
        async with listening(lyra, ear := Ear(cursors=ear.kept)):
            await _comes_back(lyra, ada, room, out.id)
            await ear.heard(Message)
    assert ear.texts == [*([] if restarted else ["Once", "Out"]), "Back"]


async def _comes_back(lyra: Home, ada: Person, room: str, out: str) -> None:
    await ada.says(room, "While she is out")
    await ada.invites(room, lyra.user)
    await ada.hears(room, lambda event: event.content.get("membership") == "join", after=out)
    await ada.says(room, "Back")


@pytest.mark.torture
async def test_two_threads_at_once_are_two_places_of_one_room(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        cats, dogs = await ada.says(room, "Cats here"), await bo.says(room, "Dogs here")
        await ada.says(room, "Mog, Lyra", mentions=[lyra.user], thread=cats)
        await bo.says(room, "Rex, Lyra", mentions=[lyra.user], thread=dogs)
        await ear.heard(Message, 4)
    main, _, mog, rex = (one.place for one in ear.of(Message))
    assert (main.thread, mog.thread, rex.thread) == ("", cats, dogs)
    assert len({main.key, mog.key, rex.key}) == 3
    assert {one.circle for one in (main, mog, rex)} == {room_circle(room)}
    assert mog.name.startswith("Garden: thread ") and mog.name != rex.name


async def test_a_thread_that_she_wrote_in_is_hers_from_then_on_and_after_a_restart(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        root, other = await ada.says(room, "Holidays"), await ada.says(room, "Taxes")
        await ada.says(room, "Where to?", thread=root)
        await ada.says(room, "How much?", thread=other)
        await lyra.owner.says(room, "To the sea.", thread=root)
        await bo.says(room, "Which one?", thread=root)
        await bo.says(room, "Too much.", thread=other)
        await ear.heard(Message, 6)
    assert [(one.text, one.addressed) for one in ear.of(Message)[2:]] == [
        ("Where to?", False), ("How much?", False), ("Which one?", True), ("Too much.", False),
    ]  # fmt: skip
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await ada.says(room, "The cold one?", thread=root)
        await ada.says(room, "Far too much.", thread=other)
        await again.heard(Message, 2)
    assert [one.addressed for one in again.of(Message)] == [True, False]


async def test_a_thread_under_something_she_said_is_hers(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_room(people, proxy, tmp_path) as (lyra, ada, bo, ear, room):
        root = await lyra.owner.says(room, "Cats sleep 15 hours.")
        await ada.says(room, "Really?", thread=root)
        message = await ear.heard(Message)
    assert (message.addressed, message.place.thread, message.quoted) == (True, root, None)


async def test_a_real_reply_within_a_thread_comes_with_what_it_answers(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        root = await ada.says(room, "Plans")
        first = await ada.says(room, "Paint the door.", thread=root)
        await ada.says(room, "Blue?", thread=root, reply_to=first)
        await ear.heard(Message, 3)
    _, plain, reply = ear.of(Message)
    assert plain.quoted is None and plain.place.thread == root
    assert reply.quoted and reply.quoted.text == "Paint the door." and reply.place.key == plain.place.key
