"""What can go wrong with a platform; foreign errors stop here.

PlatformFailure
├── SendFailed       a part did not arrive; `final` says that trying again cannot help
├── PlaceGone        a place is not there any more, or not for Lyra
├── PlatformRefused  the platform does not let Lyra in, and trying again cannot help
└── CommandUnclear   a command was called with the wrong words
"""


class PlatformFailure(Exception):
    """The base of all; its text is one sentence that says what to do."""


class SendFailed(PlatformFailure):
    """A part did not arrive."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class PlaceGone(PlatformFailure):
    """A place is not there any more, or not for Lyra."""


class PlatformRefused(PlatformFailure):
    """The platform does not let Lyra in."""


class CommandUnclear(PlatformFailure):
    """A command was called with the wrong words; the text says how to call it."""
