"""Export of everything that belongs to a person: one message per line, to import again or to read.

From shared places, only their own messages and the answers to them are included; an answer that may contain others' words is
omitted, with a note that it existed.
"""

from collections.abc import AsyncIterator, Mapping
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
from memory.tiers.exchanges import PAGE
from memory.transfer.jsonl import line
from memory.transfer.seen_record import SeenRecord
from memory.view.owners import OwnMessage
from memory.view.view import View

OTHERS = marked("[left out: others' words may be in it]")
JSONL, TEXT, ZIPPED = "lyra.jsonl", "lyra.txt", "lyra.zip"


@dataclass(frozen=True, slots=True)
class Exported:
    """A message, the time zone in which its time is shown, and what an answer had in view, if known."""

    own: OwnMessage
    zone: str
    seen: SeenRecord | None = None

    def line(self, *, as_text: bool) -> str:
        """Return it as one line: JSON that can be imported again, or text."""
        own, e = self.own, self.own.exchange
        text = e.text if own.only_own else str(_(OTHERS)) if as_text else OTHERS
        if as_text:
            # A continuation line cannot be mistaken for another speaker's.
            text = "\n| ".join(text.splitlines())
            return f"[{receipts.one_line(own.session)}] {local(e.said_at, self.zone):%Y-%m-%d %H:%M} {receipts.one_line(e.speaker)}: {text}"
        return line(
            own.session,
            e.role,
            e.speaker,
            text,
            e.said_at,
            e.source_id,
            self.zone,
            echo=e.echo or not own.only_own,
            seen=self.seen,
        )


async def all_of(view: View) -> AsyncIterator[Exported]:
    """Yield every message at home, in stored order."""
    everything = (OwnMessage(session, message, only_own=True) async for session, message in view.messages.all())
    async for one in _with_views(view, everything):
        yield one


async def own_of(person: Person, memory: Memory, domains: DomainAccess) -> AsyncIterator[Exported]:
    """Yield everything that belongs to a person, under all of their accounts, place by place, each account's own first."""
    for account in await domains.accounts(person):
        home = await domains.view_of_account(account.platform, account.native_id)
        spoken = await memory.spoken_in(account)
        for view in (home, *(memory.view(domain) for domain in spoken if domain.key != home.home.key)):
            async for one in _with_views(view, view.own_words.said_by(account)):
                yield one


async def _with_views(view: View, messages: AsyncIterator[OwnMessage]) -> AsyncIterator[Exported]:
    """Yield messages of one home with what answers had in view, which is left out of an answer that is not whole."""
    export = await view.seen_records.export()
    async for some in _paged(messages):
        seen = await view.seen_records.read([one.exchange for one in some if one.only_own], export)
        for one in some:
            yield Exported(one, view.home.time_zone, seen.get(one.exchange.key))


async def _paged(messages: AsyncIterator[OwnMessage]) -> AsyncIterator[list[OwnMessage]]:
    some: list[OwnMessage] = []
    async for one in messages:
        some.append(one)
        if len(some) == PAGE:
            yield some
            some = []
    yield some


def fit_files(texts: Mapping[str, str], most: int) -> tuple[File, ...]:
    """Return texts as files of at most `most` bytes in total, compressed into one if necessary; () if that is not enough."""
    files = tuple(File(name, text.encode("utf-8", "replace")) for name, text in texts.items())
    if sum(len(one.data) for one in files) <= most:
        return files
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for one in files:
            archive.writestr(one.name, one.data)
    return (File(ZIPPED, packed.getvalue()),) if packed.tell() <= most else ()
