"""The interface to a language model: one verb and close. Importing it loads no library.

A model is asked with messages and answers with pieces of text. In between it may call the tools that it is offered. The answer
is complete when iteration ends; any failure is one of the ModelError tree of bot/errors.py.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, Self, TypedDict

from bot.errors import ModelDenied, ModelError, ModelTimeout
from bot.service.log import log
from memory.text.budget import tokens

_AROUND = 4
"""The token overhead of a message beside its text: role and end."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image of a user's message: its media type, and the file's bytes."""

    type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool offered to a model: its name, its description, and its parameters as a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool. `arguments` is JSON if the model writes it correctly; all of it is untrusted.

    `extras` are further fields of the call and of its message, for the endpoint that sent them alone.
    """

    id: str
    name: str
    arguments: str
    extras: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


class ChatMessage(TypedDict):
    """One message of a prompt.

    A user's may have images, and describes them in its text, since a model without vision gets the text alone. An assistant's
    may have `calls` of tools, and a tool's `answers` the id of one of them.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    images: NotRequired[Sequence[Image]]
    calls: NotRequired[Sequence[ToolCall]]
    answers: NotRequired[str]


class Restart(str):
    """A piece without text: the pieces before it are discarded, and the answer starts again."""

    __slots__ = ()


class CutShort(str):
    """A piece without text: the endpoint's limit, or the deadline, ended the answer before its end.

    `late` is the error to raise if a deadline ended it and the complete answer is needed; None at the endpoint's limit, which a retry
    would reach again.
    """

    __slots__ = ("late",)
    late: ModelTimeout | None

    def __new__(cls, late: ModelTimeout | None = None) -> Self:
        """Make one for the endpoint's limit, or for a deadline."""
        made = super().__new__(cls)
        made.late = late
        return made


class Toolbox(Protocol):
    """The tools of one answer, and the prompt with their results so far."""

    @property
    def offered(self) -> Sequence[Tool]:
        """The tools available now; none once the maximum number of rounds is used."""
        ...

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        """Return the prompt; `plain` is for an endpoint that is offered no tools: then no message mentions them."""
        ...

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        """Run the calls of a model, which `said` this before. What cannot be done is reported to the model in a sentence."""
        ...


class Model(Protocol):
    """Answers prompts. `name` is the configured name."""

    @property
    def name(self) -> str: ...

    def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, at least one of them visible; it is complete when iteration ends.

        Whoever abandons it closes it, so that it stops costing at once.

        With a toolbox, its prompt is sent, and tool calls are run in between. Raises ModelError, before the first piece or
        after some: then the pieces are no answer. Neither is what precedes a Restart.
        """
        ...

    async def room(self) -> int | None:
        """Return the most tokens of a prompt, as counted by `size`, None if unknown. Raises ModelDenied."""
        ...

    async def close(self) -> None:
        """Close connections. A closed model is not used again."""
        ...


def writer_name(model: Model) -> str:
    """Return the name under which the digests of a model are kept."""
    return f"model:{model.name}"


def size(messages: Sequence[ChatMessage]) -> int:
    """Return the estimated tokens of a prompt, without its images."""
    return sum(tokens(message["content"]) + _AROUND for message in messages)


async def complete(model: Model, messages: Sequence[ChatMessage]) -> str:
    """Return the whole answer. Raises ModelError."""
    async with aclosing(model.stream(messages)) as pieces:
        return await joined(pieces)


async def joined(pieces: AsyncIterator[str]) -> str:
    """Return the joined pieces of an answer. Raises ModelTimeout if a deadline cut it short."""
    answer: list[str] = []
    async for piece in pieces:
        if isinstance(piece, CutShort) and piece.late:
            raise piece.late
        if isinstance(piece, Restart):
            answer.clear()
        answer.append(piece)
    return "".join(answer)


class Chain:
    """A fallback chain: if a model fails before its first piece, the next one is asked."""

    def __init__(self, models: Sequence[Model]) -> None:
        """Chain at least one model."""
        self._models = tuple(models)
        self.name = " → ".join(model.name for model in models)

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the first answer that begins. Raises the last model's ModelError, or that of an answer already begun.

        Whom it passes over is logged, so that a wrong key is noticed although another model answers.
        """
        for model in self._models:
            begun = False
            async with aclosing(model.stream(messages, toolbox)) as pieces:
                try:
                    async for piece in pieces:
                        begun = True
                        yield piece
                except ModelError as error:
                    # Yielded pieces cannot be taken back, so only an answer that has not begun falls back to the next model.
                    if begun or model is self._models[-1]:
                        raise
                    log.warning("model.passed_over", model=model.name, error=type(error).__name__)
                else:
                    return

    async def room(self) -> int | None:
        """Return the room of the first model whose key is available: the others are fallbacks."""
        *before, last = self._models
        for model in before:
            with suppress(ModelDenied):
                return await model.room()
        return await last.room()

    async def close(self) -> None:
        """Close all models, in reverse order."""
        for model in reversed(self._models):
            await model.close()
