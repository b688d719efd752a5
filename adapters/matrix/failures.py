"""What the homeserver's refusals mean for an outgoing part. Foreign errors stop here."""

from typing import TypeVar

import aiohttp
from nio import ErrorResponse
from nio.exceptions import EncryptionError, GroupEncryptionError, OlmTrustError, ProtocolError

from adapters.errors import SendFailed
from adapters.matrix.homeserver import RequestRefused, shut_off

T = TypeVar("T")

TROUBLE = (RequestRefused, aiohttp.ClientError, OSError, ProtocolError, EncryptionError, GroupEncryptionError, OlmTrustError)
"""What a checked request to the homeserver can raise."""


def checked(response: T | ErrorResponse) -> T:
    """Return an answer unless it is one of nio's errors. Raises RequestRefused."""
    if isinstance(response, ErrorResponse):
        raise RequestRefused(getattr(response.transport_response, "status", 0), {"errcode": response.status_code or ""})
    return response


def failure(error: Exception) -> SendFailed:
    """Return what to tell people about an error, and whether retrying can help."""
    if not isinstance(error, RequestRefused):
        return SendFailed("The Matrix homeserver cannot be reached; what waits is sent as soon as it can be.")
    if error.forbidden:
        return SendFailed("Lyra may not write in that room; invite her, and let her send messages there.", barred=True)
    if error.is_lifted_later:
        return SendFailed(shut_off(str(error)), barred=True)
    if error.is_final:
        return SendFailed(
            "The homeserver refused the message ({status}, {error}); it is not sent again.",
            status=error.status,
            error=error,
            final=True,
        )
    if error.status == 401:
        return SendFailed("The homeserver does not know Lyra's device any more; what waits is sent once she is signed in again.")
    return SendFailed(
        "The homeserver is busy or broken just now ({error}); what waits is sent as soon as it can be.", error=error
    )
