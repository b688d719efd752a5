"""Rooms on Matrix that others can come into or look into: two people in one are not alone, and never were."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import People, Person, Proxy
from tests.flow.test_lyra_matrix_sending import Telling
from tests.kits import matrix_knowing
from tests.kits.awake import prompt
from tests.kits.matrix_knowing import ASKED, CANARY, FACT, Town, Unguarded, sees_inside, town_of
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

JOINING, HISTORY = "m.room.join_rules", "m.room.history_visibility"
SPACE = "!space:lyra.test"
OPEN: dict[str, dict[str, Any]] = {
    "public": {"public": True},
    "knocked at": {"joining": {"join_rule": "knock"}},
    "for a space": {"joining": {"join_rule": "restricted", "allow": [{"type": "m.room_membership", "room_id": SPACE}]}},
    "for a space, knocked at": {
        "joining": {"join_rule": "knock_restricted", "allow": [{"type": "m.room_membership", "room_id": SPACE}]}
    },
    "public and encrypted": {"public": True, "encrypted": True},
}


town = matrix_knowing.town


class _Blind(Room):
    """A room whose doors and windows nobody looks at."""

    @property
    def is_closed(self) -> bool:
        return True

    def _settle(self) -> None:
        super()._settle()
        self.record = replace(self.record, shut=False)


class _Unwatched(Rooms):
    async def meet(self, room_id: str, since: str) -> Room:
        found = await super().meet(room_id, since)
        if isinstance(found, _Blind):
            return found
        return _Blind(found.id, found.me, None, lambda room: self.waived(room), lambda room: False)


class Unwatched(Matrix):
    """The guard of open rooms switched off: who is in a room is all who read it."""

    rooms = _Unwatched


KINDS = [pytest.param(Matrix, id="guarded"), pytest.param(Unwatched, id="without the guard")]


async def two_in(town: Town, **made: Any) -> str:
    """Let Ada make a room for herself and Lyra alone."""
    ada = await town.person("ada")
    room = await ada.creates("Corner", **made)
    await ada.invites(room, town.home.user)
    await sees_inside(ada, room, town.home.user)
    return room


async def seen_by(stranger: Person, room: str) -> list[str]:
    """Return what somebody who is not in a room reads there."""
    return [event.body for event in await stranger.messages(room)]


# Two in an open room


@pytest.mark.torture
@pytest.mark.parametrize("kind", KINDS)
async def test_a_stranger_reads_nothing_that_was_told_in_private(town: Town, kind: type[Matrix]) -> None:
    async with town.lyra(kind=kind):
        await town.asks("ada", await town.dm("ada"), FACT)
        room = await two_in(town, history="world_readable")
        eve = await town.person("eve")
        assert await town.leaks("ada", room) is (kind is Unwatched)
        read = await seen_by(eve, room)
        assert any(ASKED in text for text in read), "a stranger reads along"
        if kind is Unwatched:
            await town.asks("ada", room, "!recall locker number")
        else:
            assert (await town.home.reads_aside(await town.person("ada"), room, "!recall locker number")).room != room
        assert any(CANARY in text for text in await seen_by(eve, room)) is (kind is Unwatched)


@pytest.mark.torture
@pytest.mark.parametrize("made", few(OPEN.values(), 3), ids=few(OPEN, 3))
async def test_two_who_are_not_alone_for_sure_are_in_a_room_for_good(town: Town, made: dict[str, Any]) -> None:
    ada = await town.person("ada")
    async with town.lyra() as lyra:
        dm = await town.dm("ada")
        await town.asks("ada", dm, FACT)
        room = await two_in(town, **made)
        assert not await town.leaks("ada", room)
        aside = await town.home.reads_aside(ada, room, "!recall locker number")
        assert aside.room != room, "what is for ada alone is told elsewhere"
        assert (await lyra.kept(DomainKind.ROOM, room))[0] == ASKED
        await ada.sets(room, JOINING, {"join_rule": "invite"})
        await ada.sets(room, HISTORY, {"history_visibility": "invited"})
        assert not await town.leaks("ada", room), "closed again, it is what it was"
        assert not any(CANARY in event.body for event in await town.home.said(ada, room))
        assert await town.leaks("ada", dm)


@pytest.mark.torture
async def test_who_is_invited_by_an_address_is_not_nobody(town: Town) -> None:
    """Nobody can say who that is."""
    ada = await town.person("ada")
    async with town.lyra():
        dm = await town.dm("ada")
        await town.asks("ada", dm, FACT)
        invited = {"display_name": "b...@e...", "key_validity_url": "https://id.test/v", "public_key": "x", "public_keys": []}
        await ada.sets(dm, "m.room.third_party_invite", invited, "token")
        assert not await town.leaks("ada", dm)


# A room that is opened up in mid-life

OPENINGS = [
    (JOINING, {"join_rule": "public"}),
    (HISTORY, {"history_visibility": "world_readable"}),
    (JOINING, {"join_rule": "knock"}),
]


@pytest.mark.parametrize(("part", "content"), few(OPENINGS), ids=few(["public", "to the world", "to knocks"]))
async def test_a_dm_that_is_opened_knows_nothing_of_what_was_said_in_private(
    town: Town, part: str, content: dict[str, str]
) -> None:
    ada = await town.person("ada")
    before = {JOINING: {"join_rule": "invite"}, HISTORY: {"history_visibility": "shared"}}
    async with town.lyra() as lyra:
        dm = await town.dm("ada")
        await town.asks("ada", dm, FACT)
        await ada.sets(dm, part, content)
        assert not await town.leaks("ada", dm)
        await ada.sets(dm, part, before[part])
        assert not await town.leaks("ada", dm)
        assert len(await lyra.kept(DomainKind.ROOM, dm, 1)) == 4
    async with town.lyra():
        assert not await town.leaks("ada", dm), "after a restart, too"
        assert await town.leaks("ada", await town.dm("ada"))


@pytest.mark.torture
@pytest.mark.parametrize("kind", KINDS)
async def test_a_room_that_the_world_comes_to_read_tells_it_nothing_of_before(town: Town, kind: type[Matrix]) -> None:
    eve = await town.person("eve")
    async with town.lyra(kind=kind) as lyra:
        room = await town.room("garden", "ada", "bob")
        await town.asks("ada", room, FACT)
        await (await town.person("bob")).says(room, f"by the way, {FACT}, too")
        await (await town.person("ada")).sets(room, HISTORY, {"history_visibility": "world_readable"})
        assert await town.leaks("bob", room) is (kind is Unwatched)
        assert any(ASKED in text for text in await seen_by(eve, room))
        if kind is Matrix:
            assert (await lyra.kept(DomainKind.ROOM, room, 1))[0] == ASKED


@pytest.mark.torture
async def test_a_room_that_the_world_reads_from_the_first_goes_on(town: Town) -> None:
    async with town.lyra():
        room = await town.room("garden", "ada", "bob", history="world_readable")
        await town.asks("ada", room, FACT)
    async with town.lyra():
        assert await town.leaks("bob", room)


@pytest.mark.parametrize("domains", [DomainAccess, Unguarded], ids=["guarded", "without the guard"])
async def test_an_answer_for_one_alone_does_not_go_out_to_a_room_that_was_opened_meanwhile(
    town: Town, domains: type[DomainAccess]
) -> None:
    ada = await town.person("ada")
    async with town.lyra(domains=domains):
        dm = await town.dm("ada")
        await town.asks("ada", dm, FACT)
        heard = len(town.model.requests)
        town.model.thinks = True
        question = await ada.says(dm, ASKED)
        await town.model.heard(heard + 1)
        assert CANARY in prompt(town.model.requests[-1])
        await ada.sets(dm, JOINING, {"join_rule": "public"})
        await town.caught_up()
        town.model.go.set()
        await town.asks("ada", dm, "and the weather?")
        said = await town.home.said(ada, dm)
        replies = [
            one.content
            for one in said
            if one.content.get("m.relates_to", {}).get("m.in_reply_to", {}).get("event_id") == question
        ]
        (told,) = [str(one["body"]) for one in replies]
        assert ("Who can read this place changed" in told) is (domains is DomainAccess)
        assert (told == f"You said: {ASKED}") is (domains is Unguarded)


@pytest.mark.torture
async def test_a_dm_that_is_opened_while_an_answer_is_shown_keeps_nothing_of_it(
    people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with town_of(people, proxy, tmp_path, monkeypatch) as town, Telling() as model:
        ada, eve = await town.person("ada"), await town.person("eve")
        async with town.home.lyra(model, matrix="streaming = true") as lyra:
            lyra.adapter.edit_seconds = 0.02
            dm = await town.dm("ada")
            model.script(b.Endless())
            model.says("Once there was")
            shown = await town.home.asks(ada, dm, "tell me a tale")
            await ada.sets(dm, JOINING, {"join_rule": "public"})
            await ada.hears(dm, lambda event: shown.id in (event.raw.get("redacts"), event.content.get("redacts")))
            model.says(" a door.", "")
            await lyra.heard()
            await eve.joins(dm)
            assert not any("Once" in text for text in await seen_by(eve, dm))
