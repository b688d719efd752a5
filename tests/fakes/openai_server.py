"""A loopback server that speaks the OpenAI protocol and can fail in every way.

In a test: `async with OpenAIServer() as server:` and give `server.base_url` to the client. As a process:
`python -m tests.fakes.openai_server --port-file F` writes its port to F and to standard output, and ends when its standard
input closes.
"""

import argparse
import asyncio
import json
import re
import sys
import threading
from collections import deque
from itertools import count
from pathlib import Path
from typing import Any, Literal, Self

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.fakes import openai_behaviours as b
from tests.fakes.loopback import Loopback
from tests.fakes.openai_vectors import as_base64, bag_of_words, spoilt

_CHAT = "/v1/chat/completions"


class OpenAIServer:
    """The server. Scripted behaviours are used up in order; then `default` answers. All requests are kept in `requests`.

    With a `context` it refuses prompts of more tokens (four characters each), and tells it as this `kind` of server does, "" not
    at all; how often its models were asked for is `probes`.
    """

    def __init__(self, default: b.Answerer = b.echo, models: tuple[str, ...] = ("fake-model",)) -> None:
        self.default = default
        self.models = models
        self.context = 0
        self.kind: Literal["", "llama.cpp", "vLLM", "Ollama", "LM Studio", "koboldcpp"] = ""
        self.overfull: b.Status | b.Raw | None = None
        """What a prompt of too many tokens gets, if that is not what llama.cpp says."""
        self.template: Literal["", "alternating", "systemless"] = ""
        """What the model's chat template wants of the roles of messages; a prompt of other roles is refused."""
        self.most_texts = 0
        """The most texts to embed in a request, 0 for any number."""
        self.too_many: b.Behaviour = b.Status(413)
        """What a request with more texts gets."""
        self.probes = 0
        self.requests: list[b.Request] = []
        self.left = asyncio.Event()
        """Set when a client has left an answer that had no end."""
        self.go = asyncio.Event()
        """To be set when answers that are held shall go on."""
        self.refuses_tools: b.Status | None = None
        """What a request that offers tools gets, where that is refused."""
        self.drops_tools = False
        """Whether what a request offers is dropped without a word."""
        self.api_version = ""
        """What the query of every request must name, with a key in a header of its own, as on Azure; "" where it need not."""
        self._script: deque[b.Behaviour | b.Answerer | str] = deque()
        self._heard = asyncio.Condition()
        self._served: Loopback | None = None
        self.port = 0

    @property
    def base_url(self) -> str:
        """What a client is configured with."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *behaviours: b.Behaviour | b.Answerer | str) -> None:
        """Queue behaviours for the next requests of any kind but GET; a text is said, and so is what a callable makes of one."""
        self._script.extend(behaviours)

    def _next(self, request: b.Request, default: b.Answerer) -> b.Behaviour:
        step = self._script.popleft() if self._script else default
        made = step(request) if callable(step) else step
        return b.Say(made) if isinstance(made, str) else made

    async def heard(self, number: int) -> None:
        """Wait until that many requests have come in since the start."""
        async with self._heard:
            await self._heard.wait_for(lambda: len(self.requests) >= number)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 26, middlewares=[self._let_in])
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/props", self._props)
        app.router.add_post("/api/show", self._show)
        app.router.add_get("/api/v0/models", self._loaded)
        app.router.add_get("/api/extra/true_max_context_length", self._true_context)
        app.router.add_post(_CHAT, self._chat)
        app.router.add_post("/v1/embeddings", self._embeddings)
        self._served = Loopback(app)
        self.port = await self._served.begin(self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._served is not None
        await self._served.end()

    @web.middleware
    async def _let_in(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.api_version and request.query.get("api-version") != self.api_version:
            raise web.HTTPNotFound
        if self.api_version and ("api-key" not in request.headers or "Authorization" in request.headers):
            raise web.HTTPUnauthorized
        return await handler(request)

    async def _record(self, request: web.Request) -> b.Request:
        raw = await request.read()
        headers = {name.lower(): value for name, value in request.headers.items()}
        recorded = b.Request(
            request.method, request.path, headers, json.loads(raw) if raw else None, request.protocol, self.drops_tools
        )
        async with self._heard:
            self.requests.append(recorded)
            self._heard.notify_all()
        return recorded

    async def _models(self, request: web.Request) -> web.Response:
        self.probes += 1
        told = {"max_model_len": self.context} if self.kind == "vLLM" else {}
        rows = [{"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "fake", **told} for name in self.models]
        return web.json_response({"object": "list", "data": rows})

    async def _props(self, request: web.Request) -> web.Response:
        if self.kind != "llama.cpp":
            raise web.HTTPNotFound
        return web.json_response({"default_generation_settings": {"n_ctx": self.context}, "total_slots": 1})

    async def _loaded(self, request: web.Request) -> web.Response:
        if self.kind != "LM Studio":
            raise web.HTTPNotFound
        loaded = {"state": "loaded", "max_context_length": 131072, "loaded_context_length": self.context}
        return web.json_response({"data": [{"id": name, **loaded} for name in self.models]})

    async def _true_context(self, request: web.Request) -> web.Response:
        if self.kind != "koboldcpp":
            raise web.HTTPNotFound
        return web.json_response({"value": self.context})

    async def _show(self, request: web.Request) -> web.Response:
        if self.kind != "Ollama":
            raise web.HTTPNotFound
        return web.json_response(
            {"parameters": f'stop "<end>"\nnum_ctx    {self.context}', "model_info": {"m.context_length": 131072}}
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        size = sum(len(str(message["content"])) for message in recorded.messages) // 4
        if self.context and size > self.context:
            said = _plain(self.overfull) if self.overfull else None
            return said or web.json_response(b.overfull(size, self.context), status=400)
        refused = (self.refuses_tools if recorded.offered else None) or b.refused_roles(recorded, self.template)
        step = refused or self._next(recorded, self.default)
        if plain := _plain(step):
            return plain
        if isinstance(step, b.Say | b.Calls) and not recorded.body.get("stream"):
            return web.json_response(_completion(recorded, step))
        return await self._stream(request, recorded, step)

    async def _stream(self, request: web.Request, recorded: b.Request, step: b.Behaviour) -> web.StreamResponse:
        if step == b.Hang():
            await self._until_left()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        send = _Stream(response, recorded)
        match step:
            case b.Events(data, held):
                for item in data:
                    await send.data(item)
                if held:
                    await self._until_left()
            case b.Say(text, finish):
                await send.pieces(text)
                await send.end(finish)
            case b.Calls(_, text):
                await send.pieces(text)
                await send.calls(step)
                await send.end("tool_calls")
            case b.Drip(text, delay):
                await send.pieces(text, delay)
                await send.end("stop")
            case b.Cut(text, pieces, politely):
                await send.pieces("".join(_words(text)[:pieces]))
                if not politely and request.transport:
                    request.transport.close()
            case b.Hang(text):
                await send.pieces(text)
                await self._until_left()
            case b.Held(text, first):
                if first:
                    await send.pieces(first)
                await self.go.wait()
                await send.pieces(text)
                await send.end("stop")
            case b.Endless(piece, delay):
                await self._for_ever(send, piece, delay)
        return response

    async def _for_ever(self, send: "_Stream", piece: str, delay: float) -> None:
        try:
            for number in count(1):
                await send.pieces(piece.format(number), delay)
                await asyncio.sleep(delay)
        except (ConnectionError, asyncio.CancelledError):
            self.left.set()
            raise

    async def _until_left(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        recorded = await self._record(request)
        refused = self.most_texts and len(recorded.body["input"]) > self.most_texts
        step = self.too_many if refused else self._next(recorded, lambda _: "")
        if plain := _plain(step):
            return plain
        if isinstance(step, b.Hang):
            await self._until_left()
        asked = recorded.body["input"]
        texts = [asked] if isinstance(asked, str) else list(asked)
        rows = [(place, bag_of_words(text)) for place, text in enumerate(texts)]
        if isinstance(step, b.Vectors):
            rows = spoilt(rows, step.wrong)
        encode = as_base64 if recorded.body.get("encoding_format") == "base64" else list
        data = [{"object": "embedding", "index": place, "embedding": encode(row)} for place, row in rows]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return web.json_response({"object": "list", "data": data, "model": recorded.body["model"], "usage": usage})


class _Stream:
    """Writes the chunks of one streamed answer."""

    def __init__(self, response: web.StreamResponse, request: b.Request) -> None:
        self._response = response
        self._request = request

    async def data(self, data: str) -> None:
        await self._response.write(f"data: {data}\n\n".encode())

    async def chunk(self, part: dict[str, Any], finish: str | None = None) -> None:
        choice = {"index": 0, "delta": part, "logprobs": None, "finish_reason": finish}
        await self.data(json.dumps(_head(self._request, "chat.completion.chunk") | {"choices": [choice]}))

    async def pieces(self, text: str, delay: float = 0.0) -> None:
        for place, word in enumerate(_words(text)):
            if place and delay:
                await asyncio.sleep(delay)
            await self.chunk({"role": "assistant", "content": word} if not place else {"content": word})

    async def calls(self, made: b.Calls) -> None:
        for at, call in enumerate(made.sent()):
            arguments = call["function"]["arguments"]
            await self.chunk({"tool_calls": [call | {"index": at, "function": call["function"] | {"arguments": ""}}]})
            for begin in range(0, len(arguments), 1 + len(arguments) // 3):
                piece = arguments[begin : begin + 1 + len(arguments) // 3]
                await self.chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})

    async def end(self, finish: str) -> None:
        await self.chunk({}, finish)
        if (self._request.body.get("stream_options") or {}).get("include_usage"):
            head = _head(self._request, "chat.completion.chunk")
            await self.data(json.dumps(head | {"choices": [], "usage": _usage(self._request, "")}))
        await self.data("[DONE]")


def _plain(step: b.Behaviour) -> web.Response | None:
    match step:
        case b.Status():
            error = {"message": step.message, "type": step.type, "param": step.param, "code": step.code}
            return web.json_response({"error": error}, status=step.status, headers=dict(step.headers))
        case b.Raw():
            return web.Response(body=step.body, status=step.status, headers={"Content-Type": step.content_type, **step.headers})
        case _:
            return None


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\S+\s*$|\s*\S+", text) or ([text] if text else [])


def _head(request: b.Request, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-fake", "object": kind, "created": 1_700_000_000, "model": request.body["model"]}


def _usage(request: b.Request, text: str) -> dict[str, int]:
    asked = sum(len(str(message["content"]).split()) for message in request.messages)
    tools = () if request.drops_tools else request.body.get("tools", ())
    asked += sum(len(json.dumps(tool).split()) for tool in tools)
    said = len(text.split())
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _completion(request: b.Request, step: b.Say | b.Calls) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text, "refusal": None}
    if isinstance(step, b.Calls):
        message["tool_calls"] = step.sent()
    finish = step.finish if isinstance(step, b.Say) else "tool_calls"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return _head(request, "chat.completion") | {"choices": [choice], "usage": _usage(request, step.text)}


async def _serve(port_file: Path, default: b.Answerer) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def watch() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        loop.call_soon_threadsafe(stop.set)

    async with OpenAIServer(default) as server:
        partial = port_file.with_suffix(".part")
        partial.write_text(str(server.port))
        partial.replace(port_file)
        print(server.port, flush=True)
        threading.Thread(target=watch, daemon=True).start()
        await stop.wait()


def main() -> None:
    """Run until standard input closes."""
    parser = argparse.ArgumentParser(
        description="A model server for tests: it answers digests from their transcript, and echoes the rest."
    )
    parser.add_argument("--port-file", type=Path, required=True, help="where to write the port, once it listens")
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--echo", dest="default", action="store_const", const=b.echo, help="echo every last user message")
    style.add_argument(
        "--looks-up", dest="default", action="store_const", const=b.looked_up, help="call tools, then answer with a hash"
    )
    style.add_argument("--hashed", dest="default", action="store_const", const=b.hashed, help="answer with a hash of the prompt")
    style.add_argument("--says", dest="default", type=lambda text: lambda _: text, metavar="TEXT", help="answer with this text")
    options = parser.parse_args()
    asyncio.run(_serve(options.port_file, options.default or b.sensible))


if __name__ == "__main__":
    main()
