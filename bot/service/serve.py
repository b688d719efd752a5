"""`lyra run`: the configured platforms, maintenance every minute, and the memory page, until asked to stop."""

import asyncio
import signal
import sys
import termios
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from adapters.base import Adapter
from adapters.errors import PlatformRefused
from bot.app import App, opened, until_ended
from bot.cli.output import show
from bot.errors import BadConfig
from bot.service import costs
from bot.service.deadline import Stop
from bot.service.exclusive_use import awake, reserve
from bot.service.garbage import collected_when_quiet
from bot.service.log import carried_on, log
from bot.service.notifier import Notifier
from bot.service.platforms import platforms
from bot.service.process_roles import Role
from bot.service.refused_accounts import RefusedAccounts
from bot.service.worker import Worker
from bot.talk import TURN_SECONDS, Talk, talking
from bot.web.extra import missing
from bot.web.serving import BrowserPlatform, serving, token_path
from localization.sentences import _, lazy, told
from memory.store.peers import Lease, Peers

_STAND_BY_SECONDS = 0.5
"""Seconds between attempts of a standby process to lease a connection."""
Work = Callable[[], Awaitable[None]]


async def serve(role: Role = Role.ALL) -> int:
    """Run until asked to stop; return 1 if every configured platform refuses her, or other processes declared this one dead."""
    async with opened(sweeps=role.works) as app:
        log.on_screen = True
        with awake(app, role):
            await reserve(app, role)
            async with until_ended() as stop, _noticing(app, stop) as lapsed:
                match role:
                    case Role.WORKER:
                        code = await _work(app, stop)
                    case Role.PLATFORM:
                        code = await _hear(app, stop)
                    case _:
                        code = await _serve(app, role, stop)
                return 1 if lapsed.is_set() else code


@asynccontextmanager
async def _noticing(app: App, stop: Stop) -> AsyncIterator[asyncio.Event]:
    """Stop the process once others have declared it dead, during the block; yield whether they have."""
    lapsed = app.memory.db.peers.lapsed if app.memory.db.peers else asyncio.Event()

    async def notice() -> None:
        await lapsed.wait()
        _say(_("This process stood still for too long, and others go on with its work. It ends; start it again."))
        stop.set(1)

    noticing = asyncio.create_task(notice())
    try:
        yield lapsed
    finally:
        noticing.cancel()
        await asyncio.gather(noticing, return_exceptions=True)


