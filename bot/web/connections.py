"""The open HTTP connections: at most so many that descriptors are left for everything else Lyra does."""

from collections.abc import Callable
from typing import Any

from aiohttp import web

_BAD_REQUEST = 400
MOST_CONNECTIONS = 256
"""A process often has 1,024 descriptors, which her database, models and platforms need as well."""


class OpenConnections:
    """The open connections of a server, oldest first."""

    def __init__(self) -> None:
        self._open: dict[HttpConnection, None] = {}

    def add(self, connection: "HttpConnection") -> None:
        """Add a connection. Beyond the limit, the oldest one over which nobody signed in is closed, or else the new one."""
        self._open[connection] = None
        if len(self._open) > MOST_CONNECTIONS:
            self._close(next((one for one in self._open if not one.visitor), connection))

    def remove(self, connection: "HttpConnection") -> None:
        """Remove a connection that ended."""
        self._open.pop(connection, None)

    def close_of(self, visitor: str, but: web.BaseRequest) -> None:
        """Close the connections of a visitor, and so what is streamed to them, except that of one request."""
        for connection in [one for one in self._open if one.visitor == visitor and one is not but.protocol]:
            self._close(connection)

    def _close(self, connection: "HttpConnection") -> None:
        self.remove(connection)
        if connection.transport is not None:
            # What a reader that stands still has not taken yet would keep the descriptor.
            connection.transport.abort()
        connection.force_close()


class HttpConnection(web.RequestHandler):
    """A connection. Invalid requests are answered by `unread` and not logged: anybody can send them.

    `visitor` is who was let in over it last (the form token of a browser, a word for scripts), '' for nobody.
    """

    def __init__(
        self, manager: web.Server, others: OpenConnections, unread: Callable[[web.BaseRequest], web.Response], **how: Any
    ) -> None:
        super().__init__(manager, **how)
        self._others = others
        self._unread = unread
        self.visitor = ""

    def connection_made(self, transport: Any) -> None:
        """Take up a new connection."""
        super().connection_made(transport)
        self._others.add(self)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Give up a connection that ended."""
        self._others.remove(self)
        super().connection_lost(exc)

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Answer an invalid request or a failure, and close the connection."""
        if status != _BAD_REQUEST:
            return super().handle_error(request, status, exc, message)
        response = self._unread(request)
        response.force_close()
        return response


CONNECTIONS = web.AppKey("connections", OpenConnections)


def note_visitor(request: web.Request, visitor: str) -> None:
    """Note on the connection of a request who was let in over it."""
    if isinstance(request.protocol, HttpConnection):
        request.protocol.visitor = visitor
