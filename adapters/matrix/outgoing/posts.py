"""The exit to Matrix: messages in rooms, posted once, edited, redacted.

Parts whose fate is unknown are looked for in the room's history.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from uuid import uuid4

from nio import AsyncClient

from adapters.base import Sending
from adapters.command_table import OFFERS, File
from adapters.errors import SendFailed
from adapters.events import split_key
from adapters.matrix.failures import TROUBLE, failure
from adapters.matrix.homeserver import Json, RequestRefused
from adapters.matrix.incoming.event import RoomEvent, part, word
from adapters.matrix.incoming.scrollback import ENCRYPTED, Scrollback, fetch_event
from adapters.matrix.outgoing import contents
from adapters.matrix.outgoing.typing import read_up_to
from adapters.matrix.outgoing.wire import Wire
from adapters.posting import REPEAT, put
from localization.sentences import lazy

AWAY = lazy("Matrix is not connected now; what waits is sent as soon as it is.")

_ENDS = "🛑"
_REMEMBERED = 12 * 60 * 60 * 1_000_000
_Wrap = Callable[[Json], Json]
_SLACK = 5 * 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The result of a search for an own message: its id, '' if it was not found.

    `complete` means that all of the time in question was read, `closed` that it contains a message of Lyra's that she cannot
    decrypt.
    """

    found: str = ""
    complete: bool = True
    closed: bool = False


async def arrived(client: AsyncClient, sending: Sending, most: int) -> PostSearch:
    """Look for a part by its key, among the last `most` messages or a few more."""
    closed = False
    async for event in (past := _since(client, sending, most)):
        if _over(event, sending):
            return PostSearch(closed=closed)
        if event.sender != client.user_id or event.is_redacted:
            continue
        if event.content.get(contents.PART) == sending.key:
            return PostSearch(event.id)
        # Sent from a device that she lost.
        closed = closed or event.kind == ENCRYPTED
    return PostSearch(complete=past.ended, closed=closed)


async def find_shown(client: AsyncClient, sending: Sending, most: int) -> str:
    """Return the id of the last first part that answers the same message, whatever its text, or ''."""
    async for event in _since(client, sending, most):
        if _over(event, sending):
            break
        refers_to = word(part(event.relation, "m.in_reply_to"), "event_id")
        if event.sender == client.user_id and refers_to == sending.answers and not event.is_redacted:
            return event.id
    return ""


async def edits_and_files(client: AsyncClient, room: str, target: str, most: int) -> list[str]:
    """Return the own edits of a message and the files attached to it, oldest first."""
    found: list[str] = []
    async for event in Scrollback(client, room, most):
        if event.id == target:
            break
        if event.sender == client.user_id and target in (event.replaces, event.content.get(contents.FILE_OF)):
            found.append(event.id)
    return found[::-1]


def _since(client: AsyncClient, sending: Sending, most: int) -> Scrollback:
    return Scrollback(client, split_key(sending.place)[1], most)


def _over(event: RoomEvent, sending: Sending) -> bool:
    # `since` comes from another clock than the homeserver's.
    return event.id == sending.answers or (bool(sending.since) and event.at < sending.since - _SLACK)


