"""All verifications of one connection: who asks, who compares, and how each of them ends.

Work is done one item at a time, in order of arrival. The keys of a verification are only in memory: those left over from an
earlier connection are ended with a notice, and can be started again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from nio import SyncResponse

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.account import Account
from adapters.matrix.account.signing import MASTER
from adapters.matrix.homeserver import Pace, SignedOut
from adapters.matrix.verification import steps
from adapters.matrix.verification.channel import LASTS, Channel, ReceivedStep, StepNotSent, to_device
from adapters.matrix.verification.records import CHAT, OPERATOR, Records, VerificationInProgress, VerificationRecord, VerifiedKeys
from adapters.matrix.verification.sas import METHOD, DeviceParty
from adapters.matrix.verification.steps import Phase, Verification, VerificationEnded
from adapters.matrix.verification.verification_notices import LOST, RESTARTED, VerificationNotices
from localization.sentences import Said, lazy

T = TypeVar("T")

log = logging.getLogger(__name__)

_CHECK_SECONDS = 1.0
_MOST_SECONDS = 60.0
_SLOW = lazy("Matrix does not answer just now; try again in a moment.")
_NOTHING = lazy("No emoji wait to be compared with you. Begin in your app, or with my command verify.")
_ASKED = lazy("Your app asks you now whether to verify me. Say yes there: then it shows seven emoji, and so do I.")
_WAITS = lazy("Good. I wait for the same from your app.")


class Verifications:
    """The verifications of an open account's connection, one per person at a time."""

    def __init__(
        self, account: Account, channel: Channel, notices: VerificationNotices, notes: Notes, pace: Pace, now: Callable[[], int]
    ) -> None:
        client, self._identity = account.client, account.identity
        self._channel, self._notices = channel, notices
        self._records = Records(notes, client.user_id)
        self._verified_keys = VerifiedKeys(client, notes, self._identity)
        self._pace, self._now = pace, now
        self._me = self._channel.me
        self._in_progress: dict[str, VerificationInProgress] = {}
        self._over: set[str] = set()
        self._left: Sequence[VerificationRecord] = ()
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._busy = asyncio.Event()

    def gather_steps(self, response: SyncResponse, steps: Sequence[ReceivedStep]) -> list[ReceivedStep]:
        """Return a sync's steps, from rooms and to-device; queue a check of changed keys."""
        if response.device_list.changed:
            self._work.put_nowait(partial(self._check_keys, frozenset(response.device_list.changed)))
        return [*to_device(response.to_device_events, self._now()), *steps]

    async def load(self) -> None:
        """Load leftovers, before anything is heard."""
        self._over, self._left = await self._records.over(), await self._records.under_way()

    async def begin(self, heard: Sequence[ReceivedStep]) -> None:
        """Save the verifications that a batch starts, before it is committed."""
        for one in heard:
            if one.kind == steps.REQUEST and self._channel.may(one, self._now()):
                await self._records.keep(VerificationRecord(one.id, one.user, one.device, one.room))

    def hear(self, heard: Sequence[ReceivedStep]) -> None:
        """Queue committed steps."""
        for one in heard:
            self._work.put_nowait(partial(self._process, one))

    async def run(self) -> None:
        """Process the queue until cancelled. Raises SignedOut, or PlatformFailure if a new connection may help."""
        await self._channel.ready()
        for record in self._left:
            await self._give_up(record)
        await self._check_keys()
        while True:
            await (await self._work.get())()

    async def watch(self) -> None:
        """While one is in progress, poll for the operator's verdict and the deadline, until cancelled."""
        while True:
            await self._busy.wait()
            await self._pace.pause(_CHECK_SECONDS)
            # A full queue here is no reason to end the connection.
            with suppress(PlatformFailure):
                await self._queued(self._tick)

    async def ask(self, user: str, room: str) -> Said:
        """Ask somebody's app for a verification, in the room where they are alone with her; return what to say about it."""
        return await self._queued(partial(self._request, user, room))

    async def decide(self, user: str, *, same: bool) -> Said:
        """Take a person's verdict on the emoji; return what to say, '' if it is said separately."""
        return await self._queued(partial(self._decide, user, same=same))

    # Received steps

    async def _process(self, heard: ReceivedStep) -> None:
        if not self._channel.concerns_her(heard):
            return
        current = self._in_progress.get(heard.user)
        if current and (current.verification.id, current.verification.room) != (heard.id, heard.room):
            current = None
        if not await self._channel.is_from(heard, current.verification.other.device if current else ""):
            await (self._end(current, steps.MISMATCH) if current else self._refuse(heard))
        elif heard.user == self._me.user and heard.room:
            await self._answered_elsewhere(heard)
        elif heard.kind == steps.REQUEST:
            await self._requested(heard)
        elif current:
            await self._step(current, partial(current.verification.take, heard.kind, heard.content))
        elif heard.kind == steps.START and not heard.room and heard.id not in self._over:
            # It was started without a request, or with an earlier process of hers.
            await self._channel.refuse(heard, steps.UNKNOWN)

    async def _refuse(self, heard: ReceivedStep) -> None:
        self._over.add(heard.id)
        await self._records.end(heard.id)
        await self._channel.refuse(heard, steps.MISMATCH)

    async def _answered_elsewhere(self, heard: ReceivedStep) -> None:
        """Leave a verification to another device of hers that took it over."""
        for current in [one for one in self._in_progress.values() if one.verification.id == heard.id]:
            if heard.device not in ("", self._me.device):
                self._drop(current)
                await self._records.end(heard.id)

    async def _requested(self, heard: ReceivedStep) -> None:
        if heard.id in self._over or not self._channel.may(heard, self._now()):
            return
        if heard.user in self._in_progress:
            await self._end(self._in_progress[heard.user], steps.BY_USER, quiet=True)
        one = Verification(heard.id, self._me, DeviceParty(heard.user, heard.device), heard.room)
        current = self._track(one)
        methods = heard.content.get("methods")
        if not isinstance(methods, list) or METHOD not in methods:
            await self._end(current, steps.NO_METHOD)
            return
        await self._step(current, lambda: [one.ready()])

    async def _step(self, current: VerificationInProgress, take: Callable[[], Sequence[steps.Step]]) -> None:
        """Process a step, send the answers, and show, finish or end the verification accordingly."""
        one = current.verification
        try:
            for step in take():
                await self._channel.send(one, step)
            if one.phase is Phase.COMPARING and not current.shown:
                await self._show(current)
            if one.is_proven:
                await self._finish(current)
        except VerificationEnded as ended:
            await self._end(current, ended.code, told=ended.told)
        except StepNotSent:
            await self._end(current, LOST)
        except ValueError:
            # Words that no text can hold.
            await self._end(current, steps.MALFORMED)

    async def _show(self, current: VerificationInProgress) -> None:
        current.shown = True
        one = current.verification
        await self._records.keep(VerificationRecord.of(one))
        await self._notices.compare(one)

    # Verdicts

    async def _request(self, user: str, room: str) -> Said:
        if user in self._in_progress:
            await self._end(self._in_progress[user], steps.BY_USER, quiet=True)
        one = Verification("", self._me, DeviceParty(user, ""), room, Phase.ASKED)
        try:
            one.id = await self._channel.request(user, room)
        except StepNotSent:
            return _SLOW
        self._track(one)
        await self._records.keep(VerificationRecord(one.id, user, "", room))
        return _ASKED

    async def _decide(self, user: str, *, same: bool, by: str = CHAT) -> Said:
        current = self._in_progress.get(user)
        if current is None or current.verification.phase is not Phase.COMPARING:
            return _NOTHING
        if not same:
            await self._end(current, steps.DIFFERENT)
            return ""
        current.by = by
        await self._step(current, lambda: [current.verification.confirm(self._channel.own_keys(self._identity))])
        return _WAITS if user in self._in_progress else ""

    async def _finish(self, current: VerificationInProgress) -> None:
        one, other = current.verification, current.verification.other
        shown = await self._channel.published(other)
        known = {f"ed25519:{other.device}": shown.device_key, f"ed25519:{shown.master_key}": shown.master_key}
        proved = one.proved_keys({id: key for id, key in known.items() if key})
        master = bool(shown.master_key) and f"ed25519:{shown.master_key}" in proved
        if other.user == self._me.user and not (master and self._identity and shown.master_key == self._identity.public(MASTER)):
            raise VerificationEnded(steps.MISMATCH)
        await self._verified_keys.add(shown, other, master=master, by=current.by, at=self._now())
        await self._channel.send(one, one.done())
        self._drop(current)
        await self._records.end(one.id)
        await self._notices.verified(one, current.by)

    # Endings

    async def _tick(self) -> None:
        for user, current in list(self._in_progress.items()):
            is_shown = current.verification.phase is Phase.COMPARING
            same = await self._records.answer(VerificationRecord.of(current.verification)) if is_shown else None
            if same is not None:
                await self._decide(user, same=same, by=OPERATOR)
            elif self._pace.elapsed() > current.until:
                await self._end(current, steps.TIMED_OUT)

    async def _end(self, current: VerificationInProgress, code: str, *, told: bool = False, quiet: bool = False) -> None:
        """End a verification; `told` means the other side did, `quiet` that nothing is said about it."""
        one = current.verification
        self._drop(current)
        if not told and code != LOST and one.id:
            await self._channel.cancel(one, code)
        await self._records.end(one.id)
        if not quiet:
            await self._notices.ended(one, code, by_them=told)

    async def _give_up(self, record: VerificationRecord) -> None:
        one = Verification(record.id, self._me, DeviceParty(record.user, record.device), record.room)
        await self._channel.cancel(one, steps.BY_USER)
        await self._records.end(record.id)
        self._over.add(record.id)
        await self._notices.ended(one, RESTARTED)

    async def _check_keys(self, users: Collection[str] | None = None) -> None:
        try:
            for one in await self._verified_keys.changed(users):
                await self._notices.changed(one)
        except SignedOut:
            raise
        except PlatformFailure as failed:
            # They are checked again when they change next, or at the next start.
            log.warning("%s", failed)

    def _track(self, one: Verification) -> VerificationInProgress:
        current = self._in_progress[one.other.user] = VerificationInProgress(one, self._pace.elapsed() + LASTS)
        self._busy.set()
        return current

    def _drop(self, current: VerificationInProgress) -> None:
        self._over.add(current.verification.id)
        self._in_progress.pop(current.verification.other.user, None)
        if not self._in_progress:
            self._busy.clear()

    async def _queued(self, work: Callable[[], Awaitable[T]]) -> T:
        """Queue work and wait for its result. Raises PlatformFailure if that takes too long."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def do() -> None:
            result = await work()
            if not done.done():
                done.set_result(result)

        self._work.put_nowait(do)
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                return await done
        except TimeoutError:
            raise PlatformFailure(_SLOW) from None
