"""Rooms that are upgraded: she follows those who may send her, and the new room is another one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.doors import Doors
from adapters.matrix.room import Room
from adapters.matrix.seen import Seen, word
from memory.types import DomainKind
from tests.awake import prompt
from tests.fakes.matrix import People, Proxy
from tests.matrix_knowing import ASKED, FACT, Everything, Town, sees_inside, town_of
from tests.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

TOMBSTONE = "m.room.tombstone"


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    async with town_of(people, proxy, tmp_path, monkeypatch) as town:
        yield town


async def moved(town: Town, room: str) -> str:
    """Let Ada upgrade a room, and ask Lyra in where she cannot come by herself; return the new room."""
    ada = await town.person("ada")
    new = await ada.upgrades(room, "12")
    if (await ada.state(new, "m.room.join_rules"))["join_rule"] != "public":
        await ada.invites(new, town.home.user)
    await sees_inside(ada, new, town.home.user)
    return new


@pytest.mark.parametrize("made", few([{"encrypted": True}, {"public": True}, {}], 2), ids=str)
async def test_she_follows_an_admin_and_takes_nothing_of_the_room_along(town: Town, made: dict[str, object]) -> None:
    async with town.lyra(matrix=f'invites = ["{(await town.person("ada")).user}"]') as lyra:
        old = await town.room("garden", "ada", "bob", version="10", **made)
        await town.asks("ada", old, FACT)
        new = await moved(town, old)
        assert not await town.leaks("ada", new)
        assert (await lyra.kept(DomainKind.ROOM, new))[0] == ASKED
        assert (await lyra.kept(DomainKind.ROOM, old))[0] == FACT


async def test_without_the_guard_the_new_room_would_know(town: Town) -> None:
    async with town.lyra(domains=Everything):
        old = await town.room("garden", "ada", "bob", version="10", public=True)
        await town.asks("ada", old, FACT)
        assert await town.leaks("ada", await moved(town, old))


async def test_what_an_admin_set_stays_behind_and_what_a_person_set_comes_along(town: Town) -> None:
    ada = await town.person("ada")
    async with town.lyra() as lyra:
        dm = await town.dm("ada")
        old = await town.room("garden", "ada", "bob", version="10", public=True)
        await ada.says(old, "!settings answers always")
        assert (await ada.hears(dm, lambda event: event.body.startswith("answers: always"))).kind == "m.notice"
        await town.sets("ada", dm, "reach on")
        await town.home.asks(ada, old, "she answers without a mention here")
        new = await moved(town, old)
        await (await town.person("bob")).joins(new)
        await town.asks("ada", new, FACT)
        before = len(lyra.chats)
        await ada.says(new, "she does not here")
        await town.asks("ada", new, "are you there?")
        assert len(lyra.chats) == before + 1 and "she does not here" not in await lyra.kept(DomainKind.ROOM, new)
        assert await town.leaks("ada", dm), "ada's own DM still reaches where she is"


class _Obedient(Doors):
    def moved(self, room: Room, tombstone: Seen) -> None:
        self._moves[word(tombstone.content, "replacement_room")] = room.id
        self._note()


class _Led(Matrix):
    """Follows whoever says so."""

    doors = _Obedient


@pytest.mark.parametrize("matrix", [Matrix, _Led], ids=["guarded", "unguarded"])
async def test_somebody_without_the_power_sends_her_nowhere(town: Town, matrix: type[Matrix]) -> None:
    eve = await town.person("eve")
    async with town.lyra(kind=matrix):
        room = await town.room("garden", "ada", "eve", levels={"events": {TOMBSTONE: 0}})
        trap = await eve.creates("Trap", public=True)
        await eve.sets(room, TOMBSTONE, {"body": "We moved", "replacement_room": trap})
        if matrix is _Led:
            await sees_inside(eve, trap, town.home.user)
            return
        answer = await town.asks("ada", room, "did we?")
        await town.caught_up()
        assert town.home.user not in await eve.members(trap, "join", "invite")
        assert answer.room == room, "the room goes on as it was"


async def test_a_dm_that_is_upgraded_is_their_dm_and_one_that_a_third_saw_is_none(town: Town) -> None:
    ada, bob = await town.person("ada"), await town.person("bob")
    async with town.lyra() as lyra:
        dms = [await ada.creates(direct=True, version="10", invite=[town.home.user]) for _ in range(2)]
        for dm in dms:
            await sees_inside(ada, dm, town.home.user)
        await town.asks("ada", dms[0], FACT)
        await ada.invites(dms[1], bob.user)
        assert await town.leaks("ada", await moved(town, dms[0]))
        seen = await moved(town, dms[1])
        assert not await town.leaks("ada", seen)
        assert (await lyra.kept(DomainKind.ROOM, seen))[0] == ASKED
        assert "7741" not in prompt(town.model.requests[-1])
