"""A room that replaces another: who can read it now, who could read that one, and what follows from both."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.rooms import Succession
from adapters.matrix.rooms.state import State
from tests.kits.adapter_kit import Notebook, room_circle
from tests.kits.matrix_states import (
    ADA,
    BO,
    CY,
    ENCRYPTED,
    ME,
    NEW,
    NEWEST,
    OLD,
    PUBLIC,
    SPACE,
    Json,
    Line,
    history,
    joining,
    member,
    replaced,
    says,
)  # fmt: skip


async def upgraded(*before: Json, after: Iterable[Json] = (), inside: Iterable[str] = (ME, ADA, BO)) -> Line:
    """Let Ada upgrade a room of Bo's and hers."""
    line = Line()
    await line.told(OLD, *before)
    await line.told(NEW, *after, inside=inside, replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    return line


async def test_a_room_goes_on_with_the_one_that_it_replaces() -> None:
    line = await upgraded()
    place = line.rooms.place(NEW)
    assert place and place.earlier == (room_circle(OLD),) and place.circle == room_circle(NEW)
    assert line.earlier(OLD) == []


# Both must say so


async def test_a_room_that_only_says_that_it_replaces_another_reads_nothing() -> None:
    line = Line()
    await line.told(NEW, replaces=OLD)
    assert line.earlier() == [], "nothing is known of that one"
    await line.told(OLD)
    assert line.earlier() == []
    await line.happens(OLD, replaced(NEWEST))
    assert line.earlier() == [], "that one was replaced by another"
    await line.happens(OLD, replaced(NEW))
    assert line.earlier() == [f"{OLD} 0"]
    await line.happens(OLD, replaced(NEWEST))
    assert line.earlier() == [], "and is so no more"


async def test_a_room_that_is_only_said_to_be_replaced_is_not() -> None:
    line = Line()
    await line.told(OLD, replaced(NEW))
    await line.told(NEW)
    assert line.earlier() == []


async def test_who_may_not_replace_a_room_does_not_by_saying_so() -> None:
    line = Line()
    await line.told(OLD, says("m.room.power_levels", {"users": {ADA: 100}, "events": {"m.room.tombstone": 0}}))
    await line.told(NEW, inside=(ME, BO), replaces=OLD)
    await line.happens(OLD, replaced(NEW, BO))
    assert line.earlier() == []


async def test_who_replaced_a_room_rightly_may_lose_their_rights_later() -> None:
    line = await upgraded()
    await line.happens(OLD, says("m.room.power_levels", {"users": {BO: 100}}))
    assert line.earlier() == [f"{OLD} 0"]


# Everyone here was there


@pytest.mark.parametrize("membership", ["join", "invite"])
async def test_somebody_who_was_not_there_ends_it_as_long_as_they_are_here(membership: str) -> None:
    line = await upgraded()
    await line.happens(NEW, member(CY, membership))
    assert line.earlier() == []
    await line.happens(NEW, member(CY, "leave"))
    assert line.earlier() == [f"{OLD} 0"]


async def test_who_leaves_the_old_room_later_was_there() -> None:
    line = await upgraded()
    await line.happens(OLD, member(BO, "leave"))
    assert line.earlier() == [f"{OLD} 0"]
    place = line.rooms.place(OLD)
    assert place and place.circle == room_circle(OLD, 1), "what is said there now they could not read"
    await line.happens(OLD, member(BO, "join"), member(CY, "join"))
    await line.happens(NEW, member(CY, "join"))
    assert line.earlier() == [], "nor could who comes there now read all of before"


async def test_who_had_left_the_old_room_before_it_ended_was_not_there() -> None:
    line = Line()
    await line.told(OLD)
    await line.happens(OLD, member(BO, "leave"))
    await line.told(NEW, replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    assert line.earlier() == []


async def test_who_comes_to_the_old_room_and_can_read_all_of_it_was_as_good_as_there() -> None:
    line = await upgraded()
    await line.happens(NEW, member(CY))
    assert line.earlier() == []
    await line.happens(OLD, member(CY))
    assert line.earlier() == [f"{OLD} 0"]


async def test_who_comes_to_the_old_room_and_cannot_read_it_was_not_there() -> None:
    line = await upgraded(history("joined"))
    await line.happens(NEW, member(CY))
    await line.happens(OLD, member(CY))
    assert line.earlier() == []


async def test_who_was_let_in_on_what_they_could_not_read_was_not_there() -> None:
    line = Line()
    line.rooms.waived = lambda room: room == OLD
    await line.told(OLD, history("joined"))
    await line.happens(OLD, member(CY))
    await line.told(NEW, inside=(ME, ADA, BO, CY), replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    assert line.earlier() == []


async def test_only_the_last_readers_of_the_old_room_count() -> None:
    line = Line()
    await line.told(OLD, history("joined"))
    await line.happens(OLD, member(CY))
    await line.told(NEW, inside=(ME, ADA, BO, CY), replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    assert line.earlier() == [f"{OLD} 1"], "and only what they could read"


async def test_who_is_invited_by_an_address_may_be_anybody() -> None:
    line = await upgraded()
    await line.happens(NEW, says("m.room.third_party_invite", {"display_name": "c...@e..."}, "token"))
    assert line.earlier() == []


# Who could come or look in


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        pytest.param([], [PUBLIC], False, id="made public"),
        pytest.param([], [PUBLIC, history("joined")], True, id="made public, but nobody reads what was said before"),
        pytest.param([], [PUBLIC, ENCRYPTED], True, id="made public, but nobody has the keys"),
        pytest.param([], [history("world_readable")], False, id="made readable by the world"),
        pytest.param([], [joining("knock")], False, id="opened to knocks"),
        pytest.param([], [SPACE], False, id="opened to a space"),
        pytest.param([PUBLIC], [PUBLIC], True, id="public as before"),
        pytest.param([PUBLIC], [], True, id="public before"),
        pytest.param([PUBLIC], [history("world_readable")], True, id="public before, readable by the world now"),
        pytest.param([PUBLIC, history("joined")], [PUBLIC], False, id="public before, where newcomers read nothing"),
        pytest.param([history("world_readable")], [history("world_readable")], False, id="readable by the world as before"),
        pytest.param([SPACE], [SPACE], True, id="open to a space as before"),
        pytest.param([SPACE], [joining("restricted", allow=[])], False, id="open to another space"),
        pytest.param([ENCRYPTED], [], False, id="encrypted no more"),
        pytest.param([ENCRYPTED], [ENCRYPTED], True, id="encrypted as before"),
        pytest.param([], [ENCRYPTED], True, id="encrypted now"),
    ],
)  # fmt: skip
async def test_a_room_that_more_could_come_to_or_look_into_reads_nothing(
    before: list[Json], after: list[Json], goes_on: bool
) -> None:
    line = await upgraded(*before, after=after)
    assert line.earlier() == ([f"{OLD} 0"] if goes_on else [])


async def test_it_is_asked_of_what_holds_now() -> None:
    line = await upgraded()
    for change, goes_on in ((PUBLIC, False), (joining("invite"), True), (history("world_readable"), False)):
        await line.happens(NEW, change)
        assert bool(line.earlier()) is goes_on


async def test_where_anybody_could_read_the_old_room_anybody_may_come_to_the_new_one() -> None:
    line = await upgraded(PUBLIC, after=[PUBLIC])
    await line.happens(OLD, member(BO, "leave"), history("joined"))
    await line.happens(NEW, member(CY))
    assert line.earlier() == [f"{OLD} 0"], "what was said before the end can still be read by all"
    await line.happens(OLD, member(CY, "ban"))
    assert line.earlier() == [], "but for who may not go there"
    await line.happens(OLD, member(CY, "leave"), joining("invite"))
    assert line.earlier() == [], "nor where nobody can go there any more"
    await line.happens(NEW, member(CY, "leave"), joining("invite"))
    assert line.earlier() == [f"{OLD} 0"]


async def test_what_is_not_seen_any_more_is_open_to_nobody_else() -> None:
    line = await upgraded(PUBLIC, after=[PUBLIC])
    await line.happens(OLD, member(ME, "leave"))
    assert line.earlier() == []
    await line.happens(NEW, joining("invite"))
    assert line.earlier() == [f"{OLD} 0"], "those who were there were there"


# Several, and over restarts


async def test_several_upgrades_are_followed_back_until_somebody_was_not_there() -> None:
    notes = Notebook()
    line = Line(notes)
    await line.told(OLD)
    await line.told(NEW, inside=(ME, ADA, BO, CY), replaces=OLD)
    await line.told(NEWEST, replaces=NEW)
    await line.happens(OLD, replaced(NEW))
    await line.happens(NEW, replaced(NEWEST))
    assert line.earlier(NEWEST) == [f"{NEW} 0", f"{OLD} 0"] and line.earlier(NEW) == []
    await line.happens(NEWEST, member(CY))
    assert line.earlier(NEWEST) == [f"{NEW} 0"]
    await line.happens(NEWEST, member(CY, "leave"))
    again = Line(notes)
    await again.told(NEWEST, replaces=NEW)
    assert again.earlier(NEWEST) == [f"{NEW} 0", f"{OLD} 0"], "though she is in none of them any more"


async def test_what_little_is_told_of_a_room_that_she_was_put_out_of_ends_nothing() -> None:
    notes = Notebook()
    line = Line(notes)
    await line.told(OLD)
    await line.happens(OLD, replaced(NEW))
    again = Line(notes)
    room = await again.rooms.meet(OLD, "s3")
    room.begin(State([member(ME)]), complete=True)
    room.apply(member(ME, "leave"))
    await again.rooms.settle([room], "s3")
    await again.told(NEW, replaces=OLD)
    assert again.earlier() == [f"{OLD} 0"]


async def test_rooms_that_replace_each_other_are_not_followed_for_ever() -> None:
    line = Line()
    await line.told(OLD, replaces=NEW)
    await line.told(NEW, replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    await line.happens(NEW, replaced(OLD))
    assert line.earlier(NEW) == [f"{OLD} 0"] and line.earlier(OLD) == [f"{NEW} 0"]


async def test_what_was_noted_before_there_were_endings_is_read_as_well() -> None:
    notes = Notebook()
    old = {"epoch": 2, "shape": "room", "encrypted": False, "hidden": True, "admitted": False, "inside": True}
    await notes.put(f"room {OLD}", {"at": "s0", "was": None, "is": old})
    line = Line(notes)
    await line.told(OLD, replaced(NEW))
    await line.told(NEW, replaces=OLD)
    assert line.earlier() == [f"{OLD} 2"]


# Without the guards


class _Credulous(Succession):
    """Takes every reader for one who was there."""

    def may_know(self, room: Room, past: Room) -> bool:
        return True


CASES: list[Callable[[Line], Any]] = [
    lambda line: line.happens(NEW, member(CY)),
    lambda line: line.happens(NEW, PUBLIC),
    lambda line: line.happens(NEW, history("world_readable")),
]


@pytest.mark.parametrize("kind", [Succession, _Credulous], ids=["guarded", "without the guard"])
@pytest.mark.parametrize("change", CASES, ids=["a newcomer", "made public", "opened to the world"])
async def test_without_the_guard_whoever_comes_would_read_the_old_room(
    change: Callable[[Line], Any], kind: type[Succession]
) -> None:
    line = Line(kind=kind)
    await line.told(OLD)
    await line.told(NEW, replaces=OLD)
    await line.happens(OLD, replaced(NEW))
    await change(line)
    assert bool(line.earlier()) is (kind is _Credulous)
