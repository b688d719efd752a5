"""Filters of an answer as it is streamed: text is held back until it is known what it is, and then passed on."""

from abc import ABC, abstractmethod


class StreamFilter(ABC):
    """A streaming filter. Once it has `ended`, nothing more is shown."""

    def __init__(self) -> None:
        self.ended = False
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        if self.ended:
            return ""
        self._held += piece
        return self._known(final=False)

    def flush(self) -> str:
        """Return what was held back, at the end of the answer."""
        return "" if self.ended else self._known(final=True)

    @abstractmethod
    def _known(self, *, final: bool) -> str:
        """Return what of the held text can be shown, which ends the filter where it is known; all can, if it is `final`."""


class OpeningFilter(StreamFilter):
    """A streaming filter of the beginning of an answer; `is_open` where there is nothing to look for, and from where on it is known."""

    def __init__(self, *, is_open: bool) -> None:
        super().__init__()
        self._open = is_open

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        return piece if self._open else super().feed(piece)

    def flush(self) -> str:
        """Return what was held back, at the end of the answer."""
        return "" if self._open else super().flush()
