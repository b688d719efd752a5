"""A filter of how an answer begins: text is held back until it is known what it is, and then passed on."""

from abc import ABC, abstractmethod


class OpeningFilter(ABC):
    """A streaming filter of the beginning of an answer; `is_open` where there is nothing to look for.

    Once it has `ended`, nothing more is shown.
    """

    def __init__(self, *, is_open: bool) -> None:
        self.ended = False
        self._held = ""
        self._open = is_open

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        if self._open:
            return piece
        self._held += piece
        return "" if self.ended else self._known(final=False)

    def flush(self) -> str:
        """Return what was held back, at the end of the answer."""
        return "" if self._open or self.ended else self._known(final=True)

    @abstractmethod
    def _known(self, *, final: bool) -> str:
        """Return what of the held text can be shown, which ends the filter or opens it where it is known; all is, if it is `final`."""