async def _work(app: App, stop: asyncio.Event) -> int:
    """Do background work, beside other processes, until asked to stop."""
    worker = Worker(app.memory, app.maintenance)
    working = asyncio.create_task(worker.run())
    try:
        async with _alive(app, stop, worker.tick, app.dreams.tick, at_once=worker.tick):
            _say(_("Lyra works here: what nobody waits for."))
            await _wait_for_either(working, stop)
            return 0 if stop.is_set() else 1
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def _wait_for_either(working: asyncio.Task[None], stop: asyncio.Event) -> None:
    asked = asyncio.create_task(_wait(stop))
    await asyncio.wait({working, asked}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()


async def _hear(app: App, stop: asyncio.Event) -> int:
    """Listen on the configured platforms, beside other processes, until asked to stop."""
    adapters = platforms(app)
    if not adapters:
        raise BadConfig(lazy("No platform is configured, so there is nothing to hear. `lyra setup` asks for one."))
    for adapter in adapters.values():
        adapter.stand_by()
    async with (
        talking(app, adapters) as talk,
        collected_when_quiet(lambda: talk.mailboxes.waiting) as tidy,
        _alive(app, stop, talk.tick, tidy),
    ):
        return await _converse(adapters, talk, stop, app.memory.db.peers)


async def _serve(app: App, role: Role, stop: asyncio.Event) -> int:
    """Serve the memory page and, in the role of all, listen on the platforms and do background work, until asked to stop."""
    adapters = platforms(app) if role.hears else {}
    browsing, lacking = BrowserPlatform.of(app), missing()
    works: Sequence[Work] = (app.maintenance.tick, app.dreams.tick) if role.works else ()
    if lacking and role is Role.WEB:
        raise BadConfig(lacking)
    async with (
        talking(app, {**adapters, browsing.browser.platform: browsing.browser}) as talk,
        nullcontext("") if lacking else serving(app, talk, browsing, adapters) as address,
        collected_when_quiet(lambda: talk.mailboxes.waiting) as tidy,
        _alive(app, stop, talk.tick, tidy, *works, at_once=works[0] if works else None),
    ):
        if lacking:
            _say(str(lacking))
            if not adapters:
                _say(_("No platform is configured: housekeeping only. Lyra is awake."))
        elif adapters or role is Role.WEB:
            _say(_("The memory page is at {address}, its token in {path}.", address=address, path=token_path(app)))
        else:
            _say(_("No platform is configured: housekeeping and the memory page only."))
            _say(_("Lyra is awake: {address}, the token is in {path}.", address=address, path=token_path(app)))
        return await _converse(adapters, talk, stop)


@asynccontextmanager
async def _alive(
    app: App,
    stop: asyncio.Event,
    *every_minute: Work,
    at_once: Work | None = None,
) -> AsyncIterator[None]:
    """Run the process frame during the block: systemd notifications, reloading on SIGHUP, and jobs every minute.

    The job `at_once` also runs immediately, concurrently with the platforms, since it may wait for a model.
    """
    notifier = Notifier(app.base.environment.variables)
    alive = asyncio.create_task(notifier.keep_alive())
    reloading = set[asyncio.Task[None]]()
    _on_hangup(app, stop, reloading)
    scheduler = AsyncIOScheduler(timezone="UTC")
    works: list[Work] = [*every_minute, partial(costs.kept, app.memory)]
    for work in works:
        scheduler.add_job(_until_cancelled(work), "interval", seconds=60, max_instances=1, coalesce=True)
    if at_once:
        scheduler.add_job(_until_cancelled(at_once))
    try:
        scheduler.start()
        log.info("lyra.started")
        notifier.tell("READY=1")
        yield
    finally:
        alive.cancel()
        notifier.tell("STOPPING=1")
        log.info("lyra.stopped")
        scheduler.shutdown(wait=False)


async def _converse(adapters: Mapping[str, Adapter], talk: Talk, stop: asyncio.Event, peers: Peers | None = None) -> int:
    """Listen on every platform until asked to stop; then finish running turns before disconnecting."""
    awake = asyncio.Event()
    refused_accounts = RefusedAccounts(talk.services, adapters, {name: talk.listeners[name].connected for name in adapters})
    listening = [asyncio.create_task(_listen(adapter, talk, awake, refused_accounts, peers)) for adapter in adapters.values()]
    telling: set[asyncio.Task[None]] = set()
    asked = asyncio.create_task(_wait(stop))
    left = set(listening)
    try:
        while not asked.done() and (left or not listening):
            over, _ = await asyncio.wait({asked, *left}, return_when=asyncio.FIRST_COMPLETED)
            for task in left & over:
                if told_of := task.result():
                    telling.add(asyncio.create_task(refused_accounts.lost(*told_of)))
            left -= over
        await talk.mailboxes.drain(TURN_SECONDS)
        return 0 if asked.done() else 1
    finally:
        for task in {asked, *left, *telling}:
            task.cancel()
        await asyncio.gather(asked, *left, *telling, return_exceptions=True)


def _on_hangup(app: App, stop: asyncio.Event, reloading: set[asyncio.Task[None]]) -> None:
    """Reload the configuration at SIGHUP, or stop if it means that the controlling terminal is gone."""
    at_terminal, loop = sys.stdin.isatty(), asyncio.get_running_loop()

    async def reload() -> None:
        _say(await app.reloading.told())

    def hung_up() -> None:
        if at_terminal and _is_gone():
            stop.set()
            return
        task = loop.create_task(reload())
        reloading.add(task)
        task.add_done_callback(reloading.discard)

    loop.add_signal_handler(signal.SIGHUP, hung_up)


def _is_gone() -> bool:
    try:
        termios.tcgetattr(sys.stdin)
    except (termios.error, OSError, ValueError):
        return True
    return False


def _until_cancelled(work: Work) -> Work:
    """Wrap a job so that cancellation at shutdown is not an error."""

    async def done() -> None:
        with suppress(asyncio.CancelledError):
            await work()

    return done


async def _wait(stop: asyncio.Event) -> None:
    await stop.wait()


async def _take_one(adapter: Adapter, peers: Peers) -> None:
    """Lease one connection of a platform, as soon as one is free."""
    said = False
    while True:
        lease = await carried_on(_lease(adapter, peers), "lease")
        if lease is not None:
            adapter.take(lease.unit, lease.units)
            return
        if not said:
            _say(_("{platform}: other processes are connected. This one stands by.", platform=adapter.platform.capitalize()))
            said = True
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
        await adapter.run(listener)
    except PlatformRefused as error:
        _say(told(error))
        return adapter.platform, error
    finally:
        telling.cancel()
    return None


async def _tell(adapter: Adapter, connected: asyncio.Event, awake: asyncio.Event, refused_accounts: RefusedAccounts) -> None:
    await connected.wait()
    if not awake.is_set():
        awake.set()
        _say(_("Lyra is awake."))
    _say(_("{platform}: connected. {state}", platform=adapter.platform.capitalize(), state=adapter.describe()))
    await refused_accounts.found(adapter.platform)


def _say(sentence: str) -> None:
    show(sentence, sys.stderr)
