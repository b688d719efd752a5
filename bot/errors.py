"""What can go wrong around Lyra. Every class is one sentence a person can read; a traceback never is.

LyraError                     carries what to say and do
├── BadConfig · BadSecret     the configuration does not hold
├── BadInput                  what was given cannot be used
├── Cancelled                 Ctrl-C
├── PlaceUnknown              who can read a place is not known now; it is tried again
└── ModelError                a model did not answer; the message is kept
    ├── ModelBusy             429: wait, then retry (transient; carries retry_after)
    ├── ModelDown             5xx, no connection, stream cut (transient)
    ├── ModelTimeout          the total deadline passed (transient)
    ├── ModelGarbled          an answer that is no answer (transient)
    ├── ContextTooLong        the prompt does not fit: shrink it
    ├── ModelDenied           401, 403: the key is wrong or missing (alarm)
    └── ModelRefused          any other 4xx: the request is not accepted
"""

from localization.sentences import Explained, Said


class LyraError(Explained):
    """The base of all; its text is shown to people, in their language."""


class BadConfig(LyraError):
    """The configuration file does not hold."""


class BadSecret(LyraError):
    """A named secret is not there or not usable."""


class BadInput(LyraError):
    """What was given cannot be used."""


class Cancelled(LyraError):
    """Somebody pressed Ctrl-C."""


class PlaceUnknown(LyraError):
    """Who can read a place is not known now."""


class AnswerEnded(LyraError):
    """The person ended an answer before anything of it came."""


class ModelError(LyraError):
    """A model did not answer. `transient` says whether trying again can help."""

    transient = False


class ModelBusy(ModelError):
    """The endpoint asks to wait; `retry_after` is in seconds, None where it did not say."""

    transient = True

    def __init__(self, message: Said, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelDown(ModelError):
    """The endpoint is out of reach, broke, or cut the answer. `status` is what it answered with, 0 for no answer."""

    transient = True

    def __init__(self, message: Said, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ModelTimeout(ModelError):
    """The answer was not complete within the deadline."""

    transient = True


class ModelGarbled(ModelError):
    """The answer is not one: no JSON, no choices, no text, far too long. `asked` is how often it was asked for."""

    transient = True

    def __init__(self, message: Said, asked: int = 1) -> None:
        super().__init__(message)
        self.asked = asked


class ContextTooLong(ModelError):
    """The prompt does not fit the model.

    `limit` is its context and `asked` the size of the prompt, both in tokens as the endpoint counts them, None where it did not
    say so; `room` is how long a prompt may be and `size` how long it was, by the count of memory.text.budget, None where that is
    not known. `sure` is false where the endpoint did not say that it is the length: a much shorter prompt is to be tried.
    """

    def __init__(
        self,
        message: Said,
        limit: int | None = None,
        asked: int | None = None,
        room: int | None = None,
        size: int | None = None,
        *,
        sure: bool = True,
    ) -> None:
        super().__init__(message)
        self.limit = limit
        self.asked = asked
        self.room = room
        self.size = size
        self.sure = sure


class ModelDenied(ModelError):
    """The endpoint does not accept the key."""


class ModelRefused(ModelError):
    """The endpoint does not accept the request."""
