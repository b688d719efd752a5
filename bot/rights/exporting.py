"""Everything that is somebody's own, to take with them: each message as a line, to import again or to read.

Of what they said in shared places only their words are in it, and the answers to them; an answer that may hold what others said
is left out, and that it was there is not.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from adapters.base import Adapter
from adapters.command_table import Call, CommandSpec, File, Reply
from adapters.events import Person
from bot.commands.group import Group, plain
from bot.commands.pages import Pages
from bot.commands.texts import receipts
from bot.conversation.domains import Domains
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.sentences import _, lazy, marked, ngettext
from memory.core import Memory
from memory.text.time.times import local
from memory.transfer.jsonl import line
from memory.types import SECOND, Identity
from memory.view.own_words import Own
from memory.view.view import View

OTHERS = marked("[left out: others' words may be in it]")
JSONL, TEXT, ZIPPED = "lyra.jsonl", "lyra.txt", "lyra.zip"
_PAUSE = 60 * SECOND


async def exported(view: View, *, as_text: bool) -> AsyncIterator[str]:
    """Yield every message at home as one line, in the order it was kept: JSON that imports again, or text."""
    async for session, message in view.messages.all():
        yield _line(Own(session, message, whole=True), view.home.time_zone, as_text=as_text)


@dataclass(frozen=True, slots=True)
class Exporting:
    """Collects what is a person's own, under all of their accounts."""

    memory: Memory
    domains: Domains

    async def lines(self, person: Person, *, as_text: bool) -> AsyncIterator[str]:
        """Yield every message of theirs as one line, place by place: JSON that imports again, or text."""
        for account in self.domains.accounts(person):
            for view in await self._views(account):
                async for own in view.own_words.of(account):
                    yield _line(own, view.home.time_zone, as_text=as_text)

    async def _views(self, account: Identity) -> Sequence[View]:
        """Return the memories of the places where an account said anything, its own first."""
        own = await self.domains.view_of(account.platform, account.native_id)
        spoken = await self.memory.spoken_in(account)
        return [own, *(self.memory.view(domain) for domain in spoken if domain.key != own.home.key)]


def _line(own: Own, zone: str, *, as_text: bool) -> str:
    e = own.exchange
    text = e.text if own.whole else str(_(OTHERS)) if as_text else OTHERS
    if as_text:
        return f"[{receipts.short(own.session)}] {local(e.said_at, zone):%Y-%m-%d %H:%M} {receipts.short(e.speaker)}: {text}"
    return line(own.session, e.role, e.speaker, text, e.said_at, e.source_id, zone, echo=e.echo or not own.whole)


class ExportCommands(Group):
    """/export."""

    def __init__(self, services: Services, adapters: dict[str, Adapter], pages: Pages) -> None:
        super().__init__(services, adapters, pages)
        self._last: dict[Identity, int] = {}

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group."""
        return (CommandSpec("export", lazy("take with you all that you told me, as files for you alone"), self._export),)

    async def _export(self, call: Call) -> Reply:
        adapter, now = self._adapters[call.place.platform], self._services.clock.now()
        if not adapter.most_bytes:
            return plain(
                _('Files come from "lyra export" at the command line, and from "Take it with you" of the page ("lyra web").')
            )
        who = Identity(call.person.platform, call.person.id)
        if now - self._last.get(who, -_PAUSE) < _PAUSE:
            raise BadInput(lazy("You got that a moment ago; ask again in a minute."))
        self._last[who] = now
        exporting = Exporting(self._services.memory, self._services.domains)
        written = {name: [one async for one in exporting.lines(call.person, as_text=name == TEXT)] for name in (JSONL, TEXT)}
        files = fitting({name: "".join(f"{one}\n" for one in lines) for name, lines in written.items()}, adapter.most_bytes)
        n = len(written[JSONL])
        if not n:
            return plain(_("I keep nothing of yours."))
        if not files:
            raise BadInput(lazy("That is more than can be sent here; whoever runs me can give it to you: lyra export --own."))
        told = ngettext(
            "Here is your one message, with what I answered to you: a file to import again, and one to read.",
            "Here is all of yours, {n} messages with what I answered to you: a file to import again, and one to read.",
            n,
        )
        return Reply(f"{told} {_('What others said is not in it. The files are not encrypted.')}", NO_LINKS, files=files)


def fitting(texts: Mapping[str, str], most: int) -> tuple[File, ...]:
    """Return texts as files of so many bytes together at most, packed into one where they need it; () where that is not enough."""
    files = tuple(File(name, text.encode("utf-8", "replace")) for name, text in texts.items())
    if sum(len(one.data) for one in files) <= most:
        return files
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for one in files:
            archive.writestr(one.name, one.data)
    return (File(ZIPPED, packed.getvalue()),) if packed.tell() <= most else ()
