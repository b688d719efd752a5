"""Whether a turn still stands while it is answered: who reads its place now, and what it was made from."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from adapters.base import Adapter
from adapters.errors import PlaceGone, PlaceHidden
from adapters.events import Place
from adapters.task_groups import cancel
from bot.conversation.domain_access import DomainAccess
from bot.conversation.one_turn import Turn
from bot.errors import PlaceUnknown
from memory.errors import SourceGone

SECONDS = 0.5
"""Seconds between checks while a model is silent."""


def have_same_readers(one: Place, other: Place) -> bool:
    """Return whether two states of a place are read by the same people."""
    return (one.reach, one.circle) == (other.reach, other.circle)


async def current(adapter: Adapter, place: Place) -> Place | None:
    """Return the current state of a place, None if it is gone. Raises PlaceUnknown."""
    try:
        now = await adapter.locate(place)
    except PlaceHidden:
        now = None
    except PlaceGone:
        return None
    if now is None:
        raise PlaceUnknown("Who can read this place is not known just now; what was said is kept, and answered when it is.")
    return now


async def require_readers(domains: DomainAccess, turn: Turn) -> None:
    """Raise SourceGone if somebody reads the place now who could not read every source of a turn.

    That includes the asker: what they can read elsewhere is checked again.
    """
    if not turn.view.others:
        return
    home = turn.view.home.key
    with suppress(PlaceGone):
        place = await turn.adapter.locate(turn.place)
        if place and not turn.view.others_of_place:
            now = await domains.view(place, turn.person, turn.adapter)
            if now.home.key == home and not turn.view.others <= now.others:
                raise SourceGone("The person who asked cannot read everything any more that this answer was made from.")
            return
        # An answer written for entirely different readers is stored for them, and the exit does not send it.
        if (
            place
            and not await domains.has_same_readers(place, home, turn.view.others_of_place, turn.adapter)
            and await domains.has_same_readers(place, home)
        ):
            raise SourceGone("Who can read this place changed while the answer was made.")


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
