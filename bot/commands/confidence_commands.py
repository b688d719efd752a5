"""Confidences: kept from others, listed, and revoked."""

import re
from collections.abc import Sequence

from adapters.command_table import Call, Parameter, Reply
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts.receipts import message_line
from bot.conversation.introduction import kept_from
from bot.delivery.links import written_urls
from bot.errors import BadInput
from localization.sentences import _, lazy, ngettext
from memory.types import Discretion
from memory.view.confidence_view import ConfidedMessage
from memory.view.view import View

_ALL = "all"
_NOBODY = frozenset({"nobody", "no one", "none", "niemand", "niemandem"})
_EVERYBODY = frozenset({"", "everyone", "everybody", "all", "alle", "allen", "jeder", "jedem"})
_AND = re.compile(r",|&|\band\b|\bor\b|\bund\b|\boder\b")
_MOST = 20


class ConfidenceCommands(Group):
    """/confide."""

    @command(
        "confide",
        lazy("keep what you told me here from somebody; see that, or take it back"),
        Parameter(
            "message",
            lazy("the id of a message of yours, as /recall shows it, or: all; without one you see them"),
            value=lazy("MESSAGE"),
        ),
        Parameter("who", lazy("from whom it is kept: names, or everyone; nobody takes it back"), value=lazy("WHO"), rest=True),
        takes_back=True,
    )
    async def _confide(self, call: Call) -> Reply:
        if not self._shared(call):
            raise BadInput(
                lazy("Nobody but you reads what you tell me here. What you told me elsewhere you keep from others there.")
            )
        view, teller = await self._view(call), caller(call)
        id, who = str(call.arguments.get("message", "")).strip(), str(call.arguments.get("who", "")).strip()
        if not id:
            return await self._list(view, await view.confidences.told_by(teller))
        ends = who.casefold() in _NOBODY
        if id.casefold() == _ALL:
            if not ends:
                raise BadInput(
                    lazy(
                        '"{sign}confide all nobody" takes everything back; else name one message by its id.',
                        sign=self._sign(call),
                    )
                )
            ended = await view.confidences.end_all(teller)
            return plain(
                ngettext("Taken back for {n} message.", "Taken back for {n} messages.", ended)
                if ended
                else _("You told me nothing here in confidence.")
            )
        names = () if ends or who.casefold() in _EVERYBODY else tuple(filter(None, map(str.strip, _AND.split(who))))
        confidence = await view.confidences.put(id, teller, Discretion(names, ends=ends))
        self._services.maintenance.poke(view.home)
        text = (
            _("Taken back: whoever reads this place may know it.")
            if ends
            else _("Understood: {kept}.", kept=kept_from([confidence]))
        )
        text = f"{text} {await self._services.outgoing.remove_thread_names()}".rstrip()
        return Reply(text, await written_urls([confidence.exchange]), shows=frozenset({confidence.exchange.key}))

    async def _list(self, view: View, told: Sequence[ConfidedMessage]) -> Reply:
        if not told:
            return plain(_("You told me nothing here in confidence."))
        now, zone, shown = self._services.clock.now(), view.home.time_zone, told[-_MOST:]
        ids = await view.ids.short([one.exchange.id for one in shown])
        lines = [f"{message_line(one.exchange, now, zone)}\n  {kept_from([one])} · id {ids[one.exchange.id]}" for one in shown]
        messages = [one.exchange for one in shown]
        return Reply("\n".join(lines), await written_urls(messages), shows=frozenset(message.key for message in messages))
