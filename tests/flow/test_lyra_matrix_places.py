"""Lyra at a real homeserver: what she keeps of which place, and which places she comes to."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from memory.types import DomainKind
from tests.fakes.matrix import People, Person, Proxy, Synapse
from tests.kits.awake import model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of, sees_inside
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

JOIN = "POST /join/*"


def recent(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the turns of a conversation that a prompt holds before its question."""
    return [str(one["content"]) for one in messages[1:-1]]


# What is kept for whom


async def test_a_dm_is_answered_and_kept_for_its_person_alone(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        answer = await at_home.asks(ada, room, "my cat is called Miso")
        assert answer.body == "You said: my cat is called Miso"
        assert answer.kind == "m.text"
        assert await lyra.kept(DomainKind.DM, ada.user) == ["my cat is called Miso", answer.body]
        assert [one.kind for one in await at_home.said(ada, room)] == ["m.notice", "m.text"]


@pytest.mark.torture
async def test_two_dms_of_one_person_are_two_conversations_in_one_memory(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        first, second = await dm(at_home, ada), await dm(at_home, ada)
        await at_home.asks(ada, first, "my cat is called Miso")
        answer = await at_home.asks(ada, second, "what is my cat called?")
        assert recent(lyra.chats[-1].messages) == []
        assert "my cat is called Miso" in prompt(lyra.chats[-1])
        assert len(await (await lyra.view(DomainKind.DM, ada.user)).sessions.all()) == 2
        # Who she is was said in the first one.
        assert [one.id for one in await at_home.said(ada, second)] == [answer.id]


@pytest.mark.torture
async def test_a_dm_of_another_person_is_another_memory(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        await at_home.asks(ada, await dm(at_home, ada), "my cat is called Miso")
        answer = await at_home.asks(bob, await dm(at_home, bob), "what is the cat called?")
        assert "Miso" not in prompt(lyra.chats[-1])
        assert await lyra.kept(DomainKind.DM, bob.user) == ["what is the cat called?", answer.body]


async def test_an_encrypted_dm_is_a_room_of_its_own(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=True)
        answer = await at_home.asks(ada, room, "my cat is called Miso")
        assert answer.encrypted
        assert answer.body == "You said: my cat is called Miso"
        assert await lyra.kept(DomainKind.ROOM, room) == ["my cat is called Miso", answer.body]
        assert await lyra.app.memory.places.domains() == [(await lyra.view(DomainKind.ROOM, room)).home]


@pytest.mark.parametrize("encrypted", few([True, False]))
async def test_a_room_is_a_memory_of_its_own_named_after_it(at_home: Home, ada: Person, bob: Person, encrypted: bool) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, encrypted=encrypted)
        answer = await at_home.asks(ada, room, "the boat leaves at seven", mentions=[at_home.user])
        assert answer.encrypted is encrypted
        assert await lyra.kept(DomainKind.ROOM, room) == ["the boat leaves at seven", answer.body]
        assert [one.name for one in await (await lyra.view(DomainKind.ROOM, room)).sessions.all()] == ["Garden"]
        await at_home.asks(bob, await dm(at_home, bob), "when does the boat leave?")
        assert "seven" not in prompt(lyra.chats[-1])


@pytest.mark.torture
async def test_a_room_of_a_version_whose_ids_name_no_server(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, version="12")
        assert ":" not in room
        answer = await at_home.asks(ada, room, "the boat leaves at seven", mentions=[at_home.user])
        assert await lyra.kept(DomainKind.ROOM, room) == ["the boat leaves at seven", answer.body]
        # Who made it rules it, though no list of levels says so.
        assert (await at_home.reads_aside(ada, room, "!settings answers always")).body.startswith("answers: always")
        assert (await at_home.asks(bob, room, "which boat?")).body == "You said: Bob: which boat?"


async def test_a_private_answer_in_a_room_goes_to_the_dm_of_the_asker(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob)
        await at_home.asks(ada, room, "my cat is called Miso", mentions=[at_home.user])
        answer = await at_home.reads_aside(ada, room, "!recall Miso")
        assert "Miso" in answer.body
        assert answer.kind == "m.notice"
        assert not any("recall" in one.body for one in await at_home.said(bob, room))


class _Restless(Rooms):
    """A room that changed changes once more before anybody learns of it."""

    async def settle(self, rooms: Iterable[Room], since: str) -> None:
        changed = list(rooms)
        await super().settle(changed, since)
        self.unsettle(one.id for one in changed)
        for _ in range(300):
            await asyncio.sleep(0)
        await super().settle(changed, since)


class _AmongRestless(Matrix):
    rooms = _Restless


@pytest.mark.torture
async def test_a_dm_that_changes_while_it_is_made_is_waited_for(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model, kind=_AmongRestless):
        room = await room_of(at_home, ada, bob)
        assert (await at_home.reads_aside(ada, room, "!privacy")).body.startswith("Here I keep what is said to me")


# Where she comes


@pytest.mark.torture
@pytest.mark.parametrize(
    ("section", "follows"),
    [("", "Ada"), ('invites = ["{bob}"]', "Bob"), ('invites = "anyone"', "Ada Bob"), ('invites = "off"', "")],
)
async def test_she_follows_whom_her_owner_allowed(
    at_home: Home, proxy: Proxy, people: People, ada: Person, bob: Person, section: str, follows: str
) -> None:
    """Those that are configured as people, unless the section says otherwise."""
    config = f'[people.ada]\nmatrix = "{ada.user}"\n'
    eve = await people.person("eve")
    here = await people.together(eve, at_home.owner)
    async with model_server() as model, at_home.lyra(model, config, matrix=section.format(bob=bob.user), as_run=True):
        asked = {"Ada": await ada.opens_dm(at_home.user), "Bob": await bob.opens_dm(at_home.user)}
        for name, person in {"Ada": ada, "Bob": bob}.items():
            if name in follows:
                await sees_inside(person, asked[name], at_home.user)
        # What is said in a room that she is in comes after both invitations.
        await at_home.asks(eve, here, "are you there?")
        assert len(proxy.calls(JOIN)) == len(follows.split())
        assert [at_home.user in await ada.members(asked["Ada"]), at_home.user in await bob.members(asked["Bob"])] == [
            name in follows for name in ("Ada", "Bob")
        ]


@pytest.mark.torture
async def test_spaces_are_left_alone(at_home: Home, synapse: Synapse, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        space = await ada.creates("Everything", space=True, invite=[at_home.user])
        room = await room_of(at_home, ada, bob)
        await ada.adds_to_space(space, room, synapse.server_name)
        await at_home.asks(ada, room, "the boat leaves at seven", mentions=[at_home.user])
        assert at_home.user in await ada.members(space, "invite")
        assert [one.ref.native_id for one in await lyra.app.memory.places.domains()] == [room]
