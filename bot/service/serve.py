"""`lyra run`: Lyra awake. Platforms as configured, housekeeping every minute, and the memory page, until asked to stop."""

import asyncio
import os
import signal
import socket
import sys
import termios
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from adapters.base import Adapter
from adapters.errors import PlatformRefused
from bot.app import App, opened, until_stopped
from bot.cli.output import show
from bot.service import costs
from bot.service.log import log
from bot.service.lost import Losses
from bot.service.platforms import platforms
from bot.talk import TURN_SECONDS, Talk, talking
from bot.web.extra import missing
from bot.web.serving import page_lock, parlour, serving, token_path
from localization.sentences import _, lazy, told
from memory.errors import HomeInUse
from memory.store.locks import FileLock

_MICROSECONDS = 1_000_000


class Notifier:
    """Tells systemd how things are, where it runs her: ready, alive, stopping (the protocol of sd_notify(3)).

    Datagrams go to the socket that NOTIFY_SOCKET names, and nowhere without one.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Read where to send, and how often systemd wants to hear that she is alive (WATCHDOG_USEC), half of which is kept to."""
        address = variables.get("NOTIFY_SOCKET", "")
        # A name that begins with @ is one of Linux's abstract sockets.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        given = variables.get("WATCHDOG_USEC", "")
        self._seconds = int(given) / _MICROSECONDS / 2 if given.isdigit() else 0.0

    def tell(self, state: str) -> None:
        """Send a state, such as READY=1. What does not arrive is systemd's to miss."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(state.encode(), self._address)

    async def keep_alive(self) -> None:
        """Say again and again that the event loop goes on, until cancelled."""
        while self._address and self._seconds:
            self.tell("WATCHDOG=1")
            await asyncio.sleep(self._seconds)


async def serve() -> int:
    """Run until the process is asked to end; return 1 where no configured platform lets her in."""
    async with opened() as app:
        log.on_screen = True
        lock = FileLock(app.base.around.home / "run.lock")
        lock.require(lazy("Lyra is awake in this home already. One `lyra run` is enough; end it first to start another."))
        page = page_lock(app)
        try:
            lock.path.write_text(str(os.getpid()))
            page.require(
                lazy("`lyra web` serves the memory page of this home already. End it first: `lyra run` serves it as well.")
            )
            if not await app.memory.db.reserve():
                raise HomeInUse(
                    lazy(
                        "Lyra is awake on {address} already, from another home. One `lyra run` is enough; end it first to start another.",
                        address=app.memory.address,
                    )
                )
            return await _serve(app)
        finally:
            page.release()
            lock.release()


async def _serve(app: App) -> int:
    async with until_stopped() as stop:
        adapters = platforms(app)
        place, lacking = parlour(app), missing()
        async with (
            talking(app, {**adapters, place.browser.platform: place.browser}) as talk,
            nullcontext("") if lacking else serving(app, talk, place, adapters) as address,
        ):
            notifier = Notifier(app.base.around.variables)
            alive = asyncio.create_task(notifier.keep_alive())
            reloading = set[asyncio.Task[None]]()
            _on_hangup(app, stop, reloading)
            scheduler = AsyncIOScheduler(timezone="UTC")
            for work in (app.maintenance.tick, talk.tick, app.dreams.tick, partial(costs.kept, app.memory)):
                scheduler.add_job(_until_cancelled(work), "interval", seconds=60, max_instances=1, coalesce=True)
            # Once at the start as well, beside the platforms: a pass may take as long as a model does.
            scheduler.add_job(_until_cancelled(app.maintenance.tick))
            try:
                scheduler.start()
                if lacking:
                    _say(str(lacking))
                    if not adapters:
                        _say(_("No platform is configured: housekeeping only. Lyra is awake."))
                elif adapters:
                    _say(_("The memory page is at {address}, its token in {path}.", address=address, path=token_path(app)))
                else:
                    _say(_("No platform is configured: housekeeping and the memory page only."))
                    _say(_("Lyra is awake: {address}, the token is in {path}.", address=address, path=token_path(app)))
                log.info("lyra.started", platforms=",".join(adapters))
                notifier.tell("READY=1")
                return await _converse(adapters, talk, stop)
            finally:
                alive.cancel()
                notifier.tell("STOPPING=1")
                log.info("lyra.stopped")
                scheduler.shutdown(wait=False)


async def _converse(adapters: Mapping[str, Adapter], talk: Talk, stop: asyncio.Event) -> int:
    """Listen on every platform until asked to stop; then finish what is under way before the platforms are left."""
    awake = asyncio.Event()
    losses = Losses(talk.services, adapters, {name: talk.listeners[name].connected for name in adapters})
    listening = [asyncio.create_task(_listen(adapter, talk, awake, losses)) for adapter in adapters.values()]
    telling: set[asyncio.Task[None]] = set()
    asked = asyncio.create_task(_wait(stop))
    left = set(listening)
    try:
        while not asked.done() and (left or not listening):
            over, _ = await asyncio.wait({asked, *left}, return_when=asyncio.FIRST_COMPLETED)
            for task in left & over:
                if told_of := task.result():
                    telling.add(asyncio.create_task(losses.lost(*told_of)))
            left -= over
        await talk.mailboxes.drain(TURN_SECONDS)
        return 0 if asked.done() else 1
    finally:
        for task in {asked, *left, *telling}:
            task.cancel()
        await asyncio.gather(asked, *left, *telling, return_exceptions=True)


def _on_hangup(app: App, stop: asyncio.Event, reloading: set[asyncio.Task[None]]) -> None:
    """Have the configuration read again at SIGHUP; where it says that the terminal she was started at is gone, end."""
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


def _until_cancelled(work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """Return work whose end is no failure where it is cut off because the process ends."""

    async def done() -> None:
        with suppress(asyncio.CancelledError):
            await work()

    return done


async def _wait(stop: asyncio.Event) -> None:
    await stop.wait()


async def _listen(adapter: Adapter, talk: Talk, awake: asyncio.Event, losses: Losses) -> tuple[str, PlatformRefused] | None:
    """Listen on a platform until it is left; return which one lets her in no more, and why."""
    listener = talk.listeners[adapter.platform]
    telling = asyncio.create_task(_tell(adapter, listener.connected, awake, losses))
    try:
        await adapter.run(listener)
    except PlatformRefused as error:
        _say(told(error))
        return adapter.platform, error
    finally:
        telling.cancel()
    return None


async def _tell(adapter: Adapter, connected: asyncio.Event, awake: asyncio.Event, losses: Losses) -> None:
    await connected.wait()
    if not awake.is_set():
        awake.set()
        _say(_("Lyra is awake."))
    _say(_("{platform}: connected. {state}", platform=adapter.platform.capitalize(), state=adapter.describe()))
    await losses.found(adapter.platform)


def _say(sentence: str) -> None:
    show(sentence, sys.stderr)
