"""An answer that is shown while it is made, where a platform lets messages be edited.

The first of it goes out as a preview part of the outbox, so that after a kill the answer takes its place; what follows
changes that message at the pace the platform allows. Whatever goes wrong here only means that the answer comes whole. Where
the readers of the place change meanwhile, what was shown is taken back.
"""

import asyncio
from collections.abc import Collection
from contextlib import suppress

from adapters.base import Adapter
from adapters.errors import SendFailed
from bot.intake import Turn
from bot.outgoing import Outgoing


class Streamed:
    """The preview of one answer."""

    def __init__(self, turn: Turn, adapter: Adapter, outgoing: Outgoing, links: Collection[str]) -> None:
        self._turn = turn
        self._adapter = adapter
        self._outgoing = outgoing
        self._links = links
        self._text = ""
        self._shown = ""
        self._remote = ""
        self._key = ""
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def show(self, piece: str) -> None:
        """Show the next piece, soon."""
        self._text += piece
        if self._task is None:
            self._task = asyncio.create_task(self._keep_showing())

    async def drop(self) -> None:
        """Begin anew; what comes next takes the place of what was shown."""
        self._text = ""

    async def stop(self) -> str:
        """Show nothing more; return the key of the preview that the answer takes the place of, '' where none went out."""
        self._stopping.set()
        if self._task is not None:
            await self._task
        with suppress(SendFailed):
            await self._watch()
        return self._key

    def cancel(self) -> None:
        """Leave it as it is."""
        if self._task is not None:
            self._task.cancel()

    async def _keep_showing(self) -> None:
        shows = True
        while shows or self._key:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._adapter.edit_seconds)
                return
            try:
                shows = await self._watch() and shows
                if shows:
                    await self._show_once()
            except SendFailed:
                shows = False

    async def _watch(self) -> bool:
        """Take back what is shown where others read it now; return whether it stands. Raises SendFailed."""
        turn = self._turn
        if not self._key or await self._outgoing.may_show(turn.place, turn.view):
            return True
        await self._outgoing.take_back(turn.place.platform, turn.place.key, self._key)
        self._key = ""
        return False

    async def _show_once(self) -> None:
        turn = self._turn
        part = self._outgoing.preview(turn.place.platform, self._text, self._links)
        if part.text == self._shown or not self._text.strip():
            return
        if self._key:
            await self._outgoing.revise(turn.place, self._remote, part.text)
        else:
            self._key = part.key
            await turn.view.preview(turn.session, part, turn.answers)
            self._remote = await self._outgoing.flush(turn.place.platform, turn.place.key, [part])
            if not self._remote:
                raise SendFailed("The preview did not go out.")
        self._shown = part.text
