"""What is kept from others, and what is not kept at all: confidences, and messages, people or places off the record."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.base import Adapter
from adapters.command_table import Call, Parameter, Reply
from adapters.events import Message, Person, Place
from bot.admission.allowance import Allowance, Grant, too_much
from bot.commands.group import Group, caller, command, off_record_here, plain
from bot.commands.texts.receipts import message_line
from bot.conversation.answering.generation import Generation
from bot.conversation.answering.turn_validity import require_readers
from bot.conversation.discretion_notices import kept_from
from bot.conversation.intake import Intake
from bot.conversation.introduction import hosts
from bot.conversation.preferences import INCOGNITO, INCOGNITO_SERVER
from bot.conversation.services import Services
from bot.delivery.links import written_urls
from bot.errors import BadInput
from bot.service.priority import Priority
from localization.sentences import Sentence, _, lazy, ngettext
from memory.types import Discretion
from memory.view.confidence_view import ConfidedMessage
from memory.view.view import View

NAME, ONCE = "incognito", "once"
_HERE, _ME, _SERVER = "here", "me", "server"
_ALL = "all"
_NOBODY = frozenset({"nobody", "no one", "none", "niemand", "niemandem"})
_EVERYBODY = frozenset({"", "everyone", "everybody", "all", "alle", "allen", "jeder", "jedem"})
_AND = re.compile(r",|&|\band\b|\bor\b|\bund\b|\boder\b")
_MOST = 20


@dataclass(frozen=True, slots=True)
class Once:
    """/incognito once: answers one message off the record anywhere, for its sender alone, within the usual limits."""

    _services: Services
    _intake: Intake
    _generation: Generation
    _priority: Priority
    _allowance: Allowance

    async def answer(self, call: Call, text: str, adapter: Adapter) -> Reply:
        """Return the answer to a text, storing nothing. Raises ModelError, SourceGone, PlaceUnknown."""
        message = Message(call.id, call.place, call.person, text, self._services.clock.now())
        turn = await self._intake.once(message, adapter)
        grant, seconds = await self._allowance.take(call.person, call.place, turn.began_at, turn.chosen)
        if grant in (Grant.DECLINED, Grant.IGNORED):
            return plain(too_much(seconds, kept=False))
        with self._priority.running_turn():
            less = replace(turn, frugal=grant is not Grant.FULL, cheaper=grant is Grant.CHEAPER_MODEL)
            answer = await self._generation.answer(less, None)
        await require_readers(self._services.domains, turn)
        self._allowance.record(call.person, call.place, answer.tokens, turn.chosen)
        return Reply(answer.text, answer.links, conversation=True)


@dataclass(frozen=True, slots=True)
class IncognitoCommands(Group):
    """/incognito."""

    _once: Once

    @command(
        NAME,
        lazy("have me answer without keeping any of it"),
        Parameter(
            "what",
            lazy("on, off, or once for one message; without it you see what is off the record"),
            value=lazy("WHAT"),
            choices=("on", "off", ONCE),
        ),
        Parameter("of", lazy("with on and off: here, me or server; with once: the message"), value=lazy("OF"), rest=True),
    )
    async def _incognito(self, call: Call) -> Reply:
        what, of = str(call.arguments.get("what", "")), str(call.arguments.get("of", "")).strip()
        if what == ONCE:
            if not of:
                raise BadInput("Say what I shall answer: {sign}incognito once TEXT", sign=self._sign(call))
            return await self._once.answer(call, of, self._adapters[call.place.platform])
        if what:
            return await self._switch(call, (of or _HERE).casefold(), on=what == "on")
        standing = await self._standing(call)
        return plain("\n".join(map(str, standing)) or _("Nothing here is off the record: I keep what is said to me."))

    async def _switch(self, call: Call, of: str, *, on: bool) -> Reply:
        if of not in (_HERE, _ME, _SERVER):
            raise BadInput("Say {choices}, or nothing for here.", choices=f"{_HERE}, {_ME}, {_SERVER}")
        if of == _SERVER and not call.place.server:
            raise BadInput("This is in no server; {sign}incognito on is for this place alone.", sign=self._sign(call))
        if of != _ME and self._shared(call) and not call.admin:
            raise BadInput(
                "Only those who run this place can take it off the record; {sign}incognito on me does so for what you say.",
                sign=self._sign(call),
            )
        for where in await self._scope_of(call, of):
            await self._services.preferences.put(where, INCOGNITO_SERVER if of == _SERVER else INCOGNITO, "on" if on else "")
            if not on:
                self._services.off_record.end(where, server=of == _SERVER)
        if of != _ME and self._shared(call):
            await self._announce(call, _announced(call, of, self._sign(call), on=on))
        if on:
            return plain(self._begun(call, of))
        ended = _("From now on I keep what is said to me again. I have nothing of what was said off the record.")
        return plain("\n".join([ended, *map(str, await self._standing(call))]))

    async def _scope_of(self, call: Call, of: str) -> Sequence[Place | Person]:
        """Return what a switch applies to: a place, or a person under all of their accounts."""
        if of != _ME:
            return [call.place]
        accounts = await self._services.domains.accounts(call.person)
        return [Person(one.platform, one.native_id, call.person.name) for one in accounts]

    def _begun(self, call: Call, of: str) -> str:
        kept = {
            _HERE: _("Off the record from now on: I answer, but keep nothing that is said here, neither your words nor mine."),
            _ME: _(
                "Off the record from now on: I answer, but keep nothing that you say to me anywhere, nor what I answer to it."
            ),
            _SERVER: _("Off the record from now on: I answer, but keep nothing of what is said to me in this server."),
        }[of]
        model = self._services.models.goes_to
        goes = (
            _("To answer, words still go to {hosts}.", hosts=hosts(model)) if model else _("No model elsewhere gets any of it.")
        )
        command = f"{self._sign(call)}{NAME} off{'' if of == _HERE else f' {of}'}"
        ends = _("What I know already I still use. {command} ends it.", command=command)
        return f"{kept} {goes} {ends}"

    async def _standing(self, call: Call) -> list[Sentence]:
        chosen, sign = await self._services.preferences.read(call.place, call.person), self._sign(call)
        found: list[Sentence] = []
        if chosen.on(call.place, INCOGNITO):
            found.append(off_record_here(sign))
        if chosen.on(call.place, INCOGNITO_SERVER):
            found.append(lazy("This server is off the record; {sign}incognito off server ends it.", sign=sign))
        if chosen.on(call.person, INCOGNITO):
            found.append(lazy("What you say to me anywhere is off the record; {sign}incognito off me ends it.", sign=sign))
        return found


def _announced(call: Call, of: str, sign: str, *, on: bool) -> Sentence:
    name = call.person.name
    if not on:
        return lazy("{name} ended it: from now on I keep what is said to me here again.", name=name)
    if of == _SERVER:
        return lazy("{name} took this server off the record: I answer, but keep nothing of what is said to me here.", name=name)
    return lazy("{name} took this place off the record: I answer, but keep nothing of what is said to me here.", name=name)


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
            raise BadInput("Nobody but you reads what you tell me here. What you told me elsewhere you keep from others there.")
        view, teller = await self._view(call), caller(call)
        id, who = str(call.arguments.get("message", "")).strip(), str(call.arguments.get("who", "")).strip()
        if not id:
            return await self._list(view, await view.confidences.told_by(teller))
        ends = who.casefold() in _NOBODY
        if id.casefold() == _ALL:
            if not ends:
                raise BadInput(
                    '"{sign}confide all nobody" takes everything back; else name one message by its id.', sign=self._sign(call)
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
