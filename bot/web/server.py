"""The HTTP side of Lyra: every page and path, behind one guard, on one port."""

import errno
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from aiohttp import web

from bot.errors import LyraError
from bot.web.attempts import Attempts
from bot.web.desk import Desk
from bot.web.guard import Guard
from bot.web.metrics import Metrics
from bot.web.pages.activity_page import ActivityPage
from bot.web.pages.entry_page import EntryPage
from bot.web.pages.health_pages import HealthPage, NumbersPage
from bot.web.pages.knowledge_pages import FactsPage, PeoplePage
from bot.web.pages.places_page import PlacesPage
from bot.web.pages.rights_pages import ExportPage, ForgetPage, PolicyPage
from bot.web.pages.search_page import SearchPage
from bot.web.pages.self_pages import DreamsPage, PersonaPage, SelfPage
from bot.web.pages.talk_page import CLOSING, TalkPage
from bot.web.pages.timeline_page import TimelinePage
from bot.web.reach import Reach
from bot.web.scripts import Scripts
from bot.web.signins import SignIns
from localization.sentences import Said, lazy

_STATIC = Path(__file__).with_name("static")
_MOST_BYTES = 512 * 1024
_MOST_ADDRESS = 64 * 1024
"""Bytes: a long search in a script that takes many bytes a letter is longer than what is usual."""


class Page(Protocol):
    """Part of the memory page."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered there."""
        ...


class Web:
    """Serves the memory page and the paths for scripts until it is stopped."""

    def __init__(self, desk: Desk, reach: Reach, token: str) -> None:
        app = desk.app
        self._desk = desk
        self._reach = reach
        self._scripts = Scripts(app.memory, app.maintenance, Metrics(app.memory, desk.talk.mailboxes))
        self._activity = ActivityPage(desk)
        signins, attempts, cookie = SignIns(app.memory.settings, app.base.clock), Attempts(), cookie_name(token)
        guard = Guard(reach, signins, attempts, token, cookie, self._refused, desk.language)
        pages: Sequence[Page] = (
            self._scripts, EntryPage(desk, signins, attempts, reach, cookie), TalkPage(desk), SearchPage(desk), TimelinePage(desk),
            FactsPage(desk), PeoplePage(desk), ForgetPage(desk), SelfPage(desk), NumbersPage(desk), DreamsPage(desk), ExportPage(desk),
            PlacesPage(desk), PersonaPage(desk), PolicyPage(desk), HealthPage(desk), self._activity,
        )  # fmt: skip
        served = web.Application(middlewares=[guard.admit], client_max_size=_MOST_BYTES)
        for page in pages:
            served.add_routes(page.routes())
        served.add_routes([web.static("/static", _STATIC)])
        self._runner = web.AppRunner(served, access_log=None, shutdown_timeout=2.0, max_line_size=_MOST_ADDRESS)

    async def start(self, port: int) -> str:
        """Listen; port 0 takes a free one. Return the address that people type. Raises LyraError where the port is taken."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, self._reach.host, port, ssl_context=self._reach.tls)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            if error.errno != errno.EADDRINUSE:
                raise LyraError(
                    lazy(
                        "Nothing can listen on {host}, port {port}: {why}.",
                        host=self._reach.host,
                        port=port,
                        why=error.strerror or str(error),
                    )
                ) from error
            raise LyraError(lazy("Port {port} is taken. Name another in the configuration: [web] port = …", port=port)) from error
        return self._reach.url(int(self._runner.addresses[0][1]))

    async def stop(self) -> None:
        """End every answer and stop listening."""
        self._scripts.stop()
        self._activity.stop()
        self._desk.tabs.show_all(CLOSING)
        await self._runner.cleanup()

    def _refused(self, request: web.Request, status: int, words: Said) -> web.Response:
        if "text/html" in request.headers.get("Accept", ""):
            return self._desk.plain("problem.html", status, status=status, words=_SIGN_IN if status == 401 else words)
        return web.json_response({"error": str(words)}, status=status)


_SIGN_IN = lazy("Nobody is signed in here. On her machine, lyra web opens this page with a link that lets you in.")


def cookie_name(token: str) -> str:
    """Return under which name a browser keeps who is signed in: another one for each home, as cookies know no ports."""
    return f"lyra-{sha256(token.encode()).hexdigest()[:8]}"
