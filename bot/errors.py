"""The errors of the bot. Each carries one sentence for people; they never see a traceback."""

from collections.abc import Mapping

from localization.sentences import Explained, Said, _, told
from memory.errors import BusyElsewhere, LinkRefused, MemoryFailure, NotFound, NotYours, ToldInConfidence

FAILED, UNUSABLE = 1, 78
"""Exit codes: it failed; and, to systemd alone, nothing but a change of the configuration or an account helps (EX_CONFIG)."""


def code_until_changed(variables: Mapping[str, str]) -> int:
    """Return the exit code of a process that cannot work until somebody changes its configuration, or an account of hers.

    Under systemd, which the environment tells by NOTIFY_SOCKET, it is one that the units do not restart.
    """
    return UNUSABLE if variables.get("NOTIFY_SOCKET") else FAILED


class LyraError(Explained):
    """The base class; its text is shown to people, in their language."""


class BadConfig(LyraError):
    """The configuration file is invalid."""


class BadSecret(LyraError):
    """A named secret is missing or unusable."""


class BadInput(LyraError):
    """What was given cannot be used."""


class Cancelled(LyraError):
    """Ctrl-C was pressed."""


class PlaceUnknown(LyraError):
    """Who can read a place is not known at the moment."""


class AnswerEnded(LyraError):
    """The person stopped an answer before any of it arrived."""


class ModelError(LyraError):
    """A model did not answer. `transient` says whether a retry can help."""

    transient = False


class ModelBusy(ModelError):
    """The endpoint asks to wait; `retry_after` is in seconds, None if it did not say."""

    transient = True

    def __init__(self, message: Said, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelDown(ModelError):
    """The endpoint is unreachable, failed, or cut the answer. `status` is its HTTP status, 0 without a response."""

    transient = True

    def __init__(self, message: Said, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ModelTimeout(ModelError):
    """The answer was not complete within the deadline."""

    transient = True


class ModelGarbled(ModelError):
    """The answer is unusable: no JSON, no choices, no text, or far too long. `attempts` counts those of this question so far."""

    transient = True

    def __init__(self, message: Said, attempts: int = 1) -> None:
        super().__init__(message)
        self.attempts = attempts


class ContextTooLong(ModelError):
    """The prompt does not fit the model.

    `limit` is the model's context and `asked` the size of the prompt, both in tokens as counted by the endpoint, None if it did
    not say; `room` is how long a prompt may be and `size` how long it was, as counted by memory.text.budget, None if unknown.
    `sure` is false if the endpoint did not say that the length is the problem: retry with a much shorter prompt.
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
    """The endpoint rejects the key, or its account has no credit left."""


class ModelRefused(ModelError):
    """The endpoint rejects the request."""


class ModelFiltered(ModelRefused):
    """The endpoint's filter stops what stands in the prompt, as it would again."""


class ModelMissing(ModelRefused):
    """The endpoint has no such model, or is not there: only the operator, or whoever runs the endpoint, can mend that."""


_FOR_ANYONE = (NotFound, NotYours, ToldInConfidence, BusyElsewhere, LinkRefused)


def error_text(error: Exception, *, owner: bool) -> str:
    """Return an error as one sentence, in the current language."""
    if owner or isinstance(error, _FOR_ANYONE):
        return told(error)
    match error:
        case ModelDenied():
            return _("My model does not let me in; whoever runs me can see why in the log.")
        case ModelError(transient=True) | ModelMissing():
            return _("My model does not answer just now.")
        case ModelError():
            return _("My model refuses this; whoever runs me can see why in the log.")
        case MemoryFailure() | BadConfig() | BadSecret():
            return _("I cannot do that just now; whoever runs me can see why in the log.")
    return told(error)
