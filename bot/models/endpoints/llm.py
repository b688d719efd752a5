"""Chat models behind an OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp, vLLM and others.

Importing this takes most of a second (the openai library), so code that needs the interface alone imports bot/models/port.py.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from functools import partial

import httpx2
import stamina
import stamina.instrumentation

from bot.config.sections import Backend
from bot.config.server_urls import is_nearby
from bot.errors import ContextTooLong, ModelDown, ModelError, ModelGarbled, ModelTimeout
from bot.models.endpoints.backend_facts import NONE, REFUSED, THOUGHTS, TOOLS, UNOPENED, USED, BackendFacts
from bot.models.endpoints.context_size import PromptRoom
from bot.models.endpoints.endpoint import FAULTS, Endpoint, may_be_about_length, may_be_about_tools
from bot.models.endpoints.probing import context_of
from bot.models.endpoints.requests import CompletionRequest, Completions, has_images, policy, prompt_tokens
from bot.models.endpoints.responses import DONE, Empty, OnlyReasoned, WebPage, events, pieces, read_json
from bot.models.endpoints.written_calls import WithoutCalls, WrittenCall
from bot.models.port import ChatMessage, CutShort, Restart, Tool, Toolbox, ToolCall
from localization.sentences import lazy
from memory.text.thinking import WithoutThinking

# Retries are no news; by default, the library would print them to standard output.
stamina.instrumentation.set_on_retry_hooks([])

_MAX_BYTES = 1 << 20
_BREAKS = frozenset((500, 501, 502))
_SILENCE = 0.25
"""The share of the timeout after which an endpoint that has sent nothing more counts as hanging."""
_END_SECONDS = 0.05
"""How long to wait for the end of a response whose answer is complete."""
_Begun = tuple[AsyncGenerator[str | ToolCall, None], str | ToolCall | None]


class OpenAIModel:
    """The chat model of a backend, under its configured name.

    The backend's timeout is the deadline for a whole answer with all retries and waits; one that is still being written then is
    cut off, as it would take as long again. Transient failures before the first piece are retried, up to `tries` attempts; `waits`
    gives the seconds in between, unless the endpoint does. After the first piece nothing is retried: the caller holds half an
    answer and decides. An endpoint that fails with tools but not without them is recorded in `facts` as not supporting tools.
    """

    def __init__(
        self, name: str, backend: Backend, api_key: str | None, facts: BackendFacts, *, tries: int, waits: Sequence[float]
    ) -> None:
        """Nothing is sent yet. Raises BadSecret for a key that no header can hold."""
        self.name = name
        self._endpoint = Endpoint(backend.base_url, backend.model, api_key)
        self._facts = facts
        self._completions = Completions(self._endpoint, facts, sees=backend.sees, sampling=backend.sampling)
        self._timeout = backend.timeout
        seconds = f"{backend.timeout:g}"
        self._late = lazy("{who} did not finish within {seconds} seconds.", who=self._endpoint.who, seconds=seconds)
        self._tries = tries
        self._waits = waits
        self._uses_tools = backend.tools == "auto"
        nearby = is_nearby(backend.base_url)
        ask = partial(self._context, nearby=nearby)
        self._room = PromptRoom(backend.context, backend.max_tokens, facts, ask, always=nearby)

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, round after round of tool calls. Raises ModelError."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._timeout
        request = CompletionRequest(messages, toolbox, self._uses_tools and self._facts.get(TOOLS) != REFUSED)
        earlier = ""
        while True:
            calls: list[ToolCall] = []
            pieces: list[str] = []
            wrote_call = False
            async with AsyncExitStack() as stack:
                # The timeout surrounds each step and never a yield: there it would cancel the caller's own work.
                first = self._first_piece(request, deadline, stack)
                answer, piece = await self._endpoint.before(deadline, self._late, first)
                while piece is not None and not wrote_call:
                    came = clock()
                    if isinstance(piece, ToolCall):
                        calls.append(piece)
                    elif isinstance(piece, Restart):
                        pieces.clear()
                        yield piece
                        if earlier:
                            yield earlier
                    elif isinstance(piece, CutShort):
                        yield piece
                    else:
                        pieces.append(piece if pieces or not earlier else f"\n\n{piece.lstrip()}")
                        yield pieces[-1]
                    try:
                        piece = await self._endpoint.before(deadline, self._late, anext(answer, None))
                    except WrittenCall:
                        wrote_call = True
                    except ModelTimeout as late:
                        if calls or not pieces or clock() - came > self._timeout * _SILENCE:
                            raise
                        yield CutShort(late)
                        return
            if wrote_call:
                # What precedes a call written as text is no answer: start again without tools.
                request.offers_tools = False
                yield Restart()
                if earlier:
                    yield earlier
                continue
            if toolbox is None or not calls:
                return
            await self._facts.note(TOOLS, USED)
            text = "".join(pieces)
            await toolbox.use(text.strip("\n") if earlier else text, calls)
            request.rounds.append(calls)
            earlier += text
            request.has_text = bool(earlier)

    async def room(self) -> int | None:
        """Return the most tokens of a prompt, None if unknown."""
        return await self._room.tokens()

    async def context(self) -> int | None:
        """Return the most tokens of a prompt with its answer, None if unknown."""
        await self._room.tokens()
        return self._room.context

    async def close(self) -> None:
        """Close the connections."""
        await self._completions.close()

    async def _first_piece(self, request: CompletionRequest, deadline: float, stack: AsyncExitStack) -> _Begun:
        """Request until there is a first piece. The open response is left on the stack."""
        tries = 1 if self._room.doubts else self._tries
        clock = asyncio.get_running_loop().time
        again = policy(self._waits, request, lambda: deadline - clock())
        attempts = stamina.retry_context(on=again, attempts=tries, timeout=None)
        try:
            async for attempt in attempts:
                with attempt:
                    return await self._attempt(request, stack)
        except ModelDown as error:
            raise await self._failing_error(error, request) from None
        raise AssertionError("the last attempt returns or raises")

    async def _failing_error(self, error: ModelDown, request: CompletionRequest) -> ModelError:
        """Return the error for an endpoint that keeps failing: some do for a prompt that is too long for them."""
        size = prompt_tokens(request.prompt, request.tools)
        if error.status not in _BREAKS or request.tools or has_images(request.prompt):
            return error
        room = await self._room.doubted(size, mute=False)
        return error if room is None else ContextTooLong(error.sentence, room=room, size=size)

    async def _attempt(self, request: CompletionRequest, stack: AsyncExitStack) -> _Begun:
        tools, prompt = request.tools, request.prompt
        size = prompt_tokens(prompt, tools)
        try:
            async with AsyncExitStack() as own:
                room = await self._room.known()
                if room is not None and size > room:
                    # Some servers would silently truncate it.
                    raise self._endpoint.too_long(room=room, size=size)
                response = await self._completions.open(prompt, tools, self._room.answer, own, request.rounds)
                answer = self._pieces(response, tools)
                own.push_async_callback(answer.aclose)
                first = await anext(answer)
                stack.push_async_exit(own.pop_all())
            await self._room.accepted(size)
            return answer, first
        except Empty as fault:
            if request.has_text:
                return answer, None
            if not tools or isinstance(fault, OnlyReasoned):
                raise await self._learn_from(fault, request) from None
            request.unusable += 1
            refused = False
        except WrittenCall:
            request.unusable += 1
            refused = self._facts.get(TOOLS) != USED
        except FAULTS as fault:
            error = await self._learn_from(fault, request)
            if not tools or not may_be_about_tools(fault, error):
                raise error from None
            refused = True
        # Some endpoints lack tools or fail on their results, and some models write unparsable calls: do without tools.
        request.offers_tools = False
        begun = await self._attempt(request, stack)
        if refused:
            await self._facts.note(TOOLS, REFUSED)
        return begun

    async def _pieces(self, response: httpx2.Response, tools: Sequence[Tool]) -> AsyncGenerator[str | ToolCall, None]:
        """Yield the visible parts of an answer, and learn from it how the model marks its reasoning."""
        known = self._facts.get(THOUGHTS)
        thoughts = WithoutThinking(waits=known == UNOPENED or (known is None and self._endpoint.thinks))
        async with aclosing(_read(response, thoughts, tools)) as found:
            async for piece in found:
                if isinstance(piece, CutShort) and thoughts.found:
                    await self._room.reasoned()
                yield piece
        if thoughts.unopened or (thoughts.plain and known is None):
            await self._facts.note(THOUGHTS, UNOPENED if thoughts.unopened else NONE)

    async def _learn_from(self, fault: BaseException, request: CompletionRequest) -> ModelError:
        """Map a failure to an error, and learn from it how long a prompt may be."""
        error, size, images = (
            self._endpoint.error(fault),
            prompt_tokens(request.prompt, request.tools),
            has_images(request.prompt),
        )
        if isinstance(error, ContextTooLong):
            error.room, error.size = await self._room.refused(error, size, images=images), size
        elif may_be_about_length(fault, error) and not request.tools and not images:
            room = await self._room.doubted(size)
            return error if room is None else ContextTooLong(error.sentence, room=room, size=size, sure=self._room.learnt)
        elif isinstance(error, ModelGarbled):
            if isinstance(fault, OnlyReasoned):
                await self._room.reasoned()
            request.unusable += 1
            error.attempts = request.unusable
        return error

    async def _context(self, *, nearby: bool) -> int | None:
        try:
            return await context_of(self._endpoint, nearby=nearby)
        except FAULTS:
            return None


async def _read(
    response: httpx2.Response, thoughts: WithoutThinking, tools: Sequence[Tool]
) -> AsyncGenerator[str | ToolCall, None]:
    """Yield an answer in pieces; from an endpoint without streaming, as a whole.

    A call that a model writes as text is held back: its server does not parse it, and people must not see it. Raises WrittenCall if
    that is one of the offered `tools`, and whatever `pieces` raises.
    """
    names = [tool.name for tool in tools]
    lines = WithoutCalls(names)
    async with aclosing(_sent(response, thoughts, calls=bool(tools))) as found:
        async for piece in found:
            if isinstance(piece, CutShort) or not tools:
                yield piece
            elif isinstance(piece, ToolCall):
                if rest := lines.flush():
                    yield rest
                yield piece
            elif isinstance(piece, Restart):
                lines = WithoutCalls(names)
                yield piece
            elif new := lines.feed(piece):
                yield new
    if rest := lines.flush():
        yield rest


async def _sent(response: httpx2.Response, thoughts: WithoutThinking, *, calls: bool) -> AsyncGenerator[str | ToolCall, None]:
    """Yield the parts of a response, whose beginning tells what it is: endpoints and proxies declare the same bytes differently."""
    async with aclosing(response.aiter_bytes()) as chunks:
        first = await _first_visible(chunks)
        if first.startswith(b"<") or "html" in response.headers.get("content-type", ""):
            raise WebPage
        everything = _prepended(first, chunks)
        is_one_document = first.startswith((b"{", b"["))
        documents = _alone(await read_json(everything, _MAX_BYTES)) if is_one_document else events(everything, _MAX_BYTES)
        async with aclosing(
            pieces(documents, "message" if is_one_document else "delta", _MAX_BYTES, thoughts, calls=calls)
        ) as found:
            async for piece in found:
                yield piece
        await _finish(chunks)


async def _first_visible(chunks: AsyncIterator[bytes]) -> bytes:
    """Return the first chunk that is not blank, from its first visible byte on: blank lines keep a connection open until then."""
    async for chunk in chunks:
        if shown := chunk.lstrip(b"\xef\xbb\xbf \t\r\n"):
            return shown
    return b""


async def _prepended(first: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield first
    async for chunk in chunks:
        yield chunk


async def _alone(document: object) -> AsyncGenerator[object, None]:
    yield document
    yield DONE


async def _finish(chunks: AsyncIterator[bytes]) -> None:
    """Drain a response: otherwise its connection is closed, and the next request opens another."""
    with suppress(TimeoutError, *FAULTS):
        async with asyncio.timeout(_END_SECONDS):
            async for _ in chunks:
                pass
