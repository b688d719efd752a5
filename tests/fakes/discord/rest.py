"""The REST interface: every request is recorded, judged by Discord's description, hit by its fault, and then done."""

import asyncio
import inspect
import json
import re
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from aiohttp import web

from tests.fakes.discord import rest_commands, rest_interactions, rest_messages, rest_places
from tests.fakes.discord.calls import Answer, Call, File, Refusal, Route
from tests.fakes.discord.faults import Held, Lost, RateLimit, Status, Then, refusal
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.paths import Operation, Paths

PREFIX = "/api/v10"
ROUTES: dict[str, Route] = {
    one.operation.name: one
    for one in (*rest_messages.ROUTES, *rest_places.ROUTES, *rest_commands.ROUTES, *rest_interactions.ROUTES)
}
"""Everything this server can do, by the name in Discord's description."""

_PLACE = re.compile(r"\[\d+\]")
_KNOW_NO_GLOBAL_LIMIT = frozenset(one.operation.name for one in rest_interactions.ROUTES)


@cache
def _routed() -> Paths:
    paths = Paths()
    for one in ROUTES.values():
        paths.add(one.operation)
    return paths


class Rest:
    """Answers requests."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One request, from its first byte to its answer."""
        call = await _read(request)
        hub = self._hub
        operation = (hub.spec or _routed()).find(call.method, call.path)
        if operation:
            call.operation, call.values = operation.name, operation.values(call.path)
        hub.requests.append(call)
        try:
            response = await self._answer(request, call, operation)
        finally:
            hub.pulse.beat()
        call.status = response.status
        return response

    async def _answer(self, request: web.Request, call: Call, operation: Operation | None) -> web.StreamResponse:
        faults, headers = self._hub.faults, dict[str, str]()
        if standing := faults.too_soon(call.operation, call.operation in _KNOW_NO_GLOBAL_LIMIT):
            return _json(*faults.close(call.operation, standing))
        fault = faults.next(call.operation) if operation else None
        call.fault = type(fault).__name__ if fault else ""
        if isinstance(fault, RateLimit):
            return _json(*faults.close(call.operation, fault))
        if bucket := faults.bucket(call.operation, call.major):
            within, headers = bucket.take()
            if not within:
                faults.too_early.append(call.operation)
                return _json(refusal(float(headers["X-RateLimit-Reset-After"])), 429, headers | {"Via": "1.1 google"})
        if (isinstance(fault, Lost) and not fault.accepted) or (isinstance(fault, Status) and not fault.accepted):
            return _broken(request, fault)
        if isinstance(fault, Held) and fault.before:
            await self._hold(fault)
        answer = self._do(call, operation)
        self._hub.pulse.beat()
        match fault:
            case Lost() | Status():
                return _broken(request, fault)
            case Held(before=False):
                await self._hold(fault)
            case Then(do):
                if inspect.isawaitable(done := do()):
                    await done
        return _json(answer.body, answer.status, headers)

    async def _hold(self, fault: Held) -> None:
        fault.reached.set()
        await fault.go.wait()

    def _do(self, call: Call, operation: Operation | None) -> Answer:
        try:
            self._judge(call, operation)
            known = ROUTES[call.operation]
            if not known.tokenless and call.headers.get("authorization") != f"Bot {self._hub.world.token}":
                raise Refusal(401, 0, "401: Unauthorized")
            answer = known.handle(self._hub, call)
        except Refusal as refused:
            if refused.wrong:
                self._blame(call, refused.wrong)
            return Answer({"message": refused.message, "code": refused.code}, refused.status)
        if self._hub.spec and operation:
            found = self._hub.spec.judge_answer(operation, answer.status, answer.body)
            self._hub.own_faults += [f"{operation.name}: {wrong}" for wrong in found.errors]
        return answer

    def _judge(self, call: Call, operation: Operation | None) -> None:
        if operation is None:
            raise Refusal(404, 0, "404: Not Found", wrong="Discord has no such path")
        if self._hub.spec:
            names = [file.field for file in call.files]
            found = self._hub.spec.judge(operation, call.path, call.query, call.content_type, call.body, names)
            self._hub.unknown_keys.update(f"{operation.name} {_PLACE.sub('[]', key)}" for key in found.unknown)
            if found.errors:
                raise Refusal(400, 50035, "Invalid Form Body", wrong="; ".join(found.errors))
        if operation.name not in ROUTES:
            raise Refusal(404, 0, "404: Not Found", wrong="this server cannot do that")

    def _blame(self, call: Call, wrong: str) -> None:
        self._hub.violations.append(f"{call.method} {call.path} ({call.operation or 'unknown'}): {wrong}")


async def _read(request: web.Request) -> Call:
    headers = {name.lower(): value for name, value in request.headers.items()}
    query = parse_qs(request.query_string, keep_blank_values=True)
    call = Call(request.method, request.path.removeprefix(PREFIX), query, headers)
    if "content-type" not in headers or not request.can_read_body:
        return call
    call.content_type = request.content_type
    if call.content_type == "multipart/form-data":
        async for part in await request.multipart():
            await _part(call, part)
    elif raw := await request.read():
        call.body = _parsed(raw)
    return call


async def _part(call: Call, part: Any) -> None:
    data = bytes(await part.read(decode=True))
    if part.name == "payload_json":
        call.body = _parsed(data)
    else:
        call.files.append(File(part.name or "", part.filename or "", data))


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode(errors="replace")


def _broken(request: web.Request, fault: Lost | Status) -> web.StreamResponse:
    if isinstance(fault, Status):
        return web.Response(status=fault.status, text=fault.text, headers={"Content-Type": "text/plain"})
    assert isinstance(request.transport, asyncio.Transport)
    request.transport.abort()
    return web.Response(status=499)


def _json(body: Any, status: int, headers: dict[str, str]) -> web.Response:
    # discord.py reads JSON only under exactly this content type, without a charset.
    if body is None:
        return web.Response(status=status, headers=headers)
    return web.Response(body=json.dumps(body).encode(), status=status, headers=headers | {"Content-Type": "application/json"})
