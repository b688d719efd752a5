"""A model as the rest of Lyra has it: its answers are waited for in line, and end where they begin to run in circles."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from bot.errors import ModelGarbled
from bot.models.line import Line
from bot.models.port import Anew, ChatMessage, Model, Toolbox, closing, joined
from memory.text.invented_receipts import WithoutReceipts
from memory.text.loops import Unlooped

_LONG = 2_000


class ServedModel:
    """A model behind a line. What is asked in the `background` comes in one piece, after whatever people wait for.

    Waiting in line is no part of the model's deadline. What people read has no receipts before its lines that it invents.
    """

    def __init__(self, model: Model, line: Line, *, background: bool) -> None:
        self._model = model
        self._line = line
        self._background = background

    @property
    def name(self) -> str:
        """What the configuration calls the model."""
        return self._model.name

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, up to where it runs in circles. Raises ModelError."""
        if self._background:
            yield await self._line.run(lambda: self._whole(messages))
            return
        lines, said = WithoutReceipts(), False
        async with self._line.first(), closing(_unlooped(self._model.stream(messages, toolbox))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Anew):
                    lines, said = WithoutReceipts(), False
                    yield piece
                elif new := lines.feed(piece):
                    said = said or bool(new.strip())
                    yield new
        if rest := lines.rest():
            yield rest
        if not (said or rest.strip()):
            raise ModelGarbled(f"The model {self.name} wrote nothing that can be shown.")

    async def room(self) -> int | None:
        """Return the model's room."""
        return await self._model.room()

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def _whole(self, messages: Sequence[ChatMessage]) -> str:
        async with closing(_unlooped(self._model.stream(messages))) as pieces:
            return await joined(pieces)


async def _unlooped(answer: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    loops = Unlooped()
    async with closing(answer) as pieces:
        async for piece in pieces:
            if isinstance(piece, Anew):
                loops = Unlooped()
                yield piece
            # Beside the event loop where an endpoint sends much at once.
            new = loops.feed(piece) if len(piece) < _LONG else await asyncio.to_thread(loops.feed, piece)
            if new:
                yield new
            if loops.ended:
                return
    if held := loops.rest():
        yield held
