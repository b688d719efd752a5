"""Who reads a room, by its state alone: when two are alone in it, and when somebody else comes to read it."""

import pytest

from adapters.matrix.rooms.room import Room
from adapters.matrix.rooms.state import State
from tests.kits.matrix_states import ENCRYPTED, Json, history, joining, member, says

DOORS = ("public", "knock", "restricted", "knock_restricted", "private", "something new", None, ["invite"])
CLOSED = [[], [joining("invite")], [history("shared")]]
OPEN = [
    *([joining(rule)] for rule in DOORS),
    [says("m.room.join_rules", {})],
    [history("world_readable")],
    [says("m.room.third_party_invite", {"display_name": "b...@e..."}, "token")],
    [says("m.room.third_party_invite", {}, "token")],
    [member("@bo", "leave")],
]


@pytest.mark.parametrize(("told", "private"), [*((told, True) for told in CLOSED), *((told, False) for told in OPEN)], ids=str)
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_two_are_alone_only_where_nobody_else_could_come_or_read(told: list[Json], private: bool, encrypted: bool) -> None:
    sealed = [ENCRYPTED][: int(encrypted)]
    room = Room("!room", "@lyra", None, lambda room: False, lambda room: False)
    room.begin(State([*map(member, ("@lyra", "@ada")), *sealed, *told]), complete=True)
    assert room.place().is_private is private
    room.begin(State([*map(member, ("@lyra", "@ada")), *sealed]), complete=True)
    assert room.place().is_private is private, "what it was once it is for good"
    later = Room("!room", "@lyra", None, lambda room: False, lambda room: False)
    later.begin(State([*map(member, ("@lyra", "@ada")), *sealed]), complete=True)
    before = later.place()
    for event in told:
        later.apply(event)
    assert later.place().is_private is private and (later.place().circle == before.circle) is private


INVITED, COMES, LEAVES = (member("@cy", one) for one in ("invite", "join", "leave"))
SHARED, SHUT, ASKED = (history(one) for one in ("shared", "joined", "invited"))
WORLD = history("world_readable")
NEWCOMERS = [
    ([SHUT], [INVITED, COMES], [0, 1], "who joins"),
    ([ASKED], [INVITED, COMES], [1, 1], "who is invited and reads from then on"),
    ([ASKED], [INVITED, LEAVES, INVITED, COMES], [1, 1, 2, 2], "who is invited again"),
    ([SHARED], [INVITED, COMES], [0, 0], "who reads everything"),
    ([SHARED, ENCRYPTED], [INVITED, COMES], [1, 1], "who gets the keys with the invitation"),
    ([SHUT, ENCRYPTED], [INVITED, COMES], [0, 1], "who gets the keys when they join"),
    ([SHUT], [INVITED, ASKED, COMES], [0, 1, 1], "who was invited and reads from now on"),
    ([SHUT], [SHARED, COMES], [1, 1], "whoever comes after the history was opened"),
    ([SHUT], [SHARED, SHUT, COMES], [1, 1, 2], "whoever comes after it was opened and shut"),
    *(([SHUT], [history(odd), COMES], [1, 1], f"whoever reads what is {odd!r} to the specification") for odd in ("later", 5)),
    ([SHARED], [WORLD, SHARED, WORLD], [1, 1, 2], "all the world"),
    ([WORLD], [COMES, SHARED, COMES], [0, 0, 0], "nobody who could not"),
    ([SHARED, ENCRYPTED], [WORLD], [0], "the world, which has no keys"),
]


@pytest.mark.parametrize(("told", "events", "epochs"), [case[:3] for case in NEWCOMERS], ids=[case[3] for case in NEWCOMERS])
def test_a_new_epoch_begins_for(told: list[Json], events: list[Json], epochs: list[int]) -> None:
    """As soon as somebody can read what is said who could not read what was said before."""
    room = Room("!room", "@lyra", None, lambda room: False, lambda room: False)
    room.begin(State([*map(member, ("@lyra", "@ada", "@bo")), *told]), complete=True)
    seen = []
    for event in events:
        room.apply(event)
        seen.append(room.place().epoch)
    assert seen == epochs


def test_an_admin_can_waive_what_an_opened_history_would_hide() -> None:
    room = Room("!room", "@lyra", None, lambda room: True, lambda room: False)
    room.begin(State([*map(member, ("@lyra", "@ada", "@bo")), SHUT]), complete=True)
    room.apply(SHARED)
    assert room.place().epoch == 0
    room.apply(WORLD)
    assert room.place().epoch == 1, "but not for all the world"
