"""What the homeserver's refusals mean for an outgoing part. Foreign errors stop here."""

from typing import TypeVar

import aiohttp
from nio import ErrorResponse
from nio.exceptions import EncryptionError, GroupEncryptionError, OlmTrustError, ProtocolError

from adapters.errors import SendFailed
from localization.sentences import lazy

T = TypeVar("T")

_FORBIDDEN = "M_FORBIDDEN"
_NOT_FOUND = "M_NOT_FOUND"
_TOO_LARGE = "M_TOO_LARGE"
_PASSES = frozenset({"M_LIMIT_EXCEEDED", "M_RESOURCE_LIMIT_EXCEEDED", "M_USER_LIMIT_EXCEEDED"})


class Refused(Exception):
    """The homeserver refused: `code` is Matrix's error code, '' if it is not the homeserver that answered."""

    def __init__(self, response: ErrorResponse) -> None:
        self.code = str(response.status_code or "")
        self.status = int(getattr(response.transport_response, "status", 0))
        super().__init__(self.code or str(self.status))

    @property
    def too_large(self) -> bool:
        """Whether a smaller one would be accepted."""
        return self.code == _TOO_LARGE or self.status == 413

    @property
    def forbidden(self) -> bool:
        """Whether Lyra lacks the permission."""
        return self.code == _FORBIDDEN

    @property
    def hidden(self) -> bool:
        """Whether what was requested does not exist, or not for Lyra."""
        return self.code in (_FORBIDDEN, _NOT_FOUND)

    @property
    def unreadable(self) -> bool:
        """Whether the answer was there, and nio could not make sense of it: an event from before 1970, say."""
        return not self.code and self.status == 200

    @property
    def final(self) -> bool:
        """Whether retrying cannot help."""
        passes = not self.code or self.code in _PASSES or self.status in (401, 429) or self.status >= 500
        return not passes or self.too_large


TROUBLE = (Refused, aiohttp.ClientError, OSError, ProtocolError, EncryptionError, GroupEncryptionError, OlmTrustError)
"""What a checked request to the homeserver can raise."""


def checked(response: T | ErrorResponse) -> T:
    """Return an answer unless it is one of nio's errors. Raises Refused."""
    if isinstance(response, ErrorResponse):
        raise Refused(response)
    return response


def failure(error: Exception) -> SendFailed:
    """Return what to tell people about an error, and whether retrying can help."""
    if not isinstance(error, Refused):
        return SendFailed(lazy("The Matrix homeserver cannot be reached; what waits is sent as soon as it can be."))
    if error.forbidden:
        return SendFailed(lazy("Lyra may not write in that room; invite her, and let her send messages there."), barred=True)
    if error.final:
        return SendFailed(
            lazy(
                "The homeserver refused the message ({status}, {error}); it is not sent again.", status=error.status, error=error
            ),
            final=True,
        )
    if error.status == 401:
        return SendFailed(
            lazy("The homeserver does not know Lyra's device any more; what waits is sent once she is signed in again.")
        )
    return SendFailed(
        lazy("The homeserver is busy or broken just now ({error}); what waits is sent as soon as it can be.", error=error)
    )
