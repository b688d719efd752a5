"""The port to a language model: one verb and close. Nothing here loads a library.

A model is asked with messages and answers with pieces of text. On the way there it may use the tools that it is offered. The
answer is complete when iteration ends; whatever else happens is one of the ModelError tree of bot/errors.py.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, Self, TypedDict

from bot.errors import BadSecret, ModelDenied, ModelError
from memory.text.budget import tokens

_AROUND = 4
"""What a message costs beside its text: who speaks, and where it ends."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that came with what a user said: its media type, and the bytes of the file."""

    type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may ask for: its name, what it does, and its parameters as a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks of a tool. `arguments` is JSON if the model writes it well; nothing of it is to be believed."""

    id: str
    name: str
    arguments: str


class ChatMessage(TypedDict):
    """One message of a prompt.

    A user's may carry images. The text says what is known of them, since a model that does not see gets the text alone. An
    assistant's may carry `calls` of tools, and a tool's `answers` the id of one of them.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    images: NotRequired[Sequence[Image]]
    calls: NotRequired[Sequence[ToolCall]]
    answers: NotRequired[str]


class Anew(str):
    """A piece that holds no text: those before it were none of the answer, which begins anew."""

    __slots__ = ()


class Toolbox(Protocol):
    """The tools of one answer, and the prompt with what they returned so far."""

    @property
    def offered(self) -> Sequence[Tool]:
        """What may be used now: nothing once it was used as often as it may be."""
        ...

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        """Return the prompt; `plain` is for an endpoint that is offered no tools: then no message speaks of them."""
        ...

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        """Do what a model asks for, which said this before. What cannot be done is answered in a sentence, to the model."""
        ...


class Model(Protocol):
    """Answers prompts. `name` is what the configuration calls it."""

    @property
    def name(self) -> str: ...

    def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncIterator[str]:
        """Yield the answer in pieces, at least one of them visible. It is complete when iteration ends.

        With a toolbox, what is asked is its prompt, and what the model calls for is done in between. Raises ModelError, before the
        first piece or after some: then the pieces are no answer. What stands before an Anew is none of it either.
        """
        ...

    async def room(self) -> int | None:
        """Return how many tokens a prompt may have, by the count of `size`, None where nobody knows. Raises ModelDenied."""
        ...

    async def close(self) -> None:
        """Let go of connections. A closed model is not asked again."""
        ...


def size(messages: Sequence[ChatMessage]) -> int:
    """Return how many tokens a prompt is taken for, without its images."""
    return sum(tokens(message["content"]) + _AROUND for message in messages)


@asynccontextmanager
async def closing(stream: AsyncIterator[str]) -> AsyncGenerator[AsyncIterator[str], None]:
    """Close the stream on leaving, so that an answer nobody wants any more stops costing at once."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def complete(model: Model, messages: Sequence[ChatMessage]) -> str:
    """Return the whole answer. Raises ModelError."""
    async with closing(model.stream(messages)) as pieces:
        return await joined(pieces)


async def joined(pieces: AsyncIterator[str]) -> str:
    """Return the answer that pieces make up."""
    answer: list[str] = []
    async for piece in pieces:
        if isinstance(piece, Anew):
            answer.clear()
        answer.append(piece)
    return "".join(answer)


class ChainAnswer:
    """The answer of the first model of a chain that gave one.

    From the first piece on, `answered_by` is that model's name; `passed_over` are the errors of those before it, so that a
    wrong key is noticed although another model answered.
    """

    def __init__(self, models: Sequence[Model], messages: Sequence[ChatMessage], toolbox: Toolbox | None) -> None:
        self.answered_by = ""
        self.passed_over: tuple[tuple[str, ModelError], ...] = ()
        self._pieces = self._first_answer(models, messages, toolbox)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        return await anext(self._pieces)

    async def aclose(self) -> None:
        """Stop the answer."""
        await self._pieces.aclose()

    async def _first_answer(
        self, models: Sequence[Model], messages: Sequence[ChatMessage], toolbox: Toolbox | None
    ) -> AsyncGenerator[str, None]:
        for left, model in zip(range(len(models) - 1, -1, -1), models, strict=True):
            async with closing(model.stream(messages, toolbox)) as pieces:
                try:
                    async for piece in pieces:
                        self.answered_by = model.name
                        yield piece
                except ModelError as error:
                    # What was handed out cannot be taken back, so only an answer that has not begun passes to the next.
                    if self.answered_by or not left:
                        raise
                    self.passed_over += ((model.name, error),)
                else:
                    return


class Chain:
    """Models in order of preference, used as one: where one fails before its first piece, the next is asked."""

    def __init__(self, models: Sequence[Model]) -> None:
        """Chain at least one model; raises ValueError for none."""
        if not models:
            raise ValueError("a chain needs a model")
        self._models = tuple(models)

    @property
    def name(self) -> str:
        """The names in order."""
        return " → ".join(model.name for model in self._models)

    def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> ChainAnswer:
        """Yield the first answer that begins. Raises the last model's ModelError, or that of a begun answer."""
        return ChainAnswer(self._models, messages, toolbox)

    async def room(self) -> int | None:
        """Return the room of the first model whose key is to be had: the others are for when it fails."""
        for left, model in zip(range(len(self._models) - 1, -1, -1), self._models, strict=True):
            try:
                return await model.room()
            except ModelDenied:
                if not left:
                    raise
        return None

    async def close(self) -> None:
        """Close all models, the last first."""
        for model in reversed(self._models):
            await model.close()


class LateModel:
    """A model that is opened when it is first asked, so that a start loads nothing that it may not need."""

    def __init__(self, name: str, open_: Callable[[], Model]) -> None:
        self.name = name
        self._open = open_
        self._model: Model | None = None

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces. Raises ModelDenied where the model's key is not to be had."""
        async with closing(self._opened().stream(messages, toolbox)) as pieces:
            async for piece in pieces:
                yield piece

    async def room(self) -> int | None:
        """Return the model's room. Raises ModelDenied where its key is not to be had."""
        return await self._opened().room()

    def _opened(self) -> Model:
        if self._model is None:
            try:
                self._model = self._open()
            except BadSecret as error:
                raise ModelDenied(error.sentence) from error
        return self._model

    async def close(self) -> None:
        """Close the model if it was opened."""
        if self._model is not None:
            await self._model.close()
