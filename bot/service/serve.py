"""`lyra run`: the configured platforms, maintenance every minute, and the memory page, until asked to stop."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext

from adapters.base import Adapter
from adapters.errors import PlatformRefused
from adapters.task_groups import cancel
from bot.app import App, open_app
from bot.errors import FAILED, BadConfig, code_until_changed
from bot.printing import note
from bot.service.awake import hold_home, hold_memory
from bot.service.deadline import Stop, until_ended
from bot.service.log import carried_on, log
from bot.service.maintenance import Maintenance
from bot.service.patient_listener import PatientListener
from bot.service.platforms import platforms
from bot.service.process_lifecycle import Work, collected_when_quiet, lifecycle
from bot.service.process_roles import Role
from bot.service.refused_accounts import RefusedAccounts
from bot.talk import TURN_SECONDS, Talk, talking
from bot.web.serving import BrowserPlatform, missing_extras, serving, token_path
from localization.sentences import _, told
from memory.core import Memory
from memory.journal.chores import CHORE, Chore
from memory.store.domains import by_key
from memory.store.peers import EVERYTHING, Lease, Peers

_STAND_BY_SECONDS = 0.5
"""Seconds between attempts of a standby process to lease a connection."""
_AT_ONCE = 4
_LOOK_SECONDS = 5.0
"""Seconds a domain waits at most if a signal was missed."""
_JOB = "chore"


async def serve(role: Role = Role.ALL) -> int:
    """Run until asked to stop. Return `code_until_changed` if every configured platform refuses her, 1 if it should be restarted."""
    async with open_app(sweeps=role.works) as app:
        log.on_screen = True
        with hold_home(app, role):
            await hold_memory(app, role)
            async with until_ended(app.memory.db.hurry) as stop, _noticing(app, stop) as ended:
                match role:
                    case Role.WORKER:
                        code = await _work(app, stop)
                    case Role.PLATFORM:
                        code = await _hear(app, stop)
                    case _:
                        code = await _serve(app, role, stop)
                return FAILED if ended.is_set() else code


@asynccontextmanager
async def _noticing(app: App, stop: Stop) -> AsyncIterator[asyncio.Event]:
    """Stop the process once others declared it dead or confirmed commits are missing, during the block; yield whether so."""
    db, ended = app.memory.db, asyncio.Event()

    async def notice(told_of: asyncio.Event, why: str) -> None:
        await told_of.wait()
        note(why)
        ended.set()
        stop.set(1)

    stood_still = _("This process stood still for too long, and others go on with its work. It ends; start it again.")
    outdated = _("The memory went back to an older state: the last things I kept are not there. I end; start me again.")
    noticing = [asyncio.create_task(notice(db.outdated, outdated))]
    if db.peers:
        noticing.append(asyncio.create_task(notice(db.peers.lapsed, stood_still)))
    try:
        yield ended
    finally:
        await cancel(*noticing)


async def _work(app: App, stop: asyncio.Event) -> int:
    worker = Worker(app.memory, app.maintenance)
    working = asyncio.create_task(carried_on(worker.run(), "worker"))
    try:
        async with lifecycle(app, stop, worker.tick, app.dreams.tick, at_once=worker.tick):
            note(_("Lyra works here: what nobody waits for."))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            return 0 if stop.is_set() else FAILED
    finally:
        await cancel(working)


async def _hear(app: App, stop: asyncio.Event) -> int:
    adapters = platforms(app)
    if not adapters:
        raise BadConfig("No platform is configured, so there is nothing to hear. `lyra setup` asks for one.")
    for adapter in adapters.values():
        adapter.stand_by()
    async with (
        talking(app, adapters) as talk,
        collected_when_quiet(lambda: talk.mailboxes.waiting) as tidy,
        lifecycle(app, stop, talk.tick, tidy),
    ):
        return _code(app, refused=await _converse(adapters, talk, stop, app.memory.db.peers))


async def _serve(app: App, role: Role, stop: asyncio.Event) -> int:
    """Serve the memory page and, in the role of all, listen on the platforms and do background work, until asked to stop."""
    adapters = platforms(app) if role.hears else {}
    browsing, lacking = BrowserPlatform.of(app), missing_extras()
    works: Sequence[Work] = (app.maintenance.tick, app.dreams.tick) if role.works else ()
    if lacking and role is Role.WEB:
        raise BadConfig(lacking)
    async with (
        talking(app, {**adapters, browsing.browser.platform: browsing.browser}) as talk,
        nullcontext("") if lacking else serving(app, talk, browsing, adapters) as address,
        collected_when_quiet(lambda: talk.mailboxes.waiting) as tidy,
        lifecycle(app, stop, talk.tick, tidy, *works, at_once=works[0] if works else None),
    ):
        if lacking:
            note(str(lacking))
            if not adapters:
                note(_("No platform is configured: housekeeping only. Lyra is awake."))
        elif adapters or role is Role.WEB:
            note(_("The memory page is at {address}, its token in {path}.", address=address, path=token_path(app)))
        else:
            note(_("No platform is configured: housekeeping and the memory page only."))
            note(_("Lyra is awake: {address}, the token is in {path}.", address=address, path=token_path(app)))
        return _code(app, refused=await _converse(adapters, talk, stop))


async def _converse(adapters: Mapping[str, Adapter], talk: Talk, stop: asyncio.Event, peers: Peers | None = None) -> bool:
    """Listen on every platform until asked to stop, or refused by all; then finish running turns before disconnecting.

    Return whether refused.
    """
    awake = asyncio.Event()
    refused_accounts = RefusedAccounts(talk.services, adapters, {name: talk.listeners[name].connected for name in adapters})
    listening = [asyncio.create_task(_listen(adapter, talk, awake, refused_accounts, peers)) for adapter in adapters.values()]
    telling: set[asyncio.Task[None]] = set()
    stopping = asyncio.create_task(stop.wait())
    running = set(listening)
    try:
        while not stopping.done() and (running or not listening):
            over, _ = await asyncio.wait({stopping, *running}, return_when=asyncio.FIRST_COMPLETED)
            for task in [one for one in running if one in over]:
                if told_of := task.result():
                    telling.add(asyncio.create_task(refused_accounts.refused(*told_of)))
            running.difference_update(over)
        await talk.mailboxes.drain(TURN_SECONDS)
        return not stopping.done()
    finally:
        await cancel(stopping, *running, *telling)


def _code(app: App, *, refused: bool) -> int:
    return code_until_changed(app.base.environment.variables) if refused else 0


async def _take_one(adapter: Adapter, peers: Peers) -> None:
    reported = False
    while True:
        lease = await carried_on(_lease(adapter, peers), "lease")
        if lease is not None:
            adapter.take(lease.unit, lease.units)
            return
        if not reported:
            note(_("{platform}: other processes are connected. This one stands by.", platform=adapter.platform.capitalize()))
            reported = True
        await asyncio.sleep(_STAND_BY_SECONDS)


async def _lease(adapter: Adapter, peers: Peers) -> Lease | None:
    return await peers.lease(adapter.platform, await adapter.connections())


async def _listen(
    adapter: Adapter, talk: Talk, awake: asyncio.Event, refused_accounts: RefusedAccounts, peers: Peers | None
) -> tuple[str, PlatformRefused] | None:
    """Listen on a platform until disconnected; return the platform and error if it refuses her account."""
    if peers is not None:
        await _take_one(adapter, peers)
    listener = talk.listeners[adapter.platform]
    telling = asyncio.create_task(_tell(adapter, listener.connected, awake, refused_accounts))
    try:
        await adapter.run(PatientListener(adapter.platform, listener, talk.services.memory.db.hurried))
    except PlatformRefused as error:
        note(told(error))
        return adapter.platform, error
    finally:
        telling.cancel()
    return None


async def _tell(adapter: Adapter, connected: asyncio.Event, awake: asyncio.Event, refused_accounts: RefusedAccounts) -> None:
    await connected.wait()
    if not awake.is_set():
        awake.set()
        note(_("Lyra is awake."))
    note(_("{platform}: connected. {state}", platform=adapter.platform.capitalize(), state=adapter.describe()))
    await refused_accounts.accepted(adapter.platform)


class Worker:
    """Maintains waiting domains until cancelled; unfinished work is left to other workers."""

    def __init__(self, memory: Memory, maintenance: Maintenance) -> None:
        self._memory = memory
        self._maintenance = maintenance
        self._woken = asyncio.Event()
        self._busy: set[asyncio.Task[None]] = set()

    async def tick(self) -> None:
        """Queue the domains that are due for maintenance, as far as this worker knows."""
        await self._maintenance.leave_due()

    async def run(self) -> None:
        """Process waiting domains, woken by signals."""
        assert self._memory.db.peers is not None
        self._memory.db.peers.listen(self._hear)
        try:
            while True:
                self._woken.clear()
                while len(self._busy) < _AT_ONCE and (chore := await carried_on(self._memory.chores.take(), _JOB)):
                    task = asyncio.create_task(self._do(chore))
                    self._busy.add(task)
                    task.add_done_callback(self._over)
                try:
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._woken.wait()
                except TimeoutError:
                    continue
        finally:
            await cancel(*self._busy)

    def _hear(self, words: Collection[str]) -> None:
        if CHORE in words or EVERYTHING in words:
            self._woken.set()

    def _over(self, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        self._woken.set()

    async def _do(self, chore: Chore) -> None:
        async def still() -> bool:
            return await self._memory.chores.renew(chore)

        try:
            if domain := await by_key(self._memory.db, chore.domain):
                await self._maintenance.maintain(domain, still)
        except asyncio.CancelledError:
            await carried_on(self._memory.chores.done(chore, again=True), _JOB)
            raise
        await carried_on(self._memory.chores.done(chore), _JOB)
