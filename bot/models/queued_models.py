"""Models as used by the rest of the bot: queued by priority, with answers cleaned and cut off when they loop."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from functools import partial

from adapters.markup import printable
from bot.errors import ModelGarbled
from bot.models.port import ChatMessage, CutShort, Model, Restart, Toolbox, closing, joined, size
from bot.models.request_queue import RequestQueue
from bot.service.runtime_metrics import measures
from localization.sentences import lazy
from memory.text.budget import tokens
from memory.text.generated.echoes import WithoutEcho, repeatable
from memory.text.generated.invented import WithoutReceipts, WithoutTurns
from memory.text.generated.loops import Uncounted, Unlooped
from memory.text.off_loop import off_loop

_LONG = 2_000
_MOST_ASKED = 2
_IN_A_ROW = 16
"""How many pieces are passed on before other tasks have their turn."""
_COUNTING = re.compile(
    r"(?i)\b(?:count\w*|numbers?|zähl\w*|zahlen|cuenta|números?|compte|nombres|times tables?|einmaleins|(?:up )?to \d{2,}|bis \d{2,}|hasta \d{2,}"
    r"|first \d{2,}|\d{3,})\b"
)
_DIALOGUE = re.compile(
    r"(?i)\b(?:dialog\w*|scripts?|conversation|transcript|interview|gespräch|role-?play|scene|szene|chat ?logs?|example|beispiel|diálogo|play)\b"
)
_MOST_OF_A_QUESTION = 4_000


class Cleaned:
    """Removes repeated prompt, speaker turns and receipts from a streamed answer, unless the question asks for such."""

    def __init__(self, prompt: Sequence[ChatMessage]) -> None:
        said = [message["content"] for message in prompt if message["role"] == "user"]
        asked = said[-1].rsplit("\n\n", 1)[-1][-_MOST_OF_A_QUESTION:] if said else ""
        self._counting = None if _COUNTING.search(asked) else Uncounted()
        self._echo = WithoutEcho(repeatable([one["content"] for one in prompt if one["role"] == "system"], said, asked))
        self._turns = None if _DIALOGUE.search(asked) else WithoutTurns()
        self._receipts = WithoutReceipts()

    @property
    def ended(self) -> bool:
        """Whether the rest of the answer is not wanted."""
        return bool((self._counting and self._counting.ended) or (self._turns and self._turns.ended))

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that can be shown so far."""
        counted = self._counting.feed(piece) if self._counting else piece
        return self._after_counting(counted)

    def rest(self) -> str:
        """Return the text held back at the end of the answer."""
        shown = self._after_counting(self._counting.rest()) if self._counting else ""
        shown += self._after_echo(self._echo.rest())
        if self._turns:
            shown += self._receipts.feed(self._turns.rest())
        return shown + self._receipts.rest()

    def _after_counting(self, text: str) -> str:
        return self._after_echo(self._echo.feed(text)) if text else ""

    def _after_echo(self, text: str) -> str:
        turned = self._turns.feed(text) if self._turns else text
        return self._receipts.feed(turned) if turned else ""


class ServedModel:
    """A model behind a queue. A `background` answer comes in one piece, after everything that people wait for.

    Waiting in the queue does not count towards the model's deadline. Answers for people are stripped of the prompt, speaker
    turns and receipts that the model writes around them.
    """

    def __init__(self, model: Model, line: RequestQueue, *, background: bool) -> None:
        self._model = model
        self._line = line
        self._background = background

    @property
    def name(self) -> str:
        """The configured name."""
        return self._model.name

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, up to where it loops. Raises ModelError."""
        if self._background:
            yield await self._line.run(lambda: self._whole(messages))
            return
        # An answer with nothing to show is retried, and finally an error.
        for _ in range(_MOST_ASKED):
            said, held, cut = False, "", False
            async with closing(self._shown(messages, toolbox)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Restart):
                        said, held, cut = False, "", False
                        yield piece
                        continue
                    held, cut = held + piece, cut or isinstance(piece, CutShort)
                    said = said or bool(printable(held).strip())
                    if said:
                        yield held
                        held = ""
            if said:
                if cut:
                    yield CutShort()
                return
        raise ModelGarbled(lazy("The model {name} wrote nothing that can be shown.", name=self.name), _MOST_ASKED)

    async def _shown(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None) -> AsyncGenerator[str, None]:
        """Yield the visible parts of one answer."""
        begun = partial(off_loop, size(messages), partial(Cleaned, messages))
        cleaned = await begun()
        async with self._line.first(), closing(_unlooped(self._counted("conversation", messages, toolbox))) as pieces:
            async for piece in pieces:
                if isinstance(piece, Restart):
                    cleaned = await begun()
                    yield piece
                elif isinstance(piece, CutShort):
                    yield piece
                elif new := cleaned.feed(piece):
                    yield new
                if cleaned.ended:
                    break
        if rest := cleaned.rest():
            yield rest

    async def room(self) -> int | None:
        """Return the model's room."""
        return await self._model.room()

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    async def _whole(self, messages: Sequence[ChatMessage]) -> str:
        async with closing(_unlooped(self._counted("digests", messages, None))) as pieces:
            return await joined(pieces)

    async def _counted(self, purpose: str, messages: Sequence[ChatMessage], toolbox: Toolbox | None) -> AsyncGenerator[str, None]:
        """Yield an answer in pieces, and count its usage, even if it is cut off."""
        written: list[str] = []
        try:
            async with closing(self._model.stream(messages, toolbox)) as pieces:
                async for piece in pieces:
                    written.append(piece)
                    yield piece
                    if not len(written) % _IN_A_ROW:
                        # If an endpoint is faster than the consumer, other tasks would starve.
                        await asyncio.sleep(0)
        finally:
            if written:
                measures.called(purpose, self.name, size(messages), tokens("".join(written)))


async def _unlooped(answer: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    loops = Unlooped()
    async with closing(answer) as pieces:
        async for piece in pieces:
            if isinstance(piece, Restart):
                loops = Unlooped()
                yield piece
            elif isinstance(piece, CutShort):
                yield piece
            # In a thread, if an endpoint sends much at once.
            new = loops.feed(piece) if len(piece) < _LONG else await asyncio.to_thread(loops.feed, piece)
            if new:
                yield new
            if loops.ended:
                return
    if held := loops.rest():
        yield held
