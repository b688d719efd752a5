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
from memory.transfer.jsonl import line
from memory.view.own_words import OwnMessage
from memory.view.view import View

OTHERS = marked("[left out: others' words may be in it]")
JSONL, TEXT, ZIPPED = "lyra.jsonl", "lyra.txt", "lyra.zip"


@dataclass(frozen=True, slots=True)
class Exported:
    """A message, and the time zone in which its time is shown."""

    own: OwnMessage
    zone: str

    def line(self, *, as_text: bool) -> str:
        """Return it as one line: JSON that can be imported again, or text."""
        own, e = self.own, self.own.exchange
        text = e.text if own.whole else str(_(OTHERS)) if as_text else OTHERS
        if as_text:
            # A continuation line cannot be mistaken for another speaker's.
            text = "\n| ".join(text.splitlines())
            return f"[{receipts.one_line(own.session)}] {local(e.said_at, self.zone):%Y-%m-%d %H:%M} {receipts.one_line(e.speaker)}: {text}"
        return line(own.session, e.role, e.speaker, text, e.said_at, e.source_id, self.zone, echo=e.echo or not own.whole)


async def all_of(view: View) -> AsyncIterator[Exported]:
    """Yield every message at home, in stored order."""
    async for session, message in view.messages.all():
        yield Exported(OwnMessage(session, message, whole=True), view.home.time_zone)


async def own_of(person: Person, memory: Memory, domains: DomainAccess) -> AsyncIterator[Exported]:
    """Yield everything that belongs to a person, under all of their accounts, place by place, each account's own first."""
    for account in await domains.accounts(person):
        home = await domains.view_of_account(account.platform, account.native_id)
        spoken = await memory.spoken_in(account)
        for view in (home, *(memory.view(domain) for domain in spoken if domain.key != home.home.key)):
            async for own in view.own_words.said_by(account):
                yield Exported(own, view.home.time_zone)


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
