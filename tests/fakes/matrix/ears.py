"""What a person's client hears: its own sync loop, kept up through restarts of the homeserver."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import aiohttp

from tests.fakes.matrix.client import Client, Json, Refused
from tests.fakes.matrix.events import Event
from tests.fakes.matrix.keys import Keys
from tests.fakes.pulse import Pulse

_NOTHING = {"not_types": ["*"]}
_FILTER: Json = {"room": {"timeline": {"limit": 500}, "account_data": _NOTHING}, "account_data": _NOTHING, "presence": _NOTHING}
T = TypeVar("T")


@dataclass(frozen=True)
class Receipt:
    """Someone has read up to an event; `thread` is '' for a receipt of the whole room, 'main' for the main timeline."""

    room: str
    event: str
    user: str
    thread: str


class Ears:
    """Everything heard so far. Events are in the order in which the server gave them."""

    def __init__(self, client: Client, keys: Keys | None) -> None:
        self.pulse = Pulse()
        self.events: list[Event] = []
        self.invites: dict[str, list[Json]] = {}
        """The stripped state of the rooms that wait for an answer."""
        self.typing: defaultdict[str, set[str]] = defaultdict(set)
        self.receipts: list[Receipt] = []
        self.asides: list[Json] = []
        """What was sent to this device alone, as it came."""
        self.since = ""
        self.signs = False
        """Whether typing and receipts are heard, each of which the homeserver has to answer for."""
        self.over = False
        """Whether this device was signed out on purpose."""
        self.begin: Callable[[], object] | None = None
        """Begins to listen where nobody waited for anything yet."""
        self._client, self._keys = client, keys

    async def until(self, look: Callable[[], T | None], what: str) -> T:
        """Wait until the look finds something, and give it. Raises AssertionError when it takes too long."""
        begin, self.begin = self.begin, None
        if begin:
            begin()
        found = await self.pulse.until(look, what)
        assert found is not None
        return found

    async def listen(self) -> None:
        """Hear until cancelled or signed out. A homeserver that is away is asked again. Raises Refused."""
        while True:
            try:
                await self.sync()
            except Refused:
                if not self.over:
                    raise
                return
            except (aiohttp.ClientError, OSError):
                await asyncio.sleep(0.02)

    async def sync(self, wait: float = 30.0) -> Json:
        """Hear once, waiting as many seconds for something new, and return the answer of the server."""
        heard = _FILTER if self.signs else {**_FILTER, "room": {**_FILTER["room"], "ephemeral": _NOTHING}}
        query = {"filter": json.dumps(heard)} | ({"since": self.since, "timeout": str(int(wait * 1000))} if self.since else {})
        answer = await self._client.call("GET", "sync", query=query)
        await self._take(answer)
        self.since = answer["next_batch"]
        self.pulse.beat()
        if self._keys:
            await self._keys.publish(answer.get("device_one_time_keys_count", {}).get("signed_curve25519", 0))
        return answer

    async def read(self, room: str, raw: Json) -> Event:
        """Return an event as this device sees it."""
        if raw["type"] != "m.room.encrypted" or not raw["content"]:
            return Event(room, raw["type"], raw["content"], raw)
        if self._keys is None:
            return Event(room, raw["type"], {}, raw, "no key")
        kind, content, trouble = await self._keys.decrypt(room, raw)
        return Event(room, kind, content, raw, trouble)

    async def _take(self, answer: Json) -> None:
        asides = answer.get("to_device", {}).get("events", [])
        self.asides += asides
        if self._keys:
            for aside in asides:
                self._keys.hear(aside)
        if asides:
            self.events = [await self.read(event.room, event.raw) if event.trouble else event for event in self.events]
        rooms = answer.get("rooms", {})
        self.invites |= {room: part["invite_state"]["events"] for room, part in rooms.get("invite", {}).items()}
        for room, part in [*rooms.get("join", {}).items(), *rooms.get("leave", {}).items()]:
            self.invites.pop(room, None)
            await self._take_room(room, part)

    async def _take_room(self, room: str, part: Json) -> None:
        for raw in [*part.get("state", {}).get("events", []), *part["timeline"]["events"]]:
            self.events.append(await self.read(room, raw))
        for event in part.get("ephemeral", {}).get("events", []):
            if event["type"] == "m.typing":
                self.typing[room] = set(event["content"]["user_ids"])
            elif event["type"] == "m.receipt":
                self.receipts += _receipts(room, event["content"])


def _receipts(room: str, content: Json) -> Iterator[Receipt]:
    for event, kinds in content.items():
        for user, data in kinds.get("m.read", {}).items():
            yield Receipt(room, event, user, data.get("thread_id", ""))
