"""An HTTP application at a port of loopback, which ends without losing a connection."""

import asyncio
import socket

from aiohttp import web


class Loopback:
    """Serves an application from `begin` to `end`."""

    def __init__(self, app: web.Application) -> None:
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        self._listening: socket.socket | None = None

    async def begin(self, port: int = 0) -> int:
        """Listen, at a port that is free by default, and return it."""
        await self._runner.setup()
        self._listening = socket.create_server(("127.0.0.1", port))
        self._listening.setblocking(False)
        await web.SockSite(self._runner, self._listening).start()
        return int(self._listening.getsockname()[1])

    async def end(self) -> None:
        """Take nobody any more, and let go of everybody; nothing where that is so already.

        A server of asyncio that is closed between a connection is taken and has its transport never closes that one, and
        whichever test comes when it is found is blamed for it: so those have their transports first.
        """
        listening, self._listening = self._listening, None
        if listening is None:
            return
        asyncio.get_running_loop().remove_reader(listening)
        for _ in range(2):
            await asyncio.sleep(0)
        await self._runner.cleanup()
