"""Messages off the record during their turn: held in memory that long, and not stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.base import Adapter
from adapters.events import Contents, Message
from bot.context.naming import name_of
from bot.context.quoting import without_forgotten
from bot.conversation.attachments import told
from bot.rights.off_record import OffRecord
from memory.core import Memory
from memory.types import Exchange, Identity, Kind, Session
from memory.view.view import View


@dataclass(frozen=True, slots=True)
class Holding:
    """Holds messages for their turns."""

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
            read.append(await adapter.read(one) if one.attachments else ())
            held.append(await self.message(adapter, view, session, one, told(one, read[-1])))
        return held, read
