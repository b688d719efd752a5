"""Vectors for what has none yet, made while somebody waits at the terminal."""

import asyncio

from bot.app import App
from bot.cli.output import progress_bar
from bot.printing import note
from bot.service.awake import is_awake
from bot.service.deadline import unless_stopped
from localization.sentences import _, lazy
from memory.errors import EmbeddingFailed
from memory.view.view import View

PATIENCE = 120.0
"""In seconds, enough for about 24,000 messages. Years of messages are better embedded in the background."""
_EMBEDDED = lazy("Embedded")


async def embed_waiting(app: App, view: View, stop: asyncio.Event, patience: float = PATIENCE) -> None:
    """Embed the messages at a view's home that have no vector yet, until done or stopped, for so many seconds at most.

    The rest, also after an embedder's failure, is left to the next `lyra run`. If one is running now, all of it is left to that
    process: two processes embedding the same messages would take twice as long.
    """
    if app.embedder_choice.embedder is None or is_awake(app.base.environment.home):
        return
    try:
        with progress_bar(str(_EMBEDDED)) as progress:
            embedded = await unless_stopped(stop, view.embed(progress), patience)
    except EmbeddingFailed as how:
        note(_("{how} Words find these messages meanwhile; their vectors come later.", how=how))
        return
    if embedded is None:
        note(_("{told} The rest comes when Lyra is awake next; words find it meanwhile.", told=progress.so_far))
