"""The tabs that show a conversation, and what is shown in all of them."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class TabEvent:
    """Something to show: the kind of event, and its facts."""

    kind: str
    facts: dict[str, object] = field(default_factory=dict)


Tab = asyncio.Queue[TabEvent]


class Tabs:
    """The open tabs by place. Events go to the open ones; a tab that stops reading is dropped."""

    def __init__(self) -> None:
        self._open: dict[str, list[Tab]] = {}

    def watched(self, place: str) -> bool:
        """Return whether any tab shows a place."""
        return place in self._open

    @contextmanager
    def opened(self, place: str) -> Iterator[Tab]:
        """Open a tab of a place for the block."""
        tab: Tab = asyncio.Queue(_MOST)
        self._open.setdefault(place, []).append(tab)
        try:
            yield tab
        finally:
            self._close(place, tab)

    def show(self, place: str, kind: str, **facts: object) -> None:
        """Send an event to every tab of a place."""
        for tab in list(self._open.get(place, ())):
            try:
                tab.put_nowait(TabEvent(kind, facts))
            except asyncio.QueueFull:
                self._close(place, tab)

    def show_all(self, kind: str) -> None:
        """Send an event to every open tab."""
        for place in list(self._open):
            self.show(place, kind)

    def _close(self, place: str, tab: Tab) -> None:
        left = [one for one in self._open.get(place, ()) if one is not tab]
        if left:
            self._open[place] = left
        else:
            self._open.pop(place, None)
