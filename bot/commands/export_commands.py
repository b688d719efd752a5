"""/export: everything that belongs to a person, sent to them as files."""

from dataclasses import dataclass, field

from adapters.command_table import Call, Reply
from bot.commands.group import Group, caller, command, plain
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from bot.rights.exporting import JSONL, TEXT, fit_files, own_of
from localization.sentences import _, lazy, ngettext
from memory.types import SECOND, Identity

_PAUSE = 60 * SECOND


@dataclass(frozen=True, slots=True)
class ExportCommands(Group):
    """/export."""

    _last: dict[Identity, int] = field(default_factory=dict)
    """When each account last got its own, in microseconds UTC."""

    @command("export", lazy("get everything that you told me, as files for you alone"))
    async def _export(self, call: Call) -> Reply:
        adapter, now = self._adapters[call.place.platform], self._services.clock.now()
        if not adapter.most_bytes:
            return plain(_('For files, use "lyra export" on the command line, or "Take it with you" on the page ("lyra web").'))
        who = caller(call)
        if 0 <= now - self._last.get(who, -_PAUSE) < _PAUSE:
            raise BadInput(lazy("You got that a moment ago; ask again in a minute."))
        self._last[who] = now
        items = [one async for one in own_of(call.person, self._services.memory, self._services.domains)]
        written = {name: "".join(f"{one.line(as_text=name == TEXT)}\n" for one in items) for name in (JSONL, TEXT)}
        files = fit_files(written, adapter.most_bytes)
        n = len(items)
        if not n:
            return plain(_("I keep nothing of yours."))
        if not files:
            raise BadInput(lazy("That is more than can be sent here; whoever runs me can give it to you: lyra export --own."))
        text = ngettext(
            "Here is your one message, with what I answered to you: a file to import again, and one to read.",
            "Here is all of yours, {n} messages with what I answered to you: a file to import again, and one to read.",
            n,
        )
        shows = frozenset(one.own.exchange.key for one in items if one.own.whole)
        return Reply(
            f"{text} {_('What others said is not in it. The files are not encrypted.')}", NO_LINKS, shows=shows, files=files
        )
