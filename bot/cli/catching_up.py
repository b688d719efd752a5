"""Vectors for what was imported, made while somebody looks on: with progress, and left off whenever asked to."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from bot.app import App
from memory.errors import EmbeddingFailed
from memory.store.locks import FileLock
from memory.view.view import View

_PATIENCE = 120.0
"""Seconds: about 24,000 messages. Years of them are better embedded while nobody looks on."""
_FIRST_SECONDS, _MOST_SECONDS = 2.0, 30.0


async def embedded(app: App, view: View, stop: asyncio.Event) -> None:
    """Give what has no vector yet at home of a view its vectors, until it is done or told to stop, two minutes at most.

    What is left then, or because the embedder fails, is done while Lyra is awake next. Where she is awake now, all of it is
    hers: two who embed the same would take twice as long.
    """
    awake = FileLock(app.base.around.home / "run.lock")
    if app.meaning.embedder is None or not awake.take():
        return
    awake.release()
    with Told() as told:
        embedding = asyncio.create_task(view.embed(told))
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((embedding, stopped), timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (embedding, stopped):
                task.cancel()
            how, _ = await asyncio.gather(embedding, stopped, return_exceptions=True)
    match how:
        case EmbeddingFailed():
            _say(f"{how} Words find these messages meanwhile; their vectors come later.")
        case asyncio.CancelledError():
            _say(f"{told} The rest comes when Lyra is awake next; words find it meanwhile.")
        case BaseException():
            raise how


class Told:
    """Progress on standard error: in a terminal a bar that goes away, elsewhere a line now and then, less and less often."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare; `clock` counts seconds."""
        console = Console(stderr=True)
        columns = (TextColumn("Embedding"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}"))
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("Embedding", total=0)
        self._lines = not console.is_terminal
        self._clock = clock
        self._pause = _FIRST_SECONDS
        self._next = clock() + self._pause
        self._done, self._total = 0, 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """Show how many of how many are done."""
        self._done, self._total = done, total
        self._bar.update(self._task, completed=done, total=total)
        if self._lines and self._clock() >= self._next:
            self._pause = min(2 * self._pause, _MOST_SECONDS)
            self._next = self._clock() + self._pause
            _say(str(self))

    def __str__(self) -> str:
        return f"Embedded {self._done:,} of {self._total:,}." if self._total else "Nothing is embedded yet."


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
