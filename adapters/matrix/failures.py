"""What the homeserver's refusals mean for a part on its way out. Foreign errors stop here."""

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
    """The homeserver said no: `code` is Matrix's name for why, '' where it is not the homeserver that answers."""

    def __init__(self, response: ErrorResponse) -> None:
        self.code = str(response.status_code or "")
        self.status = int(getattr(response.transport_response, "status", 0))
        super().__init__(self.code or str(self.status))

    @property
    def too_large(self) -> bool:
        """Whether less of it would be taken."""
        return self.code == _TOO_LARGE or self.status == 413

    @property
    def forbidden(self) -> bool:
        """Whether it is Lyra's rights that do not allow it."""
        return self.code == _FORBIDDEN

    @property
    def hidden(self) -> bool:
        """Whether what was asked for is not there, or not for Lyra."""
        return self.code in (_FORBIDDEN, _NOT_FOUND)

    @property
    def final(self) -> bool:
        """Whether trying again cannot help."""
        passes = not self.code or self.code in _PASSES or self.status in (401, 429) or self.status >= 500
        return not passes or self.too_large


TROUBLE = (Refused, aiohttp.ClientError, OSError, ProtocolError, EncryptionError, GroupEncryptionError, OlmTrustError)
"""What a request to the homeserver can raise, once it is checked."""


def checked(response: T | ErrorResponse) -> T:
    """Return an answer that is none of nio's errors. Raises Refused."""
    if isinstance(response, ErrorResponse):
        raise Refused(response)
    return response


def failure(error: Exception) -> SendFailed:
    """Return what a person should know of an error, and whether trying again can help."""
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
