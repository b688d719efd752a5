"""Messages off the record: held in memory while their conversation lasts, and not stored.

None of their text is in the journal, the outbox, memory, the index or the log. Only a message's id is known, as a tombstone, so
that it enters no memory and no prompt in another way either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from adapters.base import Adapter
from adapters.events import Message, Person, Place, split_key
from adapters.message_parts import Contents
from adapters.recent import Recent
from bot.context.quoting import without_forgotten
from bot.context.unstored_names import name_of
from bot.conversation.attachments import text_with_attachments
from memory.core import Memory
from memory.types import Exchange, Identity, Kind, Session
from memory.view.view import View

_CONVERSATIONS, _MESSAGES = 1_000, 40
"""The maximum number of conversations, and of messages of each; the oldest are dropped first."""
_KNOWN = 50_000
"""The maximum number of cached ids of messages and posts."""


class _Conversation(NamedTuple):
    """A conversation by the keys of its place and session, and the account whose words are off the record there, '' for everybody's."""

    platform: str
    place: str
    session: int
    person: str


class OffRecord:
    """The conversations that are off the record now."""

    def __init__(self) -> None:
        self._said = Recent[_Conversation, list[Exchange]](_CONVERSATIONS)
        self._ids = Recent[tuple[str, str], None](_KNOWN)
        self._overheard = Recent[tuple[str, str], _Conversation](_KNOWN)
        self._asked = Recent[tuple[str, str], _Conversation](_KNOWN)
        """The questions being answered, as long as their conversation goes on."""
        self._keys = count(-1, -1)

    def message(self, session: Session, kind: Kind, speaker: str, text: str, id: str, at: int, account: int | None) -> Exchange:
        """Return a message for a prompt, with a negative key, which no item has."""
        role = "assistant" if kind is Kind.REPLY else "user"
        key = next(self._keys)
        return Exchange(key, "", session.domain, session.key, kind, role, speaker, text, id, at, at, identity=account)

    def before(self, session: Session, person: str) -> Sequence[Exchange]:
        """Return the messages of a conversation so far, oldest first; `person` as in `add`."""
        return tuple(self._said.get(_where(session, person), ()))

    def last_by(self, session: Session, person: str, account: int | None) -> Exchange | None:
        """Return the last message of an account in a conversation, whether everybody's or only `person`'s words are off the record."""
        earlier = (*self.before(session, person), *self.before(session, ""))
        own = (one for one in earlier if one.kind is Kind.SAID and one.identity == account)
        return max(own, key=lambda one: one.said_at, default=None)

    def begin(self, session: Session, person: str, questions: Sequence[Exchange]) -> Sequence[Exchange]:
        """Return the messages of the conversation in which these questions will be answered, as `before`."""
        for one in questions:
            self._asked[session.ref.platform, one.source_id] = _where(session, person)
        return self.before(session, person)

    def add(self, session: Session, person: str, questions: Sequence[Exchange], reply: Exchange) -> None:
        """Append to a conversation; `person` is the account whose words alone are off the record there, '' for everybody's.

        Nothing is appended where a question was edited, or the conversation ended, while it was answered.
        """
        where = _where(session, person)
        asked = [self._asked.pop((where.platform, one.source_id), None) for one in questions]
        if None in asked:
            return
        self._said[where] = [*self._said.pop(where, ()), *questions, reply][-_MESSAGES:]

    def note(self, platform: str, id: str) -> None:
        """Remember the id of a message or post."""
        self._ids[platform, id] = None

    def knows(self, platform: str, id: str) -> bool:
        """Return whether a message or post was off the record, as far as the cache knows."""
        return (platform, id) in self._ids

    def overhear(self, place: Place, id: str, person: str) -> None:
        """Remember the id of an overheard message; `person` as in `add`."""
        self._overheard[place.platform, id] = _Conversation(place.platform, place.key, 0, person)

    def overheard(self, place: Place, id: str, asker: str) -> bool:
        """Return whether a message was overheard at a place, and may be used in an answer off the record to `asker`."""
        where = self._overheard.get((place.platform, id))
        return where is not None and where.place == place.key and where.person in ("", asker)

    def forget(self, platform: str, ids: Sequence[str]) -> None:
        """Drop messages that were deleted or edited, with everything after them, which may rest on them."""
        for id in ids:
            self._overheard.pop((platform, id), None)
            self._asked.pop((platform, id), None)
        for where, said in list(self._said.items()):
            at = next((at for at, one in enumerate(said) if where.platform == platform and one.source_id in ids), None)
            if at is not None:
                self._said[where] = said[:at]

    def end(self, where: Place | Person, *, server: bool = False) -> None:
        """Drop the conversations of a place with its threads, of a whole `server`, or of a person."""
        for one in list(self._said):
            if _within(one, where, server=server):
                del self._said[one]
        for known in (self._overheard, self._asked):
            for id, one in list(known.items()):
                if _within(one, where, server=server):
                    del known[id]


@dataclass(frozen=True, slots=True)
class Holding:
    """Reads messages of people as their turns hold them."""

    memory: Memory
    off_record: OffRecord

    async def message(self, adapter: Adapter, view: View, session: Session, message: Message, text: str) -> Exchange:
        """Return a message with its text as a prompt at a home shows it."""
        account = await view.messages.account(Identity(message.person.platform, message.person.id))
        speaker = await name_of(view.messages, adapter, message.place, message.person)
        return self.off_record.message(session, Kind.SAID, speaker, text, message.id, message.said_at, account)

    async def messages(
        self, adapter: Adapter, view: View, session: Session, said: Sequence[Message]
    ) -> tuple[list[Exchange], list[Sequence[Contents]]]:
        """Return messages as a prompt shows them, and the attachments of each, without forgotten forwards."""
        held, read = [], []
        for one in await without_forgotten(self.memory, view, session.ref.platform, said):
            read.append(await adapter.read_attachments(one) if one.attachments else ())
            held.append(await self.message(adapter, view, session, one, text_with_attachments(one, read[-1])))
        return held, read


def _where(session: Session, person: str) -> _Conversation:
    return _Conversation(session.ref.platform, session.ref.place, session.key, person)


def _within(one: _Conversation, where: Place | Person, *, server: bool) -> bool:
    if one.platform != where.platform:
        return False
    if isinstance(where, Person):
        return one.person == where.id
    in_server, in_channel, in_thread = split_key(one.place)
    if server:
        return in_server == where.server
    return (in_server, in_channel) == (where.server, where.channel) and where.thread in ("", in_thread)
