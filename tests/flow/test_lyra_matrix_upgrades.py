"""Rooms that are upgraded: she follows those who may send her, and goes on where everyone could read the old room."""

import pytest

from adapters.events import Circle, Reach
from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.event import RoomEvent, word
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Rooms, Succession
from bot.conversation.domain_access import DomainAccess
from memory.types import DomainKind
from tests.fakes.matrix import Status
from tests.fakes.matrix.faults import SEND
from tests.kits import matrix_knowing
from tests.kits.awake import prompt
from tests.kits.matrix_knowing import ASKED, CANARY, FACT, Town, Unguarded, sees_inside
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures"]

TOMBSTONE = "m.room.tombstone"

town = matrix_knowing.town


async def moved(town: Town, room: str) -> str:
    """Let Ada upgrade a room, and ask Lyra in where she cannot come by herself; return the new room."""
    ada = await town.person("ada")
    new = await ada.upgrades(room, "12")
    if (await ada.state(new, "m.room.join_rules"))["join_rule"] != "public":
        await ada.invites(new, town.home.user)
    await sees_inside(ada, new, town.home.user)
    return new


# She goes on


async def notices(town: Town, room: str) -> list[str]:
    """Return what she said of herself in a room."""
    said = await town.home.said(await town.person("ada"), room)
    return [one.body for one in said if one.body.startswith(("Hello, I am Lyra", "This room replaces one"))]


@pytest.mark.parametrize("made", few([{"encrypted": True}, {"public": True}, {}], 2), ids=str)
async def test_she_follows_an_admin_and_goes_on_with_what_she_heard(town: Town, made: dict[str, object]) -> None:
    async with town.lyra(matrix=f'invites = ["{(await town.person("ada")).user}"]') as lyra:
        old = await town.room("garden", "ada", "bob", version="10", **made)
        await town.asks("ada", old, FACT)
        new = await moved(town, old)
        assert await town.leaks("ada", new)
        await town.comes("bob", new)
        await (await town.person("bob")).leaves(old)
        assert await town.leaks("bob", new), "bob was there, though he is no more"
        [told] = await notices(town, new)
        assert told.startswith("This room replaces one that I was in. I go on with what I heard there")
        assert (await lyra.kept(DomainKind.ROOM, new))[0] == ASKED
        assert (await lyra.kept(DomainKind.ROOM, old))[0] == FACT, "nothing moves"
    async with town.lyra():
        assert await town.leaks("ada", new), "after a restart"


class _Credulous(Succession):
    """Takes whoever comes for somebody who was there, and every room for what it says it replaces."""

    def earlier(self, room: Room) -> tuple[Circle, ...]:
        return tuple(Circle(Reach.ROOM, old) for old in [room.state.predecessor] if old)


class _Unwatched(Rooms):
    succession = _Credulous


class Unwatched(Matrix):
    rooms = _Unwatched


GUARDS = pytest.mark.parametrize("kind", [Matrix, Unwatched], ids=["guarded", "without the guard"])


@pytest.mark.torture
@GUARDS
async def test_it_ends_when_somebody_is_asked_in_who_was_not_there(town: Town, kind: type[Matrix]) -> None:
    ada, cy = await town.person("ada"), await town.person("cy")
    async with town.lyra(kind=kind):
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, FACT)
        new = await moved(town, old)
        await ada.invites(new, cy.user)
        assert await town.leaks("ada", new) is (kind is Unwatched)
        await cy.joins(new)
        assert await town.leaks("cy", new) is (kind is Unwatched)
        if kind is Matrix:
            assert CANARY not in await town.tells("cy", new, "!recall locker number")
            await cy.leaves(new)
            await town.caught_up()
            assert await town.leaks("ada", new), "and goes on when they are gone"


@pytest.mark.torture
@GUARDS
async def test_a_room_that_says_it_replaces_another_reads_nothing_of_it(town: Town, kind: type[Matrix]) -> None:
    """Anybody can say so, and be in the other room or not."""
    eve = await town.person("eve")
    async with town.lyra(kind=kind):
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, FACT)
        forged = await eve.creates("Garden", version="10", replaces=old, invite=[town.home.user])
        await sees_inside(eve, forged, town.home.user)
        assert await town.leaks("eve", forged) is (kind is Unwatched)
        if kind is Matrix:
            mine = await (await town.person("bob")).creates("Garden", version="10", replaces=old, invite=[town.home.user])
            await sees_inside(await town.person("bob"), mine, town.home.user)
            assert not await town.leaks("bob", mine), "nor does one of somebody who was there"
            assert (await notices(town, old))[0].startswith("Hello")


@pytest.mark.torture
@pytest.mark.parametrize("domains", [DomainAccess, Unguarded], ids=["guarded", "without the guard"])
async def test_an_answer_made_while_a_newcomer_comes_holds_nothing_of_the_old_room(
    town: Town, domains: type[DomainAccess]
) -> None:
    async with town.lyra(domains=domains):
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, FACT)
        new = await moved(town, old)
        await town.asks("ada", new, "are you there?")
        heard = len(town.model.requests)
        town.model.thinks = True
        question = await (await town.person("ada")).says(new, ASKED, mentions=[town.home.user])
        await town.model.heard(heard + 1)
        assert CANARY in prompt(town.model.requests[-1])
        await town.comes("cy", new)
        await town.caught_up()
        town.model.go.set()
        await town.home.answer(await town.person("ada"), new, question)
        # Asked again, without what cy could not read.
        assert (CANARY in prompt(town.model.requests[-1])) is (domains is Unguarded)


