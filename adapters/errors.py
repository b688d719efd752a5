"""What can go wrong with a platform; foreign errors stop here.

PlatformFailure
├── SendFailed      a part did not arrive; `final` says that trying again cannot help
└── CommandUnclear  a command was called with the wrong words
"""


class PlatformFailure(Exception):
    """The base of all."""


class SendFailed(PlatformFailure):
    """A part did not arrive."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


class CommandUnclear(PlatformFailure):
    """A command was called with the wrong words; the text says how to call it."""
