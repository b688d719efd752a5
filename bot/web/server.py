"""The HTTP server: every page and path, behind one guard, on one port."""

import asyncio
import errno
from hashlib import sha256
from pathlib import Path

from aiohttp import web

from bot.errors import LyraError
from bot.web import http_api
from bot.web.connections import CONNECTIONS, HttpConnection, OpenConnections
from bot.web.guard import ENTERED, GUARD, Guard, protect
from bot.web.host_names import HostNames
from bot.web.page_context import CONTEXT, PageContext
from bot.web.pages import ROUTES
from bot.web.server_sent_events import STOPPING
from bot.web.signins import SignIns
from localization.sentences import Said, lazy

_STATIC = Path(__file__).with_name("static")
_MOST_BYTES = 512 * 1024
_MOST_ADDRESS = 64 * 1024
"""The request line limit in bytes: a long search in a script with many bytes per letter exceeds the default."""


class Web:
    """Serves the memory page and the paths for scripts until stopped."""

    def __init__(self, context: PageContext, reach: HostNames, token: str) -> None:
        app = context.app
        self._context = context
        self._reach = reach
        signins = SignIns(app.memory.settings, app.base.clock)
        self._guard = Guard(reach, signins, token, cookie_name(token), self._refused, context.language)
        served = web.Application(middlewares=[self._guard.admit], client_max_size=_MOST_BYTES)
        served[CONTEXT], served[GUARD] = context, self._guard
        self._connections = served[CONNECTIONS] = OpenConnections()
        self._stopping = served[STOPPING] = asyncio.Event()
        # Also before the first byte of what is streamed.
        served.on_response_prepare.append(protect)
        for routes in (http_api.routes, *ROUTES, [web.static("/static", _STATIC)]):
            served.add_routes(routes)
        self._runner = web.AppRunner(served, shutdown_timeout=2.0)
        self._listening: asyncio.Server | None = None

    async def start(self, port: int) -> str:
        """Listen, on a free port for 0, and return the page's URL. Raises LyraError if the port is taken."""
        await self._runner.setup()
        manager, loop = self._runner.server, asyncio.get_running_loop()
        assert manager is not None
        try:
            self._listening = await loop.create_server(
                lambda: HttpConnection(
                    manager, self._connections, self._guard.malformed, loop=loop, access_log=None, max_line_size=_MOST_ADDRESS
                ),
                self._reach.host,
                port,
                ssl=self._reach.tls,
            )
        except OSError as error:
            await self._runner.cleanup()
            if error.errno != errno.EADDRINUSE:
                raise LyraError(
                    "Nothing can listen on {host}, port {port}: {why}.",
                    host=self._reach.host,
                    port=port,
                    why=error.strerror or str(error),
                ) from error
            raise LyraError("Port {port} is taken. Name another in the configuration: [web] port = …", port=port) from error
        return self._reach.url(int(self._listening.sockets[0].getsockname()[1]))

    async def stop(self) -> None:
        """End all responses and stop listening."""
        self._stopping.set()
        self._context.browsing.tabs.end_all()
        if self._listening:
            self._listening.close()
        await self._runner.cleanup()

    def _refused(self, request: web.BaseRequest, status: int, words: Said) -> web.Response:
        if "text/html" in request.headers.get("Accept", ""):
            if status == 401:
                words = _KEEPS_NO_COOKIE if request.path == ENTERED else _SIGN_IN
            return self._context.page("problem.html", status, status=status, words=words)
        return web.json_response({"error": str(words)}, status=status)


_SIGN_IN = lazy("Nobody is signed in here. On her machine, lyra web opens this page with a link that lets you in.")
_KEEPS_NO_COOKIE = lazy(
    "This browser keeps no cookies of this page, which let you in. Allow them here, and open a new link: lyra web, on her machine."
)


def cookie_name(token: str) -> str:
    """Return the session cookie's name: one for each home, as cookies ignore ports."""
    return f"lyra-{sha256(token.encode()).hexdigest()[:8]}"
