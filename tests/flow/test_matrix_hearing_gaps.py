"""What was said while Lyra was not there, and what comes more than once."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path

import pytest
from nio import AsyncClient

from adapters.events import Event, Message, MessageEdited
from adapters.matrix.adapter import Matrix
from adapters.matrix.homeserver import Pace
from adapters.matrix.incoming.backfill import Backfill, Gap
from adapters.matrix.incoming.batch import RoomSegment, SyncBatch
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import State
from tests.fakes.matrix import UNKNOWN_TOKEN, People, Proxy
from tests.fakes.matrix.faults import MESSAGES, SYNC, Lost, Refuse, Status
from tests.kits.matrix_kit import Ear, Home, Notebook, dm, home, in_dm, listening

pytest_plugins = ["tests.fakes.matrix.fixtures"]


class _NoGaps(Backfill):
    """Reads nothing back."""

    async def walk(self, room: str, back_from: str, to: str) -> Gap:
        return Gap()


class _Short(Backfill):
    """Reads little back."""

    def __init__(self, client: object) -> None:
        super().__init__(client, most=20)


class _Narrow(Matrix):
    """Is told ten events of a room at once, so that it takes little to miss some."""

    at_once = 10


class _Forgetful(_Narrow):
    gaps = _NoGaps


class _Brief(_Narrow):
    gaps = _Short


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_all_that_was_said_while_she_was_down_is_heard_oldest_first(
    people: People, proxy: Proxy, tmp_path: Path, encrypted: bool
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=encrypted, encrypts=True) as (lyra, ada, ear, room):
        await ada.says(room, "Before")
        await ear.heard(Message)
    missed = [f"Message {number}" for number in range(40)]
    for one in missed:
        await ada.says(room, one)
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 40)
        await ada.says(room, "After")
        await again.heard(Message, 41)
    assert again.texts == [*missed, "After"]
    assert proxy.calls(MESSAGES)


@pytest.mark.torture
async def test_without_the_walk_back_the_oldest_would_be_lost(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin."""
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Before")
        await ear.heard(Message)
    for number in range(40):
        await ada.says(room, f"Message {number}")
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Forgetful):
        await ada.says(room, "After")
        await again.pulse.until(lambda: again.texts[-1:] == ["After"], "the last word")
    assert "Message 0" not in again.texts and "Message 39" in again.texts


async def missing(people: People, proxy: Proxy, tmp_path: Path, n: int) -> tuple[Home, Ear, list[str]]:
    """Let somebody say n things in a DM after she stopped listening; return her home, what she heard until then, and what she missed."""
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Before")
        await ear.heard(Message)
    missed = [f"Message {number}" for number in range(n)]
    for one in missed:
        await ada.says(room, one)
    return lyra, ear, missed


async def test_of_too_much_the_newest_is_heard(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ear, missed = await missing(people, proxy, tmp_path, 40)
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Brief):
        await again.heard(Message, 30)
    assert again.texts == missed[-30:]


async def test_a_gap_that_cannot_be_read_just_now_is_read_a_little_later(people: People, proxy: Proxy, tmp_path: Path) -> None:
    lyra, ear, missed = await missing(people, proxy, tmp_path, 20)
    proxy.faults.script(MESSAGES, Status(502), Status(503))
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 20)
    assert again.texts == missed and again.times_ready == 1


async def test_a_gap_at_which_her_token_ends_is_read_once_she_is_signed_in_again(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    lyra, ear, missed = await missing(people, proxy, tmp_path, 20)
    proxy.faults.script(MESSAGES, UNKNOWN_TOKEN)
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 20)
    assert again.texts == missed


@pytest.mark.torture
async def test_a_gap_that_the_homeserver_does_not_show_keeps_nobody_from_being_heard(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Before")
        await ear.heard(Message)
    for number in range(20):
        await ada.says(room, f"Message {number}")
    proxy.faults.always(MESSAGES, Refuse(403, "M_FORBIDDEN"))
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 10)
    assert again.texts[-1] == "Message 19"


class _Slain(Ear):
    """Is ended while it commits."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = {}) -> Awaitable[None]:
        if any(isinstance(one, Message) for one in events):
            self.reached.set()
            await asyncio.Event().wait()
        return await super().hear(events, cursors)


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_what_was_not_committed_comes_again_after_the_end(
    people: People, proxy: Proxy, tmp_path: Path, encrypted: bool
) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), _Slain()
    async with listening(lyra, ear):
        room = await dm(lyra, ada, encrypted=encrypted)
        await ada.says(room, "Do not lose this.")
        await ear.reached.wait()
    assert not ear.texts
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await again.heard(Message)
    assert again.texts == ["Do not lose this."]


@pytest.mark.torture
async def test_what_comes_again_because_an_answer_was_lost_is_heard_once(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.says(room, "Hello")
        await ear.heard(Message)
        await proxy.waiting(SYNC)
        proxy.faults.script(SYNC, Lost(), Lost())
        await ada.says(room, "Once")
        await ada.says(room, "Twice")
        await ear.heard(Message, 3)
    assert ear.texts == ["Hello", "Once", "Twice"]


async def test_edits_that_were_missed_are_followed_too(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        said = await ada.says(room, "One")
        await ear.heard(Message)
    await ada.edits(room, said, "Two")
    for number in range(20):
        await ada.says(room, f"Message {number}")
    async with listening(lyra, again := Ear(cursors=ear.kept), kind=_Narrow):
        await again.heard(Message, 20)
    assert [(one.id, one.text) for one in again.of(MessageEdited)] == [(said, "Two")]
    assert isinstance(again.events[0], MessageEdited)


@pytest.mark.parametrize(("claimed", "at"), [(2**53 - 1, 253_370_764_799_999_000), (-5, 0), (1_000, 1_000_000)])
def test_the_time_that_a_homeserver_claims_lies_within_the_calendar(claimed: int, at: int) -> None:
    assert RoomEvent({"origin_server_ts": claimed}, "m.room.message", {}).at == at


@pytest.mark.torture
async def test_an_event_that_is_told_of_twice_is_heard_once(tmp_path: Path) -> None:
    client, notes, pace = AsyncClient("http://127.0.0.1:1", "@lyra:lyra.test"), Notebook(), Pace()
    client.user_id = "@lyra:lyra.test"
    rooms, timeline_state = Rooms(client, notes), TimelineState(client, notes, pace)
    hearing = Hearing(rooms, timeline_state, Invitations(client, notes, "off", pace), MessageReader(timeline_state, ()))
    members = [
        {"type": "m.room.member", "state_key": user, "content": {"membership": "join"}}
        for user in (client.user_id, "@ada:lyra.test")
    ]
    raw = {"event_id": "$1", "sender": "@ada:lyra.test", "origin_server_ts": 1}
    seen = RoomEvent(raw, "m.room.message", {"msgtype": "m.text", "body": "Once"})
    await timeline_state.threads.meet("!room")
    segment = RoomSegment(await rooms.meet("!room", ""), State(members), [seen, seen], complete=True, inside=True)
    for heard in ([("$1", "Once")], []):
        events = hearing.advance(SyncBatch("s1", quiet=False, segments=[segment]))
        assert [(one.id, one.text) for one in events if isinstance(one, Message)] == heard
