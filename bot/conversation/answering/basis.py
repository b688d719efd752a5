"""What an answer is made from, looked at while it is made: as soon as something of it goes, the making ends.

Whoever forgets or changes something may do so in another process. Wherever anything was committed since the last look, it is
looked again; else a look costs no read.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any

from bot.conversation.one_turn import Turn
from localization.sentences import lazy
from memory.errors import SourceGone

SECONDS = 0.5
"""How often it is looked while a model is silent."""


def stored(texts: Mapping[int, str]) -> Mapping[int, str]:
    """Return those of these items that memory holds: what is said off the record has a key below zero."""
    return {key: text for key, text in texts.items() if key > 0}


class Basis:
    """What the answer to a turn is made from, as it was read from `begun` on, after so many `commits`.

    `seen` returns what stands in view by now, `asides` the ids of the messages in it that are not kept.
    """

    def __init__(
        self, turn: Turn, begun: int, commits: int, seen: Callable[[], Mapping[int, str]], asides: Callable[[], Collection[str]]
    ) -> None:
        self._turn = turn
        self._begun = begun
        self._commits = commits
        self._seen = seen
        self._asides = asides

    async def require(self) -> None:
        """Raise SourceGone where something of it was forgotten, changed or removed."""
        if not self._turn.watch.gone.isdisjoint(self._asides()):
            raise SourceGone(lazy("Something that this answer was shown was changed or removed while it was made."))
        lasting = self._turn.view.lasting
        commits = await lasting.commits()
        if commits != self._commits:
            asked = {one.key: one.text for one in self._turn.asked}
            await lasting.require(stored(asked), stored(self._seen()), self._begun)
            self._commits = commits

    async def stands(self) -> bool:
        """Say whether all of it is as it was."""
        try:
            await self.require()
        except SourceGone:
            return False
        return True

    async def bear(self, making: Coroutine[Any, Any, None]) -> bool:
        """Let something be made; return False where the person ended it before it was done.

        Raises SourceGone where something of this goes meanwhile.
        """
        made, ended = asyncio.create_task(making), asyncio.create_task(self._turn.ending.wait())
        try:
            while not (made.done() or ended.done()):
                await asyncio.wait([made, ended], timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
                await self.require()
            if made.done():
                made.result()
            return made.done()
        finally:
            made.cancel()
            ended.cancel()
            await asyncio.gather(made, ended, return_exceptions=True)
