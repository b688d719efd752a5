"""Finds Lyra's own messages in a room's history: which part arrived, what stands, what changed it."""

from dataclasses import dataclass

from nio import AsyncClient

from adapters.base import Sending
from adapters.events import split_key
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.matrix.incoming.scrollback import ENCRYPTED, Scrollback
from adapters.matrix.outgoing.contents import FILE_OF, PART

_SLACK = 5 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The result of a search for an own message: its id, '' if it was not found.

    `whole` means the whole time in question was read, `closed` that it contains a message of Lyra's that she cannot
    decrypt.
    """

    found: str = ""
    whole: bool = True
    closed: bool = False


async def arrived(client: AsyncClient, sending: Sending, most: int) -> PostSearch:
    """Look for a part by its key, among the last `most` messages or a few more."""
    closed = False
    async for event in (past := _since(client, sending, most)):
        if _over(event, sending):
            return PostSearch(closed=closed)
        if event.sender != client.user_id or event.is_redacted:
            continue
        if event.content.get(PART) == sending.key:
            return PostSearch(event.id)
        # Sent from a device that she lost.
        closed = closed or event.kind == ENCRYPTED
    return PostSearch(whole=past.ended, closed=closed)


async def shown(client: AsyncClient, sending: Sending, most: int) -> str:
    """Return the id of the last first part that answers the same message, whatever its text, or ''."""
    async for event in _since(client, sending, most):
        if _over(event, sending):
            break
        if event.sender == client.user_id and _refers(event) == sending.answers and not event.is_redacted:
            return event.id
    return ""


async def belonging(client: AsyncClient, room: str, target: str, most: int) -> list[str]:
    """Return the own edits of a message and the files attached to it, oldest first."""
    found: list[str] = []
    async for event in Scrollback(client, room, most):
        if event.id == target:
            break
        if event.sender == client.user_id and target in (_replaces(event), event.content.get(FILE_OF)):
            found.append(event.id)
    return found[::-1]


def _since(client: AsyncClient, sending: Sending, most: int) -> Scrollback:
    return Scrollback(client, split_key(sending.place)[1], most)


def _refers(event: RoomEvent) -> str:
    return word(part(_relation(event), "m.in_reply_to"), "event_id")


def _replaces(event: RoomEvent) -> str:
    relation = _relation(event)
    return word(relation, "event_id") if relation.get("rel_type") == "m.replace" else ""


def _relation(event: RoomEvent) -> Json:
    # Relations are outside the ciphertext, too.
    return part(event.content or part(event.raw, "content"), "m.relates_to")


def _over(event: RoomEvent, sending: Sending) -> bool:
    # `since` comes from another clock than the homeserver's.
    return event.id == sending.answers or (bool(sending.since) and event.at < sending.since - _SLACK)
