"""What Discord's refusals mean for an outgoing part. Foreign errors stop here."""

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from adapters.errors import SendFailed
from localization.sentences import lazy

TROUBLE = (discord.HTTPException, discord.RateLimited, discord.InvalidData, aiohttp.ClientError, OSError)
"""What a request to Discord can raise."""
UNSURE = (*TROUBLE, SendFailed)
"""The same, or that Discord must be asked nothing just now: then it tells nothing."""

UNKNOWN_CHANNEL = 10003
UNKNOWN_MEMBER = 10007
UNKNOWN_MESSAGE = 10008
UNKNOWN_USER = 10013
UNKNOWN_WEBHOOK = 10015
ACKNOWLEDGED = 40060
FOLLOWED_UP = 40094
"""A call has all the follow-ups it may have: five, where an app is no member."""
NO_HISTORY = 160002
HAS_THREAD = 160004
TOO_MANY_THREADS = 160006
_FOR_NOW = frozenset({40003, 40004, 40006, 130000})
"""Too many DMs are being opened, messages or a feature are switched off for a while, or what is asked for is overloaded."""
_AT_THE_EDGE = frozenset({403, 408})
"""What Discord's edge answers by itself while it turns an address away or is too slow; Discord's own refusals have a code."""
TOKEN_OVER = frozenset({UNKNOWN_WEBHOOK, 10062, 50027})
"""A call's token is unknown, expired or invalid."""

_MISSING = lazy(
    "Lyra may not write there; let her see the channel and send messages in it, and connect to it where it is a voice channel."
)
_CLOSED = lazy("The thread is archived or locked; open it again, or talk to Lyra in another one.")
_BARRED = {50001: _MISSING, 50013: _MISSING, 50083: _CLOSED, 160005: _CLOSED}
"""What somebody can give back: a timeout ends, a channel or a thread opens again."""
_DM_CLOSED = lazy("The DM is closed to Lyra; allow direct messages from a server that you share with her.")
_FINAL = {
    UNKNOWN_CHANNEL: lazy("The channel is gone; talk to Lyra in another one."),
    50007: _DM_CLOSED,
    # No server is shared any more; since 2026.
    50278: _DM_CLOSED,
    200000: lazy("The server's automatic moderation stopped the message; its rules decide what Lyra may say there."),
}


def failure(error: Exception) -> SendFailed:
    """Return what to tell people about an error, and whether retrying can help."""
    if isinstance(error, discord.RateLimited):
        return SendFailed("Discord asks to wait; what waits is sent when it says.", retry_after=error.retry_after)
    if not isinstance(error, discord.HTTPException):
        return SendFailed("Discord cannot be reached; what waits is sent as soon as it can be.")
    if error.status == 401:
        return SendFailed("Discord does not accept Lyra's token; give her a new one.")
    turned_away = _is_turned_away(error)
    if _may_pass(error) or turned_away:
        said = lazy(
            "Discord is too busy or broken just now ({status}); what waits is sent as soon as it can be.", status=error.status
        )
        return SendFailed(said, retry_after=seconds(error.response.headers.get("Retry-After")), barred=turned_away)
    if error.code in _BARRED:
        return SendFailed(_BARRED[error.code], barred=True)
    unnamed = lazy(
        "Discord refused the message ({status}, code {code}); it is not sent again.", status=error.status, code=error.code
    )
    return SendFailed(_FINAL.get(error.code, unnamed), final=True)


@contextmanager
def passing_over(*codes: int) -> Iterator[None]:
    """Pass over a refusal with one of these codes."""
    try:
        yield
    except discord.HTTPException as error:
        if error.code not in codes:
            raise


def is_final(trouble: Exception) -> bool:
    """Return whether asking again cannot help."""
    if isinstance(trouble, discord.HTTPException):
        return not _may_pass(trouble) and not _is_turned_away(trouble)
    return isinstance(trouble, discord.InvalidData)


def _may_pass(error: discord.HTTPException) -> bool:
    return error.status == 429 or error.status >= 500 or error.code in _FOR_NOW


def _is_turned_away(error: discord.HTTPException) -> bool:
    return error.status in _AT_THE_EDGE and not error.code


def seconds(header: str | None) -> float | None:
    """Return the seconds in a `Retry-After` header, at least one; None if it holds none."""
    try:
        return max(1.0, float(header)) if header else None
    except ValueError:
        return None
