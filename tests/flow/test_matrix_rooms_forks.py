"""What is said at the very moment of a change was said in the state before it, of which the homeserver tells again.

So it is with the first words in a DM, which people say while she comes. Synapse does so where both arrive at once; here its
answers are written down.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from nio import AsyncClient, SyncResponse

from adapters.events import Event, Message, MessageEdited
from adapters.matrix.homeserver import Pace
from adapters.matrix.incoming.backfill import Backfill
from adapters.matrix.incoming.batch import Gatherer
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.heard_messages import MessageReader
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.incoming.timeline_state import TimelineState
from adapters.matrix.rooms.invitations import Invitations
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.rooms.state import State
from tests.kits.adapter_kit import Notebook

ME, ADA, ROOM = "@lyra:lyra.test", "@ada:lyra.test", "!garden"
Json = dict[str, Any]


def state(id: str, kind: str, key: str, content: Json, replaces: str = "") -> Json:
    unsigned = {"unsigned": {"replaces_state": replaces}} if replaces else {}
    told = {"event_id": id, "sender": ADA, "origin_server_ts": 1_000, "type": kind, "state_key": key, "content": content}
    return told | unsigned


MADE = state("$made", "m.room.create", "", {"room_version": "12"})
THERE = state("$there", "m.room.member", ADA, {"membership": "join", "displayname": "Ada"})
ASKED_IN = state("$asked", "m.room.member", ME, {"membership": "invite"})
COMES = state("$comes", "m.room.member", ME, {"membership": "join"}, replaces="$asked")
OPEN = state("$open", "m.room.history_visibility", "", {"history_visibility": "shared"})
SHUT = state("$shut", "m.room.history_visibility", "", {"history_visibility": "joined"}, replaces="$open")
HELLO = {
    "event_id": "$hello", "sender": ADA, "origin_server_ts": 2_000, "type": "m.room.message",
    "content": {"msgtype": "m.text", "body": "Hello?"},
}  # fmt: skip


class Line:
    """What she makes of the homeserver's answers, one after the other."""

    def __init__(self, notes: Notebook, kind: type[Gatherer] = Gatherer) -> None:
        client, pace = AsyncClient("http://127.0.0.1:1", ME), Pace()
        client.user_id = ME
        self.rooms, timeline_state = Rooms(client, notes), TimelineState(client, notes, pace)
        self._hearing = Hearing(
            self.rooms, timeline_state, Invitations(client, notes, "anyone", pace), MessageReader(timeline_state, ())
        )
        self.heard: list[Event] = []
        self._gatherer = kind(client, self.rooms, timeline_state, Backfill(client), 100)

    async def hears(self, since: str, told: Sequence[Json], timeline: Sequence[Json], *, full: bool = False) -> list[str]:
        """Take an answer of the homeserver, and return what was said to her."""
        room = {"state": {"events": list(told)}, "timeline": {"events": list(timeline), "limited": False, "prev_batch": "p"}}
        answer = SyncResponse.from_dict({"next_batch": "s9", "rooms": {"join": {ROOM: room}}})
        assert isinstance(answer, SyncResponse)
        batch = await self._gatherer.gather(answer, since, full=full)
        self.heard = self._hearing.advance(batch)
        await self.rooms.settle(batch.rooms, since)
        return [one.text for one in self.heard if isinstance(one, Message)]

    @property
    def is_there(self) -> bool:
        """Whether she takes herself to be in the room."""
        room = self.rooms.peek(ROOM)
        return room is not None and room.is_member


class _Believing(Gatherer):
    """Takes every state that she is told of for the newest, and nothing for sure."""

    def is_outdated(self, state: State, told: RoomEvent) -> bool:
        return False

    def put_in(self, state: State, me: str, events: Sequence[RoomEvent]) -> None:
        pass


@pytest.mark.parametrize(("kind", "there"), [(Gatherer, True), (_Believing, False)], ids=["guarded", "without the guard"])
async def test_words_that_were_said_while_she_came_do_not_put_her_out_again(kind: type[Gatherer], there: bool) -> None:
    line = Line(Notebook(), kind)
    assert await line.hears("s1", [MADE, THERE], [ASKED_IN, COMES]) == []
    assert line.is_there
    assert await line.hears("s2", [ASKED_IN], [HELLO]) == ["Hello?"]
    assert line.is_there is there


@pytest.mark.parametrize(("kind", "there"), [(Gatherer, True), (_Believing, False)], ids=["guarded", "without the guard"])
async def test_nor_do_they_where_a_new_start_is_told_of_that_state_as_the_whole(kind: type[Gatherer], there: bool) -> None:
    notes = Notebook()
    await Line(notes).hears("s1", [MADE, THERE], [ASKED_IN, COMES])
    line = Line(notes, kind)
    assert await line.hears("s2", [MADE, THERE, ASKED_IN], [HELLO], full=True) == ["Hello?"]
    assert line.is_there is there


@pytest.mark.parametrize(("kind", "open"), [(Gatherer, False), (_Believing, True)], ids=["guarded", "without the guard"])
async def test_words_that_were_said_while_a_history_was_shut_do_not_open_it_again(kind: type[Gatherer], open: bool) -> None:
    line = Line(Notebook(), kind)
    await line.hears("s1", [MADE, THERE, OPEN], [ASKED_IN, COMES])
    await line.hears("s2", [], [SHUT])
    assert await line.hears("s3", [OPEN], [HELLO]) == ["Hello?"]
    room = line.rooms.peek(ROOM)
    assert room and room.state.opens_history is open


async def test_an_edit_is_followed_however_much_was_said_before_it() -> None:
    """A week in busy rooms is thousands of messages in one answer of the homeserver."""
    line = Line(Notebook())
    await line.hears("s1", [MADE, THERE], [ASKED_IN, COMES])
    week = [{**HELLO, "event_id": f"${number}"} for number in range(5_000)]
    content = {"msgtype": "m.text", "body": "* Bye", "m.new_content": {"msgtype": "m.text", "body": "Bye"}}
    relation = {"rel_type": "m.replace", "event_id": "$0"}
    edit = {**HELLO, "event_id": "$edit", "content": {**content, "m.relates_to": relation}}
    assert len(await line.hears("s2", [], [*week, edit])) == 5_000
    assert [one.text for one in line.heard if isinstance(one, MessageEdited)] == ["Bye"]


async def test_what_really_changed_without_an_event_is_followed() -> None:
    line = Line(Notebook())
    await line.hears("s1", [MADE, THERE, OPEN], [ASKED_IN, COMES])
    await line.hears("s2", [state("$other", SHUT["type"], "", SHUT["content"])], [HELLO])
    room = line.rooms.peek(ROOM)
    assert room and not room.state.opens_history
