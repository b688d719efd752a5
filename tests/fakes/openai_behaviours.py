"""What the loopback model server can be told to do: each value is one answer, good or bad."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in, and the connection by which it did; header names are in lower case.

    Where the server drops tools, they are in the body and nowhere else.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    connection: object = None
    drops_tools: bool = False

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The prompt's messages."""
        return list(self.body["messages"])

    @property
    def last_user(self) -> str:
        """The text of the last user message, or nothing."""
        return next(("".join(_parts(m, "text")) for m in reversed(self.messages) if m["role"] == "user"), "")

    @property
    def returned(self) -> list[str]:
        """What the calls of tools in this prompt returned, in order."""
        return [message["content"] for message in self.messages if message["role"] == "tool"]

    @property
    def offered(self) -> list[str]:
        """The names of the tools that may be called."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]

    @property
    def images(self) -> list[str]:
        """The addresses of the prompt's images, in order."""
        return [part["url"] for message in self.messages for part in _parts(message, "image_url")]

    @property
    def prompt_hash(self) -> str:
        """A hash of the whole prompt, with the tools in it: equal prompts, equal hashes."""
        given = [self.messages, self.body.get("tools")]
        return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()


def _parts(message: Mapping[str, Any], kind: str) -> list[Any]:
    """What a message holds of a kind of content; a plain one is all text."""
    content = message["content"]
    if isinstance(content, str):
        return [content] if kind == "text" else []
    return [part[kind] for part in content if part["type"] == kind]


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of tools, each a name and its arguments (a text goes out as it is), behind something that is said, if anything."""

    calls: tuple[tuple[str, object], ...]
    text: str = ""

    def sent(self) -> list[dict[str, Any]]:
        """Return them as the protocol has them."""
        return [
            {"id": f"call_{at:04}", "type": "function", "function": {"name": name, "arguments": _as_json(arguments)}}
            for at, (name, arguments) in enumerate(self.calls)
        ]


def calls(name: str, text: str = "", **arguments: object) -> Calls:
    """One call of a tool."""
    return Calls(((name, {key.rstrip("_"): value for key, value in arguments.items()}),), text)


def _as_json(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


Answerer = Callable[[Request], str | Calls]


def echo(request: Request) -> str:
    """Repeat the last user message, but for the line that tells the time and who asks: no answer goes on behind that."""
    return f"Echo: {_MOMENT.sub('', request.last_user)}"


_MOMENT = re.compile(r"^Today is .+ The message at the end is from .+\n+", re.MULTILINE)


def hashed(request: Request) -> str:
    """Answer with a hash of the whole prompt, so that whatever enters a prompt shows in the answer."""
    return f"Answer {request.prompt_hash[:32]}"


def looked_up(request: Request) -> str | Calls:
    """Look up what is asked and what stands around it, then answer with a hash of the whole prompt."""
    if not request.offered:
        return hashed(request)
    receipts = re.findall(r"receipt (\w+)", "\n".join(request.returned))
    asked = request.last_user.rpartition("\n\n")[2]
    return calls("open", receipt=receipts[-1]) if receipts else calls("recall", query=asked)


def sensible(request: Request) -> str:
    """Answer a request for a digest with cited sentences of its transcript, and echo the rest."""
    found = re.findall(r"^\[(\w+)\] ([^·\n]*)(?:· (.*))?\n\| (.*)$", request.last_user, re.MULTILINE)
    lines = [f"{f'{who} said: {text}' if who else text} [{label}]" for label, _, who, text in found[:8]]
    return "\n".join(lines) or echo(request)


@dataclass(frozen=True, slots=True)
class Say:
    """A whole answer: a text, or what a callable makes of the request."""

    text: str
    finish: str = "stop"


@dataclass(frozen=True, slots=True)
class Drip:
    """An answer that comes word by word, `delay` seconds apart."""

    text: str
    delay: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The first `pieces` words of an answer, then the connection closes; `politely` ends the body as if that were all."""

    text: str
    pieces: int
    politely: bool = False


@dataclass(frozen=True, slots=True)
class Endless:
    """A piece for ever, until the client leaves; {} in it counts, since what only repeats itself is no endless answer, but a loop."""

    piece: str = "and on {} "
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Hang:
    """The first pieces of an answer, or not even headers, and then silence until the client leaves."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """The first pieces of an answer, and the rest once the server is told to `go`."""

    text: str
    first: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error with OpenAI's error object."""

    status: int
    message: str = "The server says no."
    code: str | int | None = None
    type: str = "invalid_request_error"
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """A body byte by byte, whatever was asked for."""

    body: bytes
    content_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Events:
    """Server-sent events with these data, as they are; `held` keeps the body open behind them."""

    data: tuple[str, ...]
    held: bool = False


@dataclass(frozen=True, slots=True)
class Vectors:
    """Embeddings with something wrong about them."""

    wrong: Literal["count", "order", "indices", "zero", "nan", "dimension", "types"]


Behaviour = Say | Calls | Drip | Cut | Endless | Hang | Held | Status | Raw | Events | Vectors

HTML = Raw(b"<html><body><h1>Welcome to the captive portal</h1></body></html>")
HUGE = Raw(b'{"choices": [{"message": {"content": "' + b"x" * 10_000_000 + b'"}}]}', "application/json")
HUGE_STREAM = Raw(b'data: {"choices": [{"delta": {"content": "' + b"x" * 10_000_000 + b'"}}]}\n\n', "text/event-stream")
BUSY = Status(429, "Rate limit reached", "rate_limit_exceeded", "requests")
DOWN = Status(503, "Overloaded", None, "server_error")
BROKEN = Status(500, "Internal error", None, "server_error")
DENIED = Status(401, "Incorrect API key provided", "invalid_api_key")
TOO_LONG = Status(
    400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded", "invalid_request_error", "messages"
)


def overfull(asked: int, context: int) -> dict[str, object]:
    """The body with which llama.cpp refuses a prompt of so many tokens."""
    message = f"request ({asked} tokens) exceeds the available context size ({context} tokens), try increasing it"
    kind = "exceed_context_size_error"
    return {"error": {"code": 400, "message": message, "type": kind, "n_prompt_tokens": asked, "n_ctx": context}}


def refused_roles(request: Request, template: str) -> Status | None:
    """The refusal of a prompt whose roles a chat template does not take, in vLLM's words; None for one that it takes."""
    roles = [message["role"] for message in request.messages]
    if template == "systemless" and "system" in roles:
        return Status(400, "System role not supported", 400, "BadRequestError")
    said = [role for role in roles[roles[:1] == ["system"] :] if role in ("system", "user", "assistant")]
    if template and any(role != ("user", "assistant")[at % 2] for at, role in enumerate(said)):
        words = "Conversation roles must alternate user/assistant/user/assistant/..."
        return Status(400, f"After the optional system message, {words}", 400, "BadRequestError")
    return None


def delta(content: object, finish: object = None) -> str:
    """The data of one streamed chunk."""
    return json.dumps(
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]}
    )


EMPTY_CHOICES = Events(('{"choices": []}', "[DONE]"))
NULL_CONTENT = Events((delta(None, "stop"), "[DONE]"))
INVALID_JSON = Events(('{"choices": [{"del', "[DONE]"))
WRONG_TYPES = Events((delta(["a", 1]), "[DONE]"))
NO_CHOICES = Events(('{"answer": "hello"}', "[DONE]"))
