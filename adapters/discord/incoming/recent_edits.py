"""The last edits of messages that were heard: Discord tells one again whenever it shows the message in another way."""

from collections import OrderedDict

_MOST = 5_000


class RecentEdits:
    """When messages were last edited, by their ids: of the 5,000 that were edited last."""

    def __init__(self) -> None:
        self._last: OrderedDict[int, int] = OrderedDict()

    def note(self, message: int, at: int) -> bool:
        """Note when a message was edited; return whether that is news."""
        if self._last.get(message) == at:
            return False
        self._last[message] = at
        if len(self._last) > _MOST:
            self._last.popitem(last=False)
        return True
