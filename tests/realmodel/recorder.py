"""Stands between Lyra and a model server, passes everything on, and notes what was asked and answered."""

import asyncio
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import aiohttp
from aiohttp import web

from tests.fakes.loopback import Loopback

_LEFT = 499
"""What nginx calls it if a client leaves before the answer; nobody reads it."""


@dataclass
class Call:
    """One request for an answer, and what came: `cut` says that the client left before the end."""

    messages: list[dict[str, Any]]
    status: int = 0
    answer: str = ""
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False
    refusal: str = field(default="", repr=False)


class Recorder:
    """The server in between; each call is a line of `log` as soon as it is over."""

    def __init__(self, behind: str, log: Path) -> None:
        self._behind = behind.rstrip("/")
        self._log = log
        self.calls: list[Call] = []
        self.port = 0

    @property
    def base_url(self) -> str:
        """What Lyra is configured with."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        self._client = aiohttp.ClientSession(
            # The server closes a connection that is not used for a while, which may be just when it is used again.
            timeout=aiohttp.ClientTimeout(None),
            connector=aiohttp.TCPConnector(force_close=True),
        )
        self._served = Loopback(app)
        self.port = await self._served.begin()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._served.end()
        await self._client.close()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        asked = json.loads(raw) if request.path.endswith("/chat/completions") else None
        headers = {"Content-Type": request.content_type}
        if asked is None:
            async with self._client.request(request.method, self._behind + request.path, data=raw, headers=headers) as response:
                return web.Response(body=await response.read(), status=response.status, content_type=response.content_type)
        call, begun = Call(asked["messages"]), time.monotonic()
        self.calls.append(call)
        # Figures with every piece, since who leaves before the end hears no usage.
        asked |= {"stream_options": {"include_usage": True}, "timings_per_token": True}
        try:
            async with self._client.post(self._behind + request.path, json=asked) as response:
                call.status = response.status
                if response.status != 200:
                    call.refusal = await response.text()
                    return web.Response(text=call.refusal, status=response.status, content_type=response.content_type)
                return await self._stream(request, response, call)
        except ConnectionError:
            call.cut = True
            return web.Response(status=_LEFT)
        except asyncio.CancelledError:
            call.cut = True
            raise
        finally:
            call.seconds = time.monotonic() - begun
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(asdict(call), ensure_ascii=False) + "\n")

    async def _stream(self, request: web.Request, response: aiohttp.ClientResponse, call: Call) -> web.StreamResponse:
        passed = web.StreamResponse(headers={"Content-Type": response.content_type})
        await passed.prepare(request)
        async for line in response.content:
            await passed.write(line)
            if line.startswith(b"data: {"):
                self._note(call, json.loads(line[6:]))
        return passed

    def _note(self, call: Call, event: dict[str, Any]) -> None:
        for choice in event.get("choices", ()):
            call.answer += choice.get("delta", {}).get("content") or ""
        if timings := event.get("timings"):
            call.tokens_in = timings.get("prompt_n", 0) + timings.get("cache_n", 0)
            call.tokens_out = timings.get("predicted_n", 0)
        if usage := event.get("usage"):
            call.tokens_in, call.tokens_out = usage["prompt_tokens"], usage["completion_tokens"]
