"""Threads of a Matrix room: each is a place of its own, and some are hers."""

from pathlib import Path

import pytest

from adapters.events import Message
from tests.fakes.matrix import People, Proxy
from tests.kits.adapter_kit import room_circle
from tests.kits.matrix_kit import Ear, dm, home, listening, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
async def test_two_threads_at_once_are_two_places_of_one_room(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    ear = Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo)
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
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    ear = Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo)
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
    again = Ear(cursors=ear.kept)
    async with listening(lyra, again):
        await ada.says(room, "The cold one?", thread=root)
        await ada.says(room, "Far too much.", thread=other)
        await again.heard(Message, 2)
    assert [one.addressed for one in again.of(Message)] == [True, False]


async def test_a_thread_under_something_she_said_is_hers(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, bo = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("bo")
    ear = Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada, bo)
        root = await lyra.owner.says(room, "Cats sleep 15 hours.")
        await ada.says(room, "Really?", thread=root)
        message = await ear.heard(Message)
    assert (message.addressed, message.place.thread, message.quoted) == (True, root, None)


async def test_a_real_reply_within_a_thread_comes_with_what_it_answers(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear):
        room = await dm(lyra, ada, encrypted=True)
        root = await ada.says(room, "Plans")
        first = await ada.says(room, "Paint the door.", thread=root)
        await ada.says(room, "Blue?", thread=root, reply_to=first)
        await ear.heard(Message, 3)
    _, plain, reply = ear.of(Message)
    assert plain.quoted is None and plain.place.thread == root
    assert reply.quoted and reply.quoted.text == "Paint the door." and reply.place.key == plain.place.key
