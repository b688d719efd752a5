"""A proxy in front of the homeserver, on loopback: it records every request, and lets things go wrong on demand.

async with Proxy(synapse.url) as proxy:
    proxy.faults.script(SEND, Lost())
    ...let the bot talk to proxy.url, then
    [first, again] = await proxy.heard(SEND, 2)
    assert first.path == again.path
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import aiohttp
from aiohttp import web
from yarl import URL

from tests.fakes.loopback import Loopback
from tests.fakes.matrix.client import API
from tests.fakes.matrix.faults import Fault, Faults, Held, Late, Lost, RateLimit, Refuse, Status, Then, matches
from tests.fakes.pulse import Pulse

T = TypeVar("T")
_HOP = {"connection", "keep-alive", "transfer-encoding", "host", "date", "server"}


@dataclass(eq=False)
class Call:
    """One request. `path` is decoded and without `/_matrix/client/v3`; `status` is what it was answered with, 0 before."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    raw: bytes = field(repr=False)
    status: int = 0
    fault: Fault | None = None
    """What the test made go wrong with it."""
    over: bool = False
    """Whether it is answered, or its connection is gone."""

    @property
    def name(self) -> str:
        """What operations are matched with."""
        return f"{self.method} {self.path}"

    @property
    def body(self) -> Any:
        """The JSON that came with it, None for anything else."""
        try:
            return json.loads(self.raw)
        except ValueError:
            return None


class Proxy:
    """The proxy on a port of its own, for the block."""

    def __init__(self, upstream: str) -> None:
        self.faults = Faults()
        self.requests: list[Call] = []
        """Every request so far."""
        self.port = 0
        self._upstream = upstream
        self._pulse = Pulse()
        self._lines: dict[Call, asyncio.Transport] = {}
        self._served: Loopback | None = None
        self._session: aiohttp.ClientSession | None = None
        self._late: list[asyncio.Task[None]] = []

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.port}"

    def calls(self, operation: str) -> list[Call]:
        """The requests of one operation."""
        return [call for call in self.requests if matches(call.name, operation)]

    async def heard(self, operation: str, times: int = 1) -> list[Call]:
        """Wait until that many requests of an operation are over, and give them."""

        def over() -> list[Call]:
            return [call for call in self.calls(operation) if call.over]

        await self._pulse.until(lambda: len(over()) >= times, f"request {times} of {operation}")
        return over()

    async def until(self, look: Callable[[], T], what: str) -> T:
        """Wait until a look at the requests finds something true, and give it. Raises AssertionError when it takes too long."""
        return await self._pulse.until(look, what)

    async def waiting(self, operation: str) -> Call:
        """Wait until a request of an operation waits for its answer, and give it."""

        def found() -> list[Call]:
            return [call for call in self._lines if matches(call.name, operation)]

        return (await self._pulse.until(found, f"a waiting request of {operation}"))[0]

    def cut(self, operation: str) -> int:
        """Close the connections of the requests that wait for their answers, and return how many these were."""
        lines = [line for call, line in self._lines.items() if matches(call.name, operation)]
        for line in lines:
            line.abort()
        return len(lines)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=128 << 20)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._session = aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar())
        self._served = Loopback(app)
        self.port = await self._served.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._served is not None and self._session is not None
        self.cut("*")
        for task in self._late:
            task.cancel()
        await asyncio.gather(*self._late, return_exceptions=True)
        await self._served.end()
        await self._session.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = request.path.removeprefix(API)
        call = Call(request.method, path, dict(request.query), headers, await request.read())
        assert isinstance(request.transport, asyncio.Transport)
        self.requests.append(call)
        self._lines[call] = request.transport
        self._pulse.beat()
        try:
            answer = await self._answer(call, request)
            call.status = answer.status
            return answer
        finally:
            call.over = True
            del self._lines[call]
            self._pulse.beat()

    async def _answer(self, call: Call, request: web.Request) -> web.Response:
        call.fault = self.faults.next(call.name)
        match call.fault:
            case RateLimit(retry_after):
                wait = {"retry_after_ms": round(retry_after * 1000)}
                header = {"Retry-After": str(max(1, round(retry_after)))}
                return _refusal(429, "M_LIMIT_EXCEEDED", "Too Many Requests", wait, header)
            case Refuse(status, errcode, error, soft):
                return _refusal(status, errcode, error, {"soft_logout": soft} if status == 401 else {})
            case Status(accepted=False) | Lost(accepted=False):
                return self._broken(call, call.fault)
            case Held(before=True) as held:
                await _hold(held)
            case Late() as late:
                self._late.append(asyncio.create_task(self._forward_late(late, call, request)))
                return self._broken(call, Lost())
        answer = await self._forwarded(call, request)
        match call.fault:
            case Status() | Lost():
                return self._broken(call, call.fault)
            case Held(before=False) as held:
                await _hold(held)
            case Then(do):
                await do()
        return answer

    async def _forward_late(self, late: Late, call: Call, request: web.Request) -> None:
        await late.go.wait()
        late.status = (await self._forwarded(call, request)).status
        late.over.set()

    async def _forwarded(self, call: Call, request: web.Request) -> web.Response:
        assert self._session is not None
        url = URL(self._upstream + request.raw_path, encoded=True)
        headers = {name: value for name, value in call.headers.items() if name not in _HOP}
        try:
            async with self._session.request(call.method, url, headers=headers, data=call.raw) as answer:
                back = {name: value for name, value in answer.headers.items() if name.lower() not in _HOP | {"content-length"}}
                return web.Response(status=answer.status, body=await answer.read(), headers=back)
        except aiohttp.ClientError:
            return self._broken(call, Lost())

    def _broken(self, call: Call, fault: Lost | Status) -> web.Response:
        if isinstance(fault, Status):
            return web.Response(status=fault.status, text=fault.text)
        self._lines[call].abort()
        return web.Response(status=499)


async def _hold(held: Held) -> None:
    held.reached.set()
    await held.go.wait()


def _refusal(status: int, errcode: str, error: str, more: dict[str, Any], headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"errcode": errcode, "error": error} | more, status=status, headers=headers)
