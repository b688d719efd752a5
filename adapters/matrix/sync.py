"""The sync loop, which moves on only once a batch is committed."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from nio import AsyncClient, ErrorResponse, SyncResponse

from adapters.errors import PlatformFailure
from adapters.events import Event, Message, Vanished
from adapters.listener import Listener
from adapters.matrix.account.account import Account, IdentityReplaced
from adapters.matrix.account.tolerant_olm import ODD
from adapters.matrix.homeserver import TROUBLE, Pace, SignedOut, failure, unreachable
from adapters.matrix.incoming.batch import Gatherer, SyncBatch
from adapters.matrix.incoming.event import part
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.outgoing.typing import read_up_to
from adapters.matrix.rooms.departures import Departures
from adapters.matrix.rooms.room import RoomRecord
from adapters.matrix.verification.verifications import Verifications
from adapters.task_groups import run_in_background

STREAM = "sync"
"""The name of the cursor."""

_LONGEST_START = 600.0
_TRIES_WITH_KEYS = 3
_TRIES_FROM_THERE = 5
_BAD_REQUEST = 400
_MOST_HANDED = 500

log = logging.getLogger(__name__)


@dataclass(eq=False)
class Sync:
    """The sync of one connection. A sync that could not be gathered is repeated from the last commit, with full room state."""

    account: Account
    listener: Listener
    gatherer: Gatherer
    hearing: Hearing
    departures: Departures
    verifications: Verifications
    pace: Pace

    def __post_init__(self) -> None:
        self._client: AsyncClient = self.account.client
        self._rooms, self._timeline = self.gatherer.rooms, self.gatherer.timeline
        self._invitations = self.hearing.invitations
        self._since = ""
        self._refused = 0
        self._full = True
        self._ready = False
        self._answered_at = self.pace.elapsed()
        self._receipts: asyncio.Queue[list[Event]] = asyncio.Queue()
        self._rooms.away = self._is_away

    async def run(self) -> None:
        """Sync until cancelled, through every transient failure.

        Raises SignedOut, or PlatformFailure if a new connection may help.
        """
        self._since = (await self.listener.cursors()).get(STREAM, "")
        await self._timeline.load()
        await self._invitations.load()
        await self.verifications.load()
        failures = without_keys = 0
        while True:
            try:
                response = await self._ask()
                await self._process(response)
                failures = 0
            except SignedOut:
                raise
            except PlatformFailure as failed:
                failures += 1
                log.warning("%s", failed)
                if self._refused >= _TRIES_FROM_THERE:
                    log.warning("The homeserver does not know how far Lyra has heard; she listens from now on.")
                    self._since, self._refused = "", 0
                await self.pace.retry(failures)
                continue
            without_keys = await self._keep_keys(response, without_keys)

    def _is_away(self) -> bool:
        return self.pace.elapsed() - self._answered_at > self.pace.stale

    async def _ask(self) -> SyncResponse:
        # nio skips an answer that ends at its own position. In a full one, it would miss the quiet rooms.
        self._client.next_batch = "" if self._full else self._since
        # A full answer comes at once.
        wait = 0 if self._full else ceil(self._timeline.undecrypted.seconds_left(self.pace.poll) * 1000)
        try:
            async with asyncio.timeout(_LONGEST_START):
                answer = await self._client.sync(
                    wait, self.gatherer.filter, since=self._since or None, full_state=self._full or None
                )
        except (*TROUBLE, *ODD) as error:
            raise unreachable(type(error).__name__) from None
        if isinstance(answer, ErrorResponse):
            # Another homeserver may have taken over the name of the last one.
            is_refused = answer.transport_response.status == _BAD_REQUEST and bool(answer.status_code)
            self._refused = self._refused + 1 if is_refused and self._since else 0
            raise failure(answer)
        self._refused = 0
        self._answered_at = self.pace.elapsed()
        self.account.platform_clock.note(answer.transport_response.headers.get("Date"))
        return answer

    async def _process(self, response: SyncResponse) -> None:
        invites = await _invites(response)
        try:
            batch = await self.gatherer.gather(response, self._since, full=self._full)
        except PlatformFailure:
            self._full = True
            raise
        if self._timeline.ignored.follow(response.account_data_events):
            await self.listener.missed()
        for prefix in _missed(batch):
            await self.listener.missed(prefix)
        left = [one.room.id for one in batch.segments if one.room.record.inside and not one.inside]
        events = [one for event in self.hearing.advance(batch) if (one := await self.departures.with_last_known_room(event))]
        # Of a room that put her out and asks her in again, one sync tells both: the invitation is the newer one.
        self._invitations.invited(invites, quiet=not self._since)
        # A room that continues elsewhere has not vanished, and Lyra no longer learns of redactions there.
        vanished = {event.prefix[1] for event in events if isinstance(event, Vanished)}
        for room in left:
            if room not in vanished and not self._rooms.hears(room):
                await self.listener.missed(("", room))
        await self._timeline.settle()
        await self._rooms.settle(batch.rooms, self._since)
        await self._invitations.settle()
        if not self._ready:
            self._ready = True
            await self.listener.ready()
        heard = self.verifications.gather_steps(response, self.hearing.steps())
        await self.verifications.begin(heard)
        while len(events) > _MOST_HANDED:
            # The next events do not wait for answers.
            run_in_background(await self.listener.hear(events[:_MOST_HANDED]))
            events = events[_MOST_HANDED:]
        run_in_background(await self.listener.hear(events, {STREAM: response.next_batch}))
        self._since, self._full = response.next_batch, False
        self.verifications.hear(heard)
        self._receipts.put_nowait(events)
        await self.departures.settle(batch.rooms)
        await self._timeline.undecrypted.ask()

    async def _keep_keys(self, response: SyncResponse, failures: int) -> int:
        """Maintain the device's keys; return the number of consecutive failures. Raises PlatformFailure if they persist."""
        try:
            await self.account.keep_keys(response)
        except (SignedOut, IdentityReplaced):
            raise
        except PlatformFailure as failed:
            if failures + 1 >= _TRIES_WITH_KEYS:
                raise
            log.warning("%s", failed)
            return failures + 1
        return 0

    async def show_read(self) -> None:
        """Send read receipts for what people said to her, until cancelled."""
        while True:
            events = await self._receipts.get()
            last = {one.place.channel: one.id for one in events if isinstance(one, Message) and one.addressed}
            for room, event in last.items():
                await read_up_to(self._client, room, event)


def _missed(batch: SyncBatch) -> list[tuple[str, ...]]:
    """Return the key prefixes of places where something may have been missed.

    Everywhere, if it is unknown up to where she heard; rooms that could not be read back in full; and rooms she was away
    from.
    """
    if not batch.since:
        return [()]
    known = [one for one in batch.segments if one.inside and one.room.record != RoomRecord()]
    return [("", one.room.id) for one in known if not one.complete or not one.room.record.inside]


async def _invites(response: SyncResponse) -> Mapping[str, Any]:
    """Return the stripped state of each room she is invited to. nio drops what marks a space, or a successor."""
    if not response.rooms.invite:
        return {}
    raw = await response.transport_response.json(content_type=None)
    told = part(part(raw, "rooms"), "invite")
    return {room: part(part(told, room), "invite_state").get("events") for room in told}
