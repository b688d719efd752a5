"""Models as used by the rest of the bot: queued by priority, with answers cleaned and cut off when they loop."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from functools import partial

from adapters.markup import printable
from bot.errors import BadSecret, ModelDenied, ModelGarbled
from bot.models.port import ChatMessage, CutShort, Model, Restart, Tool, Toolbox, ToolCall, joined, size
from bot.models.request_queue import RequestQueue
from bot.service.runtime_metrics import measures
from localization.sentences import lazy
from memory.text.budget import tokens
from memory.text.generated.echoes import CopyDetector, UpToMoment, WithoutEcho, repeatable
from memory.text.generated.invented import WithoutReceipts, WithoutRoles, WithoutTurns
from memory.text.generated.loops import Uncounted, Unlooped
from memory.text.off_loop import off_loop
from memory.text.prompt_lines import CUT
from memory.text.wordings import read_wordings

_LONG = 2_000
_MOST_ASKED = 2
_PER_CHARACTER = 4
"""To look at four tokens of a prompt takes as long as other work on one character of a text: 1 µs."""
_IN_A_ROW = 16
"""How many pieces are passed on before other tasks have their turn."""
_COUNTING, _DIALOGUE, _ROLE = (
    re.compile(rf"(?i)\b(?:{'|'.join(read_wordings(__file__)[asked].values())})\b") for asked in ("counting", "dialogue", "role")
)
"""Questions that ask for what would else be cut off: an endless count, turns of other speakers, and words in somebody's place."""
_ASKER = re.compile(r'The message at the end is from "([^"\n]+)", whom')
_ASKERS = re.compile(r'(?:from|and) "([^"\n]+)"(?=,| and)')
_SPEAKER = re.compile(r"(?:[^\W\d]+, \d\d? [^\W\d]+ \d{4}: )?(?P<name>[^\n:]{1,40}): ")
_MOST_OF_A_QUESTION = 4_000


class Cleaned:
    """Removes loops, repeated prompt, speaker turns and receipts from a streamed answer, unless the question asks for such."""

    def __init__(self, prompt: Sequence[ChatMessage]) -> None:
        said = [message["content"] for message in prompt if message["role"] == "user"]
        asked = said[-1].rsplit("\n\n", 1)[-1][-_MOST_OF_A_QUESTION:] if said else ""
        system = [one["content"] for one in prompt if one["role"] == "system"]
        askers = _ASKERS.findall(said[-1]) if said else []
        self._loops = Unlooped()
        filters = (
            self._loops,
            None if _COUNTING.search(asked) else Uncounted(),
            WithoutEcho(repeatable(system, said, asked), askers),
            None if _ROLE.search(asked) or _DIALOGUE.search(asked) else WithoutRoles(said, askers),
            None if _DIALOGUE.search(asked) else WithoutTurns(_asker(said, asked), map(_named_before, said)),
            WithoutReceipts(said),
            UpToMoment(),
        )
        self._filters = [one for one in filters if one]

    @property
    def ended(self) -> bool:
        """Whether the rest of the answer is not wanted."""
        return any(one.ended for one in self._filters)

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that can be shown so far."""
        for one in self._filters:
            piece = one.feed(piece) if piece else ""
        return piece

    def flush(self) -> str:
        """Return the text held back at the end of the answer."""
        shown = "" if self.ended else self._loops.flush()
        for one in self._filters[1:]:
            shown = (one.feed(shown) if shown else "") + one.flush()
        return shown


def _named_before(text: str) -> str:
    """Return the name of the speaker before a message of the prompt, '' if there is none."""
    label = _SPEAKER.match(text)
    return label["name"] if label else ""


def _asker(said: Sequence[str], asked: str) -> Sequence[str]:
    """Return the name under which a model may go on for the person, where no line of the prompt names its speaker.

    Where lines do, an answer may address people in the same way.
    """
    asker = _ASKER.search(said[-1]) if said else None
    return [asker[1]] if asker and not asked.startswith(f"{asker[1]}:") else ()


class CleanedDigest:
    """Ends a digest where it runs in circles, or where it turns out to be a copy of its request."""

    def __init__(self, prompt: Sequence[ChatMessage]) -> None:
        rules, data = ("\n".join(one["content"] for one in prompt if (one["role"] == "system") is its) for its in (True, False))
        self._copy = CopyDetector(rules, data)
        self._loops = Unlooped()

    @property
    def ended(self) -> bool:
        """Whether the rest of the digest is not wanted."""
        return self._copy.ended or self._loops.ended

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that is known to stay."""
        return self._loops.feed(self._copy.feed(piece))

    def flush(self) -> str:
        """Return the text held back at the end of the digest."""
        return self._loops.flush()


