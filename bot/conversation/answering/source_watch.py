"""The sources of an answer, watched while it is generated: as soon as one of them is removed, generation stops.

Another process may forget or change a source, so they are checked while a model writes, the first time and whenever anything was
committed since; otherwise a check costs no read. A complete answer is checked by what stores it.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any

from adapters.task_groups import cancel
from bot.conversation.one_turn import Turn
from memory.errors import SourceGone

SECONDS = 0.5
"""Seconds between checks while a model is silent."""


def stored(texts: Mapping[int, str]) -> Mapping[int, str]:
    """Return those of these items that are stored: messages off the record have negative keys."""
    return {key: text for key, text in texts.items() if key > 0}


class SourceWatch:
    """The sources of the answer to a turn, as read from `read_at` (microseconds UTC) on.

    `seen` returns what is in view by now, `asides` the ids of messages in view that are not stored.
    """

    def __init__(
        self, turn: Turn, read_at: int, seen: Callable[[], Mapping[int, str]], asides: Callable[[], Collection[str]]
    ) -> None:
        self._turn = turn
        self._read_at = read_at
        self._commits: int | None = None
        self._seen = seen
        self._asides = asides

    async def require(self) -> None:
        """Raise SourceGone if any source was forgotten, changed or removed."""
        self._turn.watch.require(self._asides())
        validity = self._turn.view.validity
        commits = await validity.commits()
        if commits != self._commits:
            questions = {one.key: one.text for one in self._turn.questions}
            await validity.require(stored(questions), stored(self._seen()), self._read_at)
            self._commits = commits

    async def is_unchanged(self) -> bool:
        """Return whether all sources are unchanged."""
        try:
            await self.require()
        except SourceGone:
            return False
        return True

    async def run(self, generation: Coroutine[Any, Any, None]) -> bool:
        """Run the generation of an answer; return False if the person stopped it.

        Raises SourceGone if a source is removed meanwhile.
        """
        generated, stopped = asyncio.create_task(generation), asyncio.create_task(self._turn.stop_requested.wait())
        try:
            while not (await asyncio.wait([generated, stopped], timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED))[0]:
                await self.require()
            if generated.done():
                generated.result()
            return generated.done()
        finally:
            await cancel(generated, stopped)
