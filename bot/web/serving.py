"""Serving the memory page for a block, by the first process of a home to do so: `lyra run`, or `lyra web` without it."""

import asyncio
import re
import secrets
import shlex
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path
from typing import Self

from adapters.base import Adapter
from adapters.browser.browser import Browser, Origin, Tabs
from bot.app import App
from bot.conversation.conversation_lock import SoleProcess
from bot.imports import imported
from bot.service.log import carried_on
from bot.talk import Talk
from bot.web.host_names import reach
from bot.web.signins import SignIns
from localization.sentences import Said, lazy, told
from memory.store import keys
from memory.types import Identity

_OF_EXTRA = re.compile(r"""([\w.-]+)[^;]*;\s*extra == ['"]web['"]""")
"""What the package says of a dependency of the page, which a base installation does not have."""
NO_PLATFORMS: Mapping[str, Adapter] = {}
_SCOPE, _ADDRESS = "install", "web address"
_LOOKS, _LOOK_SECONDS = 100, 0.1


def missing_extras() -> Said | None:
    """Return a sentence on how to install missing dependencies, None if all are present."""
    names = [found[1] for found in map(_OF_EXTRA.match, requires("lyra-companion") or ()) if found]
    if all(find_spec(name.replace("-", "_")) for name in names):
        return None
    installer = [sys.executable, "-m", "pip"] if find_spec("pip") else ["uv", "pip"]
    where = [] if find_spec("pip") else ["--python", sys.executable]
    command = shlex.join([*installer, "install", *where, *names])
    return lazy('The memory page takes the extra "web", which is not installed here: {command}', command=command)


class TabPresence:
    """The conversations shown by this process's tabs: what is unanswered there is taken up, unless a terminal is attached."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._taken: dict[str, tuple[SoleProcess, int]] = {}

    def at_hand(self, place: str) -> bool:
        """Return whether this process alone is present at a place."""
        return place in self._taken and self._taken[place][0].held

    @contextmanager
    def present(self, place: str) -> Iterator[bool]:
        """Be present at a place for the block; yield whether neither a terminal nor another process is there."""
        alone, sitting = self._taken.get(place, (SoleProcess(self._home, place), 0))
        if not sitting:
            alone.__enter__()
        self._taken[place] = alone, sitting + 1
        try:
            yield alone.held
        finally:
            alone, sitting = self._taken[place]
            if sitting > 1:
                self._taken[place] = alone, sitting - 1
            else:
                del self._taken[place]
                alone.__exit__()


@dataclass(frozen=True, slots=True)
class BrowserPlatform:
    """The browser as a platform, with its tabs and their presence, before anything is served."""

    browser: Browser
    tabs: Tabs
    tab_presence: TabPresence

    @classmethod
    def of(cls, app: App) -> Self:
        """Return that of an app."""
        tabs, tab_presence = Tabs(), TabPresence(app.base.environment.home)
        origin = Origin(app.base.ids.new, app.base.clock.now, app.base.environment.user)
        return cls(Browser(tabs, origin, tab_presence.at_hand), tabs, tab_presence)


def token_path(app: App) -> Path:
    """Return the path of the bearer token for scripts."""
    name = app.base.settings.web.token_file
    return app.base.environment.path(name) if name else app.base.environment.home / "web-token"


@asynccontextmanager
async def serving(
    app: App, talk: Talk, browsing: BrowserPlatform, platforms: Mapping[str, Adapter] = NO_PLATFORMS
) -> AsyncIterator[str]:
    """Serve the page for the block and yield its URL. Raises LyraError if the port is taken, BadConfig.

    `platforms` are the other connected ones.
    """
    section = app.base.settings.web
    pages = imported("bot.web.page_context")
    context = pages.PageContext(app, talk, browsing, pages.templates(), platforms)
    token = keys.word(token_path(app), lambda: secrets.token_urlsafe(32))
    web = imported("bot.web.server:Web")(context, reach(section, app.base.environment), token)
    talk.mailboxes.on_left = lambda place, error: browsing.browser.tell(place, told(error))
    listening = asyncio.create_task(browsing.browser.run(talk.listeners[browsing.browser.platform]))
    try:
        address = await web.start(section.port)
        await app.memory.settings.set(_SCOPE, _ADDRESS, address)
        try:
            yield address
        finally:
            try:
                await carried_on(app.memory.settings.set(_SCOPE, _ADDRESS, None), "address")
            finally:
                await web.stop()
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening


async def served_at(app: App) -> str:
    """Return the URL at which another process serves the page, '' if it is not published within ten seconds."""
    for _ in range(_LOOKS):
        if address := await app.memory.settings.get(_SCOPE, _ADDRESS):
            return str(address)
        await asyncio.sleep(_LOOK_SECONDS)
    return ""


async def link(app: App, address: str, name: str) -> str:
    """Return a one-time sign-in URL for a console identity."""
    identity = Identity("console", name or app.base.environment.user)
    return f"{address}/enter?key={await SignIns(app.memory.settings, app.base.clock).create_link(identity)}"
