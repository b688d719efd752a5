"""Parsing what an OpenAI-compatible endpoint sends back: bytes in, text and tool calls out, all validated.

The openai library does not validate answers, buffers lines of any length, and does not tell a complete answer from a truncated
one. So the bytes are parsed here: an answer is complete after its finish reason, or [DONE].
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field

from bot.models.endpoints.call_fragments import CallFragments, text_of
from bot.models.port import CutShort, Restart, ToolCall
from localization.sentences import Explained, lazy
from memory.text.thinking import WithoutThinking

_AT_ONCE = 20
# Why an answer ended before its end: at a limit or a filter, or because the endpoint failed. Endpoints spell them differently.
_LIMITS = frozenset(("length", "max_tokens", "max_output_tokens", "model_length"))
_CUT = _LIMITS | frozenset(
    ("content_filter", "safety", "sensitive", "recitation", "prohibited_content", "blocklist", "spii", "error_limit")
)
_FAILED = frozenset(("error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled"))
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")
DONE = object()
"""The sentinel that ends a stream of documents."""
# What some send as the data of an event to keep the connection open.
_KEEPS_OPEN = frozenset((b"null", b"ping", b"pong", b"heartbeat", b"keepalive", b"keep-alive"))
# Some endpoints send these in every chunk of an answer that goes on.
_UNFINISHED = frozenset(("", "null", "none"))


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A part of an answer, with its fragments of tool calls, and its finish reason in lower case, if any.

    `reasoning` are the fields of its own that it has for reasoning.
    """

    text: str
    finished: str | None = None
    calls: object = None
    reasoning: Mapping[str, object] = field(default_factory=dict)


class Unusable(Explained):
    """The response is no answer; the text says why, as the rest of a sentence."""


class Empty(Unusable):
    """The response is empty."""

    def __init__(self) -> None:
        super().__init__(lazy("it holds no text"))


class OnlyReasoned(Empty):
    """The response is empty, as its tokens were used up before the answer began."""

    def __init__(self) -> None:
        Unusable.__init__(self, lazy("its reasoning took all the tokens of an answer, which max_tokens limits"))


class WebPage(Exception):
    """The response is a web page: the server is no model endpoint."""


class Truncated(Exception):
    """The response ended before the answer was complete, or says itself that the endpoint failed."""


class ErrorResponse(Exception):
    """The endpoint answered 200 with an error object, kept in `body`."""

    def __init__(self, body: object) -> None:
        super().__init__("an error in place of an answer")
        self.body = body