@pytest.mark.torture
@pytest.mark.parametrize("domains", [DomainAccess, Unguarded], ids=["guarded", "without the guard"])
async def test_an_answer_that_waited_does_not_reach_a_newcomer(town: Town, domains: type[DomainAccess]) -> None:
    faults = town.home.proxy.faults
    async with town.lyra(domains=domains) as lyra:
        old = await town.room("garden", "ada", "bob", version="10")
        await town.asks("ada", old, FACT)
        new = await moved(town, old)
        await town.asks("ada", new, "are you there?")
        faults.always(SEND, Status(502))
        town.model.script(f"It is {CANARY}.")
        heard = len(town.model.requests)
        await (await town.person("ada")).says(new, ASKED, mentions=[town.home.user])
        await town.model.heard(heard + 1)
        await lyra.heard()
        await town.comes("cy", new)
        faults.lift()
        await town.caught_up()
        await lyra.talk.tick()
        said = [one.body for one in await town.home.said(await town.person("ada"), new)]
        assert (f"It is {CANARY}." in said) is (domains is Unguarded)


@pytest.mark.torture
async def test_who_said_something_in_the_old_room_has_it_forgotten_in_the_new_one(town: Town) -> None:
    """In the old one nobody can say anything any more."""
    async with town.lyra() as lyra:
        old = await town.room("garden", "ada", "bob", version="10")
        hers = await (await town.person("ada")).says(old, FACT, mentions=[town.home.user])
        await town.home.answer(await town.person("ada"), old, hers)
        his = await (await town.person("bob")).says(old, "my locker number is 8888", mentions=[town.home.user])
        await town.home.answer(await town.person("bob"), old, his)
        new = await moved(town, old)
        await town.comes("bob", new)
        assert "Only whoever said it" in await town.tells("bob", new, f"!forget {hers}")
        assert "forgotten" in (await town.tells("bob", new, f"!forget {his}")).casefold()
        assert not any("8888" in text for text in await lyra.kept(DomainKind.ROOM, old))
        await (await town.person("ada")).kicks(old, town.home.user)
        await town.caught_up()
        await town.tells("ada", new, "!forget all yes")
        assert not any(CANARY in text for text in await lyra.kept(DomainKind.ROOM, old))


class _Hopeful(Rooms):
    def hears(self, room_id: str) -> bool:
        return True


class Hopeful(Matrix):
    """Takes it that nobody changes what was said in a room that she is in no more."""

    rooms = _Hopeful


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, Hopeful], ids=["guarded", "without the guard"])
async def test_what_may_be_taken_back_in_the_old_room_unheard_comes_up_no_more(town: Town, kind: type[Matrix]) -> None:
    """It is kept, can be forgotten, and comes up again as it stands then when she is let in again."""
    ada = await town.person("ada")
    async with town.lyra(kind=kind) as lyra:
        old = await town.room("garden", "ada", "bob", version="10")
        said = await ada.says(old, FACT, mentions=[town.home.user])
        await town.home.answer(ada, old, said)
        await town.asks("ada", old, "and my bicycle is blue")
        new = await moved(town, old)
        assert await town.leaks("ada", new)
        await ada.kicks(old, town.home.user)
        await town.caught_up()
        await ada.redacts(old, said)
        assert await town.leaks("ada", new) is (kind is Hopeful)
        assert FACT in await lyra.kept(DomainKind.ROOM, old)
    if kind is Matrix:
        async with town.lyra() as lyra:
            assert not await town.leaks("ada", new), "nor after a restart"
            await ada.invites(old, town.home.user)
            await sees_inside(ada, old, town.home.user)
            await town.caught_up()
            assert not await town.leaks("ada", new)
            await town.asks("ada", new, "which colour has my bicycle?")
            assert "my bicycle is blue" in prompt(lyra.chats[-1])


@pytest.mark.torture
@pytest.mark.parametrize("kind", [Matrix, Hopeful], ids=["guarded", "without the guard"])
async def test_nor_does_what_may_be_taken_back_in_an_old_dm(town: Town, kind: type[Matrix]) -> None:
    ada = await town.person("ada")
    async with town.lyra(kind=kind):
        old = await ada.creates(direct=True, version="10", invite=[town.home.user])
        await sees_inside(ada, old, town.home.user)
        said = await ada.says(old, FACT)
        await town.home.answer(ada, old, said)
        new = await moved(town, old)
        assert await town.leaks("ada", new)
        await town.home.owner.leaves(old)
        await town.caught_up()
        await ada.redacts(old, said)
        await town.asks("ada", new, "!new elsewhere")
        assert await town.leaks("ada", new) is (kind is Hopeful)


# What comes along, and where she goes


@pytest.mark.torture
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


class _Obedient(Invitations):
    def moved(self, room: Room, tombstone: RoomEvent) -> None:
        self._moves[word(tombstone.content, "replacement_room")] = {room.id: ""}
        self._changed = True


class _Led(Matrix):
    """Follows whoever says so."""

    invitations = _Obedient


@pytest.mark.torture
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


@pytest.mark.torture
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
