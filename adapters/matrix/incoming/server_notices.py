"""The rooms in which a homeserver talks to her account, of terms or limits: nobody there asks her anything, or can be answered."""

import logging
from collections.abc import Iterable

from nio import TagEvent

TYPE = "m.tag"
_TAG = "m.server_notice"

log = logging.getLogger(__name__)


class ServerNotices:
    """These rooms, as tagged by the homeserver; the first sync of a connection tells all of them."""

    def __init__(self) -> None:
        self._rooms: set[str] = set()

    def learn(self, room: str, account_data: Iterable[object]) -> None:
        """Take over how a room is tagged."""
        if any(isinstance(event, TagEvent) and _TAG in event.tags for event in account_data):
            self._rooms.add(room)

    def passes_over(self, room: str) -> bool:
        """Return whether what is said in a room is the homeserver's, for whoever runs her."""
        if room in self._rooms:
            log.warning("The homeserver has something to say to Lyra's account; sign in as her to read it.")
        return room in self._rooms
