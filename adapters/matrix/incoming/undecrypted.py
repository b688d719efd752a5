"""Messages whose keys are missing: requested, waited for, and in the end reported, once per Megolm session."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from nio import AsyncClient, MegolmEvent, RoomKeyEvent, UnknownToDeviceEvent

from adapters.listener import Notes
from adapters.matrix.account.tolerant_olm import ODD
from adapters.matrix.homeserver import TROUBLE, Pace
from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.recent import Recent
from localization.sentences import Sentence, lazy

_NOTE = "undecrypted"
_MOST = 500
_MOST_REFUSALS = 1_000
_QUIET_SECONDS = 3600.0
"""How long somebody is not told again in a room that something cannot be read."""
_SESSION = re.compile(r"[A-Za-z0-9+/]{43}")
"""The id of a Megolm session, a public key."""
_LONGEST_CODE = 50
_WITHHELD = "m.room_key.withheld"
_WHY = {
    "m.blacklisted": lazy(
        "your app was told to share no keys with my device; allow it in your app's list of devices, and write again."
    ),
    "m.unverified": lazy(
        "your app shares no keys with devices that you have not verified; verify me or allow others, and write again."
    ),
    "m.unauthorised": lazy("I was not let in yet when it was written; please write it again."),
    "m.unavailable": lazy("your app does not have its key any more; please write it again."),
    "m.no_olm": lazy("your app could not reach my device safely; please write it again in a moment."),
}
_FOREIGN = lazy("it was not encrypted by any device of yours that I know of; please write it again from your own app.")
_LATE = lazy("its key has not reached me; please write it again, or sign out of your app and in again if that happens often.")


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event whose key is missing. `thread` and `epoch` say where it belongs."""

    event: str
    room: str
    session: str
    sender: str
    thread: str
    epoch: int


class Undecrypted:
    """The events waiting for keys, across restarts; the oldest are given up if there are too many."""

    def __init__(self, client: AsyncClient, notes: Notes, pace: Pace) -> None:
        self._client = client
        self._notes = notes
        self._pace = pace
        self._waiting: Recent[str, Waiting] = Recent(_MOST)
        self._reported: Recent[str, None] = Recent(_MOST)
        self._refused: Recent[tuple[str, str], str] = Recent(_MOST_REFUSALS)
        self._told: Recent[tuple[str, str], float] = Recent(_MOST)
        self._due: dict[str, float] = {}
        self._arrived: set[str] = set()
        self._renewed: set[str] = set()
        self._foreign: Recent[str, None] = Recent(_MOST)
        self._asking: list[MegolmEvent] = []
        self._changed = False

    async def load(self) -> None:
        """Load what was saved. Any of the keys may have arrived just before the last shutdown."""
        kept = await self._notes.get(_NOTE) or {"waiting": [], "told": []}
        self._reported.update(dict.fromkeys(kept["told"]))
        for one in kept["waiting"]:
            self._wait(Waiting(**one))
        self._arrived = {one.session for one in self._waiting.values()}

    # Input

    def add(self, room: str, event: RoomEvent, epoch: int) -> None:
        """Wait for an event's key, if there can be one."""
        assert event.undecrypted is not None
        waiting = Waiting(event.id, room, str(event.undecrypted.session_id), event.sender, event.thread, epoch)
        if not _SESSION.fullmatch(waiting.session):
            return
        olm = self._client.olm
        if olm and olm.lacks_sender(event.undecrypted, room):
            self._foreign[event.id] = None
        elif waiting.session not in self._due and waiting.session not in self._reported:
            event.undecrypted.room_id = room
            self._asking.append(event.undecrypted)
        if event.id not in self._waiting:
            self._wait(waiting)
            self._changed = True

    def forget(self, event: str) -> None:
        """Stop waiting: an event was read, or redacted."""
        if self._waiting.pop(event, None):
            self._changed = True

    def learn(self, told: Iterable[object]) -> None:
        """Process to-device events, keys and refusals of keys, and take over whose devices have changed."""
        if self._client.olm:
            self._renewed |= self._client.olm.renewed
            self._client.olm.renewed.clear()
        for event in told:
            if isinstance(event, RoomKeyEvent):
                self._arrived.add(event.session_id)
            elif isinstance(event, UnknownToDeviceEvent) and event.type == _WITHHELD:
                content = part(event.source, "content")
                session = word(content, "session_id")
                if not session or _SESSION.fullmatch(session):
                    self._refused[event.sender, session] = word(content, "code")[:_LONGEST_CODE]

    # Output

    def arrived(self) -> Sequence[Waiting]:
        """Return the events whose keys, or whose senders' devices, have arrived."""
        return [one for one in self._waiting.values() if one.session in self._arrived or one.sender in self._renewed]

    def overdue(self) -> Sequence[tuple[Waiting, Sentence]]:
        """Return the first event of each session that is given up, and why, in a sentence for its sender, once an hour.

        Anybody can send what nobody can read, with a session of its own for each message.
        """
        found = []
        for one in list(self._waiting.values()):
            if one.session in self._reported or one.session in self._arrived:
                continue
            code = self._refused.get((one.sender, one.session)) or self._refused.get((one.sender, ""))
            if code or self._due[one.session] <= self._pace.elapsed():
                why = _FOREIGN if one.event in self._foreign else _WHY.get(code or "", _LATE)
                if self._pace.elapsed() - self._told.get((one.room, one.sender), float("-inf")) >= _QUIET_SECONDS:
                    self._told[one.room, one.sender] = self._pace.elapsed()
                    found.append((one, lazy("I cannot read what you just wrote, because {why}", why=why)))
                self._reported[one.session] = None
                self._changed = True
        return found

    def seconds_left(self, most: float) -> float:
        """Return the seconds until the next one is overdue, at most `most`."""
        pending = [self._due[one.session] for one in self._waiting.values() if one.session not in self._reported]
        return max(0.0, min([most, *(due - self._pace.elapsed() for due in pending)]))

    async def ask(self) -> None:
        """Request the missing keys from Lyra's other devices and from the sending device."""
        asking, self._asking = self._asking, []
        for event in asking:
            try:
                await self._client.request_room_key(event)
                request = event.as_key_request(event.sender, self._client.device_id, device_id=event.device_id)
                await self._client.to_device(request)
            except (*TROUBLE, *ODD):
                continue

    async def settle(self) -> None:
        """Save changes."""
        self._arrived.clear()
        self._renewed.clear()
        if self._changed:
            waiting = [asdict(one) for one in self._waiting.values()]
            await self._notes.put(_NOTE, {"waiting": waiting, "told": list(self._reported)})
            self._due = {one.session: self._due[one.session] for one in self._waiting.values()}
            self._changed = False

    def _wait(self, waiting: Waiting) -> None:
        self._waiting[waiting.event] = waiting
        self._due.setdefault(waiting.session, self._pace.elapsed() + self._pace.keys)
