"""Waiting for the answer of a server, and finding out whether it hangs.

A server may take as long as it needs for a statement. But if it does not answer on a connection of its own either, it hangs.
"""

import asyncio

import psycopg
from psycopg.pq.abc import PGconn

LOOK_SECONDS = 3.0
"""After how long without an answer the server is asked whether it is there; the pause doubles with each time."""
ANSWER_SECONDS = 5.0
_HURRIED_SECONDS = 0.5
"""Both of these once the process is to end."""
_IS_TLS_OFFERED = bytes.fromhex("0000000804d2162f")
"""SSLRequest: the shortest message that a server answers, before anybody signs in."""


class ServerAnswer:
    """Waits for a socket as long as the server is there; with `to_the_end`, also after the task was cancelled."""

    def __init__(self, pgconn: PGconn, to_the_end: bool, *, looks: bool) -> None:
        """Prepare; unless it `looks`, a server that hangs is waited for until there is a hurry."""
        self._pgconn = pgconn
        self._socket = pgconn.socket
        self._to_the_end = to_the_end
        self._looks = looks
        self._pause, self._patience = LOOK_SECONDS, ANSWER_SECONDS
        self._ready: asyncio.Future[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.cancelled: asyncio.CancelledError | None = None

    def hurry(self) -> None:
        """Wait only briefly for a server that hangs."""
        self._looks = True
        self._pause = self._patience = _HURRIED_SECONDS
        if self._ready is not None:
            self._look(self._ready)

    async def ready(self, *, writing: bool = False) -> None:
        """Return once the socket is readable or, with `writing`, writable. Raises OperationalError if the server hangs."""
        loop = asyncio.get_running_loop()
        self._ready = ready = loop.create_future()
        look = loop.call_later(self._pause, self._look, ready) if self._looks else None
        loop.add_reader(self._socket, _set_ready, ready)
        if writing:
            loop.add_writer(self._socket, _set_ready, ready)
        try:
            await ready
        except asyncio.CancelledError as error:
            if not self._to_the_end:
                raise
            self.cancelled = error
        finally:
            self._ready = None
            if look is not None:
                look.cancel()
            loop.remove_reader(self._socket)
            if writing:
                loop.remove_writer(self._socket)

    def _look(self, ready: asyncio.Future[None]) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = asyncio.create_task(self._require_answer(ready))

    async def _require_answer(self, ready: asyncio.Future[None]) -> None:
        """Ask the server until the socket is ready; end the wait with an error if it does not answer."""
        while not ready.done():
            host = self._pgconn.hostaddr or self._pgconn.host
            if not await is_there(host.decode(), int(self._pgconn.port), self._patience) and not ready.done():
                ready.set_exception(psycopg.OperationalError("the server stands still"))
                return
            self._pause *= 2
            await asyncio.wait({ready}, timeout=self._pause)


async def is_there(host: str, port: int, patience: float) -> bool:
    """Return whether a server, at a host or in the folder of its socket, answers a new connection within `patience` seconds.

    libpq has PQping for this, but it holds the interpreter's lock while it waits, so that the whole process would stand still.
    """
    try:
        async with asyncio.timeout(patience):
            if host.startswith(("/", "@")):
                path = f"{host}/.s.PGSQL.{port}"
                reader, writer = await asyncio.open_unix_connection(f"\0{path[1:]}" if host.startswith("@") else path)
            else:
                reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(_IS_TLS_OFFERED)
                return bool(await reader.read(1))
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError):
        return False


def _set_ready(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
