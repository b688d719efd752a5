"""What can go wrong with a platform; foreign errors stop here.

PlatformFailure
├── SendFailed       a part did not arrive; `final`: retrying cannot help, `retry_after`: when it may,
│                    `barred`: Lyra may not write there until somebody lifts that
├── PlaceGone        a place no longer exists, or not for Lyra
│   └── PlaceHidden  it exists, and somebody may let her in again
├── PlatformRefused  the platform does not let Lyra in, and retrying cannot help
└── CommandUnclear   a command was called with the wrong words
"""

from localization.sentences import Explained, Said


class PlatformFailure(Explained):
    """Base class of every error here; its text is one sentence that says what to do."""


class SendFailed(PlatformFailure):
    """A part did not arrive; `retry_after` is in seconds, None if the platform did not say."""

    def __init__(
        self, sentence: Said, /, *, final: bool = False, retry_after: float | None = None, barred: bool = False, **values: object
    ) -> None:
        super().__init__(sentence, **values)
        self.final = final
        self.retry_after = retry_after
        self.barred = barred


class PlaceGone(PlatformFailure):
    """A place no longer exists, or not for Lyra."""


class PlaceHidden(PlaceGone):
    """A place is closed to Lyra until somebody lets her in again."""


class PlatformRefused(PlatformFailure):
    """The platform does not let Lyra in."""


class CommandUnclear(PlatformFailure):
    """A command was called with the wrong words; the text says how to call it."""
