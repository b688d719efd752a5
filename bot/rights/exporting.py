"""Export of everything that belongs to a person: one message per line, to import again or to read.

From shared places, only their own messages and the answers to them are included; an answer that may contain others' words is
omitted, with a note that it existed.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from adapters.command_table import File
from adapters.events import Person
from bot.commands.texts import receipts
from bot.conversation.domain_access import DomainAccess
from localization.sentences import _, marked
from memory.core import Memory
from memory.text.time.times import local
from memory.transfer.jsonl import line
from memory.types import Identity
from memory.view.own_words import OwnMessage
from memory.view.view import View

OTHERS = marked("[left out: others' words may be in it]")
JSONL, TEXT, ZIPPED = "lyra.jsonl", "lyra.txt", "lyra.zip"


async def exported(view: View, *, as_text: bool) -> AsyncIterator[str]:
    """Yield every message at home as one line, in stored order: JSON that can be imported again, or text."""
    async for session, message in view.messages.all():
        yield _line(OwnMessage(session, message, whole=True), view.home.time_zone, as_text=as_text)


@dataclass(frozen=True, slots=True)
class Exported:
    """A message, and the time zone in which its time is shown."""

    own: OwnMessage
    zone: str

    def line(self, *, as_text: bool) -> str:
        """Return it as one line: JSON that can be imported again, or text."""
        return _line(self.own, self.zone, as_text=as_text)


@dataclass(frozen=True, slots=True)
class Exporting:
    """Collects what belongs to a person, under all of their accounts."""

    memory: Memory
    domains: DomainAccess

    async def lines(self, person: Person, *, as_text: bool) -> AsyncIterator[str]:
        """Yield each of their messages as one line, place by place: JSON that can be imported again, or text."""
        async for one in self.items(person):
            yield one.line(as_text=as_text)

    async def items(self, person: Person) -> AsyncIterator["Exported"]:
        """Yield each of their messages, place by place."""
        for account in await self.domains.accounts(person):
            for view in await self._views(account):
                async for own in view.own_words.of(account):
                    yield Exported(own, view.home.time_zone)

    async def _views(self, account: Identity) -> Sequence[View]:
        """Return views of the places where an account said anything, its own first."""
        own = await self.domains.view_of_account(account.platform, account.native_id)
        spoken = await self.memory.spoken_in(account)
        return [own, *(self.memory.view(domain) for domain in spoken if domain.key != own.home.key)]


def _line(own: OwnMessage, zone: str, *, as_text: bool) -> str:
    e = own.exchange
    text = e.text if own.whole else str(_(OTHERS)) if as_text else OTHERS
    if as_text:
        # A continuation line cannot be mistaken for another speaker's.
        text = "\n| ".join(text.splitlines())
        return f"[{receipts.short(own.session)}] {local(e.said_at, zone):%Y-%m-%d %H:%M} {receipts.short(e.speaker)}: {text}"
    return line(own.session, e.role, e.speaker, text, e.said_at, e.source_id, zone, echo=e.echo or not own.whole)


def fitting(texts: Mapping[str, str], most: int) -> tuple[File, ...]:
    """Return texts as files of at most `most` bytes in total, compressed into one if necessary; () if that is not enough."""
    files = tuple(File(name, text.encode("utf-8", "replace")) for name, text in texts.items())
    if sum(len(one.data) for one in files) <= most:
        return files
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for one in files:
            archive.writestr(one.name, one.data)
    return (File(ZIPPED, packed.getvalue()),) if packed.tell() <= most else ()