class ServedModel:
    """A model behind a queue, opened on first use, so that a start loads nothing it may not need.

    A `background` answer comes in one piece, after everything that people wait for. Waiting in the queue does not count towards
    the model's deadline. Answers for people are stripped of the prompt, speaker turns and receipts that the model writes around
    them.
    """

    def __init__(self, name: str, open_model: Callable[[], Model], line: RequestQueue, *, background: bool) -> None:
        self.name = name
        self._open_model = open_model
        self._model: Model | None = None
        self._line = line
        self._background = background

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        """Yield the answer in pieces, up to where it loops. Raises ModelError."""
        if self._background:
            yield await self._line.run(lambda: self._whole(messages))
            return
        cleaned = partial(off_loop, size(messages) // _PER_CHARACTER, partial(Cleaned, messages))
        # An answer with nothing to show is retried, and finally an error.
        for _ in range(_MOST_ASKED):
            said, held, cut = False, "", None
            async with aclosing(self._filtered(cleaned, self._line.first(), "conversation", messages, toolbox)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Restart):
                        said, held, cut = False, "", None
                        yield piece
                        continue
                    held, cut = held + piece, piece if isinstance(piece, CutShort) else cut
                    said = said or not CUT.startswith(printable(held).strip())
                    if said:
                        yield held
                        held = ""
            if said:
                if cut is not None:
                    yield cut
                return
        raise ModelGarbled(lazy("The model {name} wrote nothing that can be shown.", name=self.name), _MOST_ASKED)

    async def room(self) -> int | None:
        """Return the model's room. Raises ModelDenied if its key is unavailable."""
        return await self._opened().room()

    async def close(self) -> None:
        """Close the model if it was opened."""
        if self._model is not None:
            await self._model.close()

    def _opened(self) -> Model:
        if self._model is None:
            try:
                self._model = self._open_model()
            except BadSecret as error:
                raise ModelDenied(error.sentence) from error
        return self._model

    async def _whole(self, messages: Sequence[ChatMessage]) -> str:
        async def condensed() -> CleanedDigest:
            return CleanedDigest(messages)

        async with aclosing(self._filtered(condensed, nullcontext(), "digests", messages, None)) as pieces:
            return await joined(pieces)

    async def _filtered(
        self, made: Callable[[], Awaitable[Cleaned | CleanedDigest]], place: AbstractAsyncContextManager[None], purpose: str,
        messages: Sequence[ChatMessage], toolbox: Toolbox | None,
    ) -> AsyncGenerator[str, None]:  # fmt: skip
        """Yield an answer, requested from a `place` in the queue, through a filter; `made` returns a new filter if the answer restarts."""
        kept = await made()
        async with place, aclosing(self._counted(purpose, messages, toolbox)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Restart):
                    kept = await made()
                    yield piece
                elif isinstance(piece, CutShort):
                    yield piece
                # In a thread, if an endpoint sends much at once.
                elif new := kept.feed(piece) if len(piece) < _LONG else await asyncio.to_thread(kept.feed, piece):
                    yield new
                if kept.ended:
                    break
        if rest := kept.flush():
            yield rest

    async def _counted(self, purpose: str, messages: Sequence[ChatMessage], toolbox: Toolbox | None) -> AsyncGenerator[str, None]:
        """Yield an answer in pieces, and count its usage, even if it is cut off; each round of lookups is a call."""
        written: list[str] = []

        def count(prompt: Sequence[ChatMessage], more: str) -> None:
            measures.count_call(purpose, self.name, size(prompt), tokens("".join(written) + more))
            written.clear()

        rounds = _CountedRounds(toolbox, messages, count) if toolbox else None
        try:
            async with aclosing(self._opened().stream(messages, rounds)) as pieces:
                async for piece in pieces:
                    written.append(piece)
                    yield piece
                    if not len(written) % _IN_A_ROW:
                        # If an endpoint is faster than the consumer, other tasks would starve.
                        await asyncio.sleep(0)
        except ModelGarbled as error:
            # What holds no text was made as well, and costs the same.
            for _ in range(0 if written else error.attempts):
                count(rounds.sent if rounds else messages, "")
            raise
        finally:
            if written:
                count(rounds.sent if rounds else messages, "")


class _CountedRounds:
    """A toolbox that reports each round to `count`, with its prompt and the calls. `sent` is the last prompt."""

    def __init__(
        self, toolbox: Toolbox, first: Sequence[ChatMessage], count: Callable[[Sequence[ChatMessage], str], None]
    ) -> None:
        self._toolbox = toolbox
        self._count = count
        self.sent = first

    @property
    def offered(self) -> Sequence[Tool]:
        return self._toolbox.offered

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        self.sent = self._toolbox.prompt(plain=plain)
        return self.sent

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        self._count(self.sent, "".join(call.arguments for call in calls))
        await self._toolbox.use(said, calls)