async def read_json(chunks: AsyncIterator[bytes], limit: int) -> object:
    """Return the JSON document in the chunks. Raises Unusable if it is invalid, or longer than `limit` bytes."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            raise Unusable("it is longer than {limit} bytes", limit=limit)
    return _json(bytes(body))


async def pieces(
    documents: AsyncIterator[object], part: str, limit: int, thoughts: WithoutThinking, *, calls: bool
) -> AsyncGenerator[str | ToolCall, None]:
    """Yield the texts of an answer's documents without `thoughts`; leading white space is held until the first visible text.

    `part` is what a document has of the answer: "delta" if it is a chunk, or "message" if it is all.

    A text that was cut at the limit of tokens ends with CutShort.

    With `calls`, tool calls come at the end. Raises Unusable for an invalid answer, one longer than `limit` bytes, or one with
    neither text nor call; Truncated; ErrorResponse.
    """
    finished: str | None = None
    held, size, begun, shown = "", 0, False, False
    called = CallFragments()
    async for document in documents:
        begun = True
        if document is DONE:
            finished = finished or ""
            break
        piece = _piece(document, part)
        finished = piece.finished if piece.finished is not None else finished
        held += thoughts.feed(piece.text)
        thoughts.found = thoughts.found or bool(piece.reasoning)
        if thoughts.begins_anew():
            yield Restart()
            shown, held = False, held.lstrip()
        size += len(piece.text.encode()) + (called.add(piece.calls, piece.reasoning) if calls else 0)
        if size > limit:
            raise Unusable("it is longer than {limit} bytes", limit=limit)
        if held and (shown or held.strip()):
            shown = True
            yield held
            held = ""
    if begun and finished is None:
        raise Truncated
    if (held := held + thoughts.flush(cut=finished in _CUT)).strip():
        shown = True
        yield held
    made = called.calls()
    for call in made:
        yield call
    if not (shown or made):
        raise OnlyReasoned if finished in _LIMITS else Empty
    if finished in _CUT and not made:
        yield CutShort()


async def events(chunks: AsyncIterator[bytes], limit: int) -> AsyncGenerator[object, None]:
    """Yield the document of each event of an SSE stream, or DONE, but none for an event that only keeps the connection open.

    Most endpoints send an event's data on one line, some without a blank line behind it; where it is not whole yet, its lines go on to
    the next blank one.
    """
    rest, held = bytearray(), bytearray()
    async for chunk in chunks:
        rest += chunk
        *lines, last = rest.splitlines(keepends=True) or [bytearray()]
        rest = last
        if rest.endswith(b"\n"):
            lines.append(rest)
            rest = bytearray()
        if len(rest) + len(held) > limit:
            raise Unusable("it has a line of more than {limit} bytes", limit=limit)
        for at, line in enumerate(lines, start=1):
            if data := _data(line):
                try:
                    document = None if held else _document(data)
                except Unusable:
                    document = None
                if document is None:
                    held += b"\n" + data
                else:
                    yield document
            elif held and not line.strip():
                yield _document(bytes(held.strip()))
                held.clear()
            if at % _AT_ONCE == 0:
                # One chunk may contain many events: give other tasks a turn.
                await asyncio.sleep(0)
    if data := bytes(held + b"\n" + _data(rest)).strip():
        try:
            document = _document(data)
        except Unusable:
            # Who breaks off in the middle of an event is gone, however properly the connection was closed.
            raise Truncated from None
        yield document


def _document(data: bytes) -> object:
    """Return the document that data of an event hold, `DONE` for the last one, and an empty one for data that hold none."""
    if data == b"[DONE]":
        return DONE
    return {} if data.lower() in _KEEPS_OPEN else _json(data)


def _data(line: bytearray) -> bytes:
    name, _, value = bytes(line).partition(b":")
    if name == b"data":
        return value.strip()
    # llama.cpp before 2025 reported errors in a field of their own.
    return b'{"error":%b}' % value if name == b"error" else b""


def _json(data: bytes) -> object:
    try:
        # A chunk may end within a character, where each is a token.
        document: object = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Unusable("it is not JSON") from None
    return document


def _piece(document: object, part: str) -> AnswerPiece:
    """Parse one chunk ("delta") or a whole answer ("message"). A chunk without choices carries usage or nothing."""
    if not isinstance(document, dict):
        raise Unusable("it is not an object")
    if document.get("error") or document.get("object") == "error":
        raise ErrorResponse(document.get("error") or document)
    choices = document.get("choices")
    if choices is None and part == "delta":
        return AnswerPiece("")
    if not isinstance(choices, list):
        raise Unusable("it has no choices")
    if not choices:
        return AnswerPiece("")
    first = _first_choice(choices)
    if first is None:
        return AnswerPiece("")
    # An endpoint that cannot stream may send its answer as one event.
    message = first.get(part) or first.get("message") or {"content": first.get("text")} if isinstance(first, dict) else None
    finished = first.get("finish_reason") if isinstance(first, dict) else None
    if isinstance(finished, dict):
        finished = finished.get("type") or finished.get("reason")
    if not isinstance(message, dict) or not isinstance(finished, str | None):
        raise Unusable("it has parts of the wrong type")
    finished = finished.lower() if finished else None
    if finished in _FAILED:
        raise Truncated
    reasoning = {key: message[key] for key in _REASONING if message.get(key)}
    # Older servers send one call alone, without an id.
    older = message.get("function_call")
    calls = message.get("tool_calls") or ([{"index": 0, "function": older}] if older else None)
    text = _said(message.get("content")) or text_of(message.get("refusal"))
    return AnswerPiece(text, None if finished in _UNFINISHED else finished, calls, reasoning)


def _first_choice(choices: list[object]) -> object:
    """Return the first choice, None if a chunk belongs to another: some endpoints make several answers at once."""
    others = [one for one in choices if isinstance(one, dict) and one.get("index") not in (None, 0)]
    return next((one for one in choices if one not in others), None)


def _said(content: object) -> str:
    """Return the text of a content: Mistral's reasoning models send a list of parts, and so do gateways to newer interfaces; only
    texts are visible.
    """
    if isinstance(content, str | None):
        return text_of(content)
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise Unusable("it has parts of the wrong type")
    return "".join(text_of(part.get("text")) for part in content if part.get("type") in ("text", "output_text"))
