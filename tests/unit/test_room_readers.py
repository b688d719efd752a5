"""Whatever happens in a room, and in which order: what is kept together was readable to everyone who reads it later."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from adapters.events import Circle
from adapters.matrix.rooms.room import Room, RoomRecord
from adapters.matrix.rooms.rooms import Succession
from adapters.matrix.rooms.state import State
from tests.kits.matrix_states import ENCRYPTED, Json, history, joining, made, member, replaced
from tests.kits.size import examples

ME, ADA, OTHERS = "@lyra", "@ada", ("@bo", "@cy")
STRANGER = "anybody in the world"
MEMBERSHIPS = some.sampled_from(["join", "invite", "leave", "ban"])
HAPPENS = some.one_of(
    some.builds(member, some.sampled_from([ADA, *OTHERS]), MEMBERSHIPS),
    some.sampled_from(["joined", "invited", "shared", "world_readable"]).map(history),
    some.sampled_from(["invite", "public", "knock"]).map(joining),
    some.just(ENCRYPTED),
    some.just(None),  # somebody says something
    some.just(None),
)


@dataclass
class Truth:
    """What really is so, as a homeserver and clients have it, told of nothing but the events."""

    inside: dict[str, str] = field(default_factory=lambda: {ADA: "join"})
    visibility: str = "shared"
    encrypted: bool = False
    said: list["Words"] = field(default_factory=list)

    def take(self, event: Json) -> None:
        """Go on to after an event."""
        content = event["content"]
        match event["type"]:
            case "m.room.member":
                self.inside[event["state_key"]] = content["membership"]
                if content["membership"] == "join":
                    for words in self.said:
                        words.comes(event["state_key"])
            case "m.room.history_visibility":
                self.visibility = content["history_visibility"]
            case "m.room.encryption":
                self.encrypted = True

    def readers(self) -> set[str]:
        """Return who reads what is said now, or will when they follow their invitation."""
        invited = ("join",) if self.visibility == "joined" else ("join", "invite")
        found = {user for user, membership in self.inside.items() if membership in invited}
        return found | ({STRANGER} if self.visibility == "world_readable" and not self.encrypted else set())

    def says(self, circle: Circle | None, private: bool) -> "Words":
        """Let something be said in a room as it is now."""
        later = self.visibility in ("shared", "world_readable") and not self.encrypted
        words = Words(circle, private, self.readers(), later)
        self.said.append(words)
        return words


@dataclass
class Words:
    """Something that was said: in which circle, who can read it, and whether who comes later can as well."""

    circle: Circle | None
    private: bool
    readers: set[str]
    later: bool

    def comes(self, user: str) -> None:
        """Let somebody join."""
        if self.later:
            self.readers.add(user)


def played(happens: list[Json | None], restarts: set[int], kind: type[Room] = Room) -> Iterator[tuple[Truth, Words, Room]]:
    """Yield what is said, with the room as it is then; at some points she starts anew with what was noted."""
    truth, room = Truth(), kind("!room", ME, None, lambda room: False, lambda room: False)
    room.begin(State([made(), member(ME), member(ADA)]), complete=True)
    for at, event in enumerate(happens):
        if at in restarts:
            state, room = (
                room.state,
                kind("!room", ME, RoomRecord.from_note(asdict(room.record)), lambda room: False, lambda room: False),
            )
            room.begin(state, complete=True)
        if event is not None:
            truth.take(event)
            room.apply(event)
        elif "join" in truth.inside.values():
            place = room.place()
            yield truth, truth.says(place.circle, place.is_private), room


def holds(happens: list[Json | None], restarts: set[int], kind: type[Room] = Room) -> bool:
    """Say whether all that was kept together could be read by all who read it later, and what was private by one alone."""
    for truth, now, room in played(happens, restarts, kind):
        for before in truth.said:
            new = now.readers - before.readers
            read = STRANGER not in new and (before.later or not (new or now.later))
            if now.circle and before.circle == now.circle and not read:
                return False
        if now.private and not (now.readers <= {ADA} and room.state.is_by_invitation and not {*OTHERS} & {*truth.inside}):
            return False
    return True


LIVES = some.tuples(some.lists(HAPPENS, max_size=12), some.sets(some.integers(0, 11), max_size=2))


@settings(max_examples=examples(100))
@given(LIVES)
def test_whatever_happens_in_a_room_nobody_reads_what_they_could_not(life: tuple[list[Json | None], set[int]]) -> None:
    assert holds(*life)


class _Deaf(Room):
    """Hears of no newcomer."""

    def _newcomer(self) -> None:
        pass


class _Windowless(Room):
    """Does not care whether the world looks in."""

    def _settle(self) -> None:
        super()._settle()
        self.record = replace(self.record, shut=False)


class _Doorless(Room):
    """Takes two for alone wherever they are."""

    @property
    def is_closed(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "life"),
    [
        (_Deaf, [member("@cy"), ENCRYPTED, None, member("@bo"), None]),
        (_Windowless, [member("@bo"), None, history("world_readable"), None]),
        (_Doorless, [joining("public"), None]),
    ],
)
def test_without_one_of_the_guards_somebody_would(kind: type[Room], life: list[Json | None]) -> None:
    assert not holds(life, set(), kind) and holds(life, set())


# A room that replaces another

OLD, NEW = "!old", "!new"
UPGRADES = some.one_of(
    some.tuples(some.sampled_from([OLD, NEW]), HAPPENS),
    some.just((OLD, replaced(NEW))),
    some.just((OLD, replaced("!elsewhere"))),
    some.just((OLD, member(ME, "leave"))),
)


def goes_on_rightly(happens: list[tuple[str, Json | None]], kind: type[Succession] = Succession) -> bool:
    """Say whether whoever read the new room could read all that was told there of the old one."""
    truths = {id: Truth() for id in (OLD, NEW)}
    rooms = {id: Room(id, ME, None, lambda room: False, lambda room: False) for id in (OLD, NEW)}
    for id, room in rooms.items():
        room.begin(State([made(OLD if id == NEW else ""), member(ME), member(ADA)]), complete=True)
    succession = kind(rooms.get, lambda id: rooms[id].is_member)
    for id, event in [*happens, (NEW, None)]:
        room, truth = rooms[id], truths[id]
        if event is not None:
            truth.take(event)
            room.apply(event)
        elif "join" in truth.inside.values() and room.is_member:
            now = truth.says(room.place().circle, room.place().is_private)
            told = succession.earlier(room) if id == NEW and now.circle else ()
            if not all(_could_read(before, now, rooms, truths[OLD]) for before in truths[OLD].said if before.circle in told):
                return False
    return True


def _could_read(before: Words, now: Words, rooms: dict[str, Room], old: Truth) -> bool:
    """Say whether all who read something in the new room could read something in the old one, be it by going there."""
    comes, came = rooms[NEW].state, rooms[OLD].state
    anybody = before.later and came.is_public and rooms[OLD].is_member
    missing = {user for user in now.readers - before.readers if not (anybody and old.inside.get(user) != "ban")}
    later = now.later and not comes.is_by_invitation
    return not missing and (not later or anybody or (before.later and comes.join_rules == came.join_rules))


@settings(max_examples=examples(100))
@given(some.lists(UPGRADES, max_size=12))
def test_whatever_happens_in_two_rooms_the_new_one_tells_nobody_what_they_could_not_read(
    happens: list[tuple[str, Json | None]],
) -> None:
    assert goes_on_rightly(happens)


class _Credulous(Succession):
    """Takes every reader for one who was there."""

    def may_know(self, room: Room, past: Room) -> bool:
        return True


def test_without_its_guard_it_would() -> None:
    life = [(OLD, member("@cy")), (OLD, None), (OLD, member(ADA)), (OLD, replaced(NEW)), (NEW, member("@bo"))]
    assert not goes_on_rightly(life, _Credulous) and goes_on_rightly(life)