class Posts:
    """Lyra's own messages; `most` is how many messages a look back covers. Raises what the wire raises.

    A homeserver remembers a transaction for its device only, and not forever: Synapse does for a day. So a part that may
    have arrived is looked for before it is sent again.
    """

    def __init__(self, client: AsyncClient, wire: Wire, now: Callable[[], int], *, most: int = 1000) -> None:
        self._client = client
        self._wire = wire
        self._now = now
        self._most = most

    async def send(self, sending: Sending) -> str:
        """Post a part unless it is there already, and return its id.

        A thought or a question gets the reactions that answer it.
        """
        event = await self._said(sending)
        await self._sign(
            sending, event, contents.SIGNS if sending.reflection else contents.VERDICTS if _asks(sending) else offered(sending)
        )
        for at, one in enumerate(sending.files):
            await self._attach(sending, one, event, f"{self._transaction(sending)} file {at}")
        return event

    async def _attach(self, sending: Sending, attached: File, event: str, transaction: str) -> None:
        """Post a file that is attached to an event, in the place of a part."""
        _, room, thread = split_key(sending.place)
        source = await self._wire.upload(room, attached.data, "application/octet-stream")
        content = contents.file_message(attached, source) | {contents.FILE_OF: event}
        await self._wire.put(room, contents.placed(content, thread=thread, answers=""), transaction)

    async def _said(self, sending: Sending) -> str:
        _, room, thread = split_key(sending.place)
        readers = self._wire.readers(room)
        if sending.unsure:
            search = await arrived(self._client, sending, self._most)
            if search.found:
                return search.found
            if search.closed or not (search.complete or self._now() - sending.since < _REMEMBERED):
                sending = replace(sending, text=f"*{REPEAT}*\n\n{sending.text}")
        answered, mentions = await self._reply_target(room, sending)
        content = await self._words(sending, mentions) | {contents.PART: sending.key}
        if sending.reflection:
            content[contents.REFLECTION] = True
        if _asks(sending):
            content[contents.VERDICT] = True
        self._wire.require_readers(room, readers)
        return await self._fitting(
            room, content, lambda new: contents.placed(new, thread=thread, answers=answered), self._transaction(sending)
        )

    async def edit(self, sending: Sending) -> str:
        room = split_key(sending.place)[1]
        readers = self._wire.readers(room)
        target = sending.target or await self._find_shown(sending)
        old = await self._own(room, target)
        if old is None:
            if not sending.key:
                raise SendFailed("The message is gone; nothing takes its place.", final=True)
            return await self.send(replace(sending, key=f"{sending.key} anew"))
        content = await self._words(sending, _mentions(old))
        self._wire.require_readers(room, readers)
        await self._fitting(room, content, lambda new: contents.edit(target, new), self._transaction(sending))
        await self._sign(sending, target, offered(sending))
        return target

    async def offer(self, sending: Sending) -> str:
        if await self._own(split_key(sending.place)[1], sending.target):
            await self._sign(sending, sending.target, offered(sending))
        return sending.target

    async def _sign(self, sending: Sending, event: str, signs: Iterable[str]) -> None:
        """Put reactions under an event, each once."""
        for key in signs:
            await self._wire.react(
                split_key(sending.place)[1], contents.reaction(event, key), f"{self._transaction(sending)} {key}"
            )

    async def unname(self, sending: Sending) -> str:
        """Do nothing: threads have no names here."""
        return ""

    async def delete(self, sending: Sending) -> str:
        """Redact a message with its files and all its edits, which would stay readable; return its id."""
        room = split_key(sending.place)[1]
        target = sending.target or (await arrived(self._client, sending, self._most)).found or await self._find_shown(sending)
        # While the original exists, what belongs to it can be found again after a failure.
        for event in [*await edits_and_files(self._client, room, target, self._most), target] if target else ():
            await self._redact(room, event, sending)
        return target

    async def _redact(self, room: str, event: str, sending: Sending) -> None:
        try:
            await self._wire.redact(room, event, f"{self._transaction(sending)} {event}")
        except RequestRefused as refused:
            if refused.code != "M_NOT_FOUND":
                raise

    async def _fitting(self, room: str, content: Json, wrap: _Wrap, transaction: str) -> str:
        """Post content whole, else without its HTML unless code would be lost, else as a file."""
        for smaller in (content,) if contents.has_code(content) else (content, contents.unformatted(content)):
            try:
                return await self._wire.put(room, wrap(smaller), transaction)
            except RequestRefused as refused:
                if not refused.too_large:
                    raise
        data = content["body"].encode()
        source = await self._wire.upload(room, data, "text/plain")
        return await self._wire.put(room, wrap(contents.file(content, source, len(data))), transaction)

    async def _reply_target(self, room: str, sending: Sending) -> tuple[str, Collection[str]]:
        """Return the event that a part answers, '' if it is not visible in that room, and whom to mention."""
        if not sending.first or not sending.answers:
            return "", ()
        asked, _ = await asyncio.gather(self._fetch(room, sending.answers), read_up_to(self._client, room, sending.answers))
        if asked is None:
            # A private answer goes to another room than the question.
            return "", ()
        return sending.answers, [asked.sender] if asked.sender != self._client.user_id else []

    async def _fetch(self, room: str, event: str) -> RoomEvent | None:
        try:
            return await fetch_event(self._client, room, event)
        except RequestRefused as refused:
            if not refused.unreadable:
                raise
            # Whoever runs a homeserver sends what they like; it must not keep back all that is said in the room after it.
            return None

    async def _own(self, room: str, target: str) -> RoomEvent | None:
        found = await fetch_event(self._client, room, target) if target else None
        return found if found and found.sender == self._client.user_id and not found.is_redacted else None

    async def _find_shown(self, sending: Sending) -> str:
        return await find_shown(self._client, sending, self._most) if sending.first and sending.answers else ""

    async def _words(self, sending: Sending, mentions: Collection[str]) -> Json:
        # Some texts take a second to convert to HTML.
        notice = sending.notice or sending.reflection
        return await asyncio.to_thread(contents.words, sending.text, notice=notice, mentions=mentions)

    def _transaction(self, sending: Sending) -> str:
        return sending.key or uuid4().hex


def offered(sending: Sending) -> list[str]:
    """Return the reactions for a part's lasting actions, leaving out those that end with it, such as stopping its making."""
    commands = {one.command for one in sending.actions}
    return [sign for sign, command in OFFERS.items() if command in commands and sign != _ENDS]


def _asks(sending: Sending) -> bool:
    """Return whether a part asks whether emoji match."""
    return {one.argument for one in sending.actions} == set(contents.VERDICTS.values())


def _mentions(event: RoomEvent) -> list[str]:
    found = part(event.content, "m.mentions").get("user_ids")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


class Sender:
    """Sends parts. `seconds` is the longest a caller waits; `wire` puts them into rooms."""

    def __init__(self, client: AsyncClient, wire: Wire, now: Callable[[], int], *, seconds: float = 60.0) -> None:
        self._client = client
        self._seconds = seconds
        self._posts = Posts(client, wire, now)

    async def send(self, sending: Sending) -> str:
        """Send a part and return its event id. Raises SendFailed."""
        if self._is_closed:
            raise SendFailed(AWAY)
        # The library's error is not chained: it can hold the URL with its token.
        try:
            async with asyncio.timeout(self._seconds):
                return await put(self._posts, sending)
        except TROUBLE as error:
            raise failure(error) from None
        except RuntimeError:
            if not self._is_closed:
                raise
            raise SendFailed(AWAY) from None

    @property
    def _is_closed(self) -> bool:
        session = self._client.client_session
        return session is None or bool(session.closed)
