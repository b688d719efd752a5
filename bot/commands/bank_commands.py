"""The bank: a shared place's notes, which all its readers see. Admins turn it on and off, and everybody may opt out."""

from adapters.command_table import Call, Parameter, Reply
from adapters.events import Reach
from bot.commands.group import Group, caller, command, plain
from bot.commands.texts import bank_text, receipts
from bot.commands.texts.ladder_text import TAKES_A_MODEL
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.sentences import _, lazy
from memory.view.view import View

PRIVATE = lazy("There is no bank here: it is for places that several people read.")
_NO_ADMIN = lazy("Only those who run this place can turn its bank on or off.")
_EVERYONE = {Reach.PUBLIC: lazy("this server"), Reach.RESTRICTED: lazy("this channel"), Reach.ROOM: lazy("this room")}
_CHOICES = ("show", "on", "off", "leave", "join")


class BankCommands(Group):
    """/memory bank."""

    @command(
        "memory bank",
        lazy("the notes that everyone here shares"),
        Parameter(
            "choice",
            lazy("show it; on, off: for admins; leave, join: keep what you say out of it"),
            value=lazy("CHOICE"),
            choices=_CHOICES,
        ),
    )
    async def _bank(self, call: Call) -> Reply:
        if not self._shared(call):
            return plain(str(PRIVATE))
        view = await self._view(call)
        choice = str(call.arguments.get("choice", "show"))
        if choice in ("on", "off") and not call.admin:
            raise BadInput(_NO_ADMIN)
        match choice:
            case "on":
                return await self._on(call, view)
            case "off":
                return await self._off(call, view)
            case "leave" | "join":
                return await self._take_part(call, view, joins=choice == "join")
        return await self._show(call, view)

    async def _show(self, call: Call, view: View) -> Reply:
        since = (await view.bank.state()).since
        if since is None:
            return plain(
                _("The bank is off here; those who run this place turn it on with {sign}memory bank on.", sign=self._sign(call))
            )
        block = await view.bank.render(self._services.settings.memory_bank_max_tokens)
        if not block.text:
            why = TAKES_A_MODEL if self._services.models.writer.extractive else _("A conversation is noted once it is over.")
            return plain(_("The bank is on, and empty so far. {why}", why=why))
        on = _(
            "On since {since}; everyone who reads {everyone} sees this:",
            since=receipts.day(since, view.home.time_zone),
            everyone=_EVERYONE[call.place.reach],
        )
        return Reply(f"{on}\n{bank_text.render(block.shown)}", NO_LINKS, shows=frozenset(one.key for one in block.shown))

    async def _on(self, call: Call, view: View) -> Reply:
        if self._services.models.writer.extractive:
            raise BadInput(TAKES_A_MODEL)
        if not await view.bank.turn_on():
            return plain(_("The bank is on already."))
        sign, here, who = self._sign(call), _EVERYONE[call.place.reach], await self._name(call, view)
        await self._announce(
            call,
            lazy(
                "{who} turned the memory bank on. From now on I note each conversation that I keep here in a few lines, "
                "once it is over: its topic, facts, names, decisions and open questions. Everyone who can read {here} can "
                "see the notes with {sign}memory bank, and I have them in view whenever I answer here. {sign}memory bank "
                "leave keeps what you say out of them; {sign}forget takes out what rests on what you forget.",
                who=who,
                here=here,
                sign=sign,
            ),
        )
        self._services.maintenance.poke(view.home)
        return plain(_("The bank is on, and I said so here."))

    async def _off(self, call: Call, view: View) -> Reply:
        if not await view.bank.turn_off():
            return plain(_("The bank is off already."))
        who = await self._name(call, view)
        await self._announce(
            call, lazy("{who} turned the memory bank off, and I emptied it. The messages themselves stay.", who=who)
        )
        return plain(_("The bank is off and empty, and I said so here."))

    async def _take_part(self, call: Call, view: View, *, joins: bool) -> Reply:
        who = caller(call)
        sign = self._sign(call)
        if joins:
            await view.bank.opt_in(who)
            return plain(_("What you say here enters the bank again, if it is on. {sign}memory bank leave undoes it.", sign=sign))
        await view.bank.opt_out(who)
        return plain(
            _(
                "What you said here is out of the bank, and what you say stays out. {sign}memory bank join undoes it; "
                "{sign}forget forgets the messages themselves.",
                sign=sign,
            )
        )
