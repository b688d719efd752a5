"""Help, status, new conversations, the model, the persona, and emoji that verify keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

from adapters.base import Adapter
from adapters.command_table import AnswerAudience, Call, CommandSpec, Parameter, Reply
from adapters.display import line
from adapters.errors import PlatformFailure
from adapters.events import Place, conversation
from adapters.markup import form
from bot.commands.group import Group, command, off_record_here, plain
from bot.commands.texts.ladder_text import drive_levels
from bot.commands.texts.receipts import since
from bot.context.persona import Persona
from bot.conversation.people import is_operator
from bot.conversation.preferences import INCOGNITO
from bot.delivery.links import configured
from bot.dreams.reflection_posting import NAME as REFLECTIONS
from bot.errors import BadInput
from bot.models.connect import Connector
from bot.models.embedders import EmbedderChoice
from bot.service import costs
from localization.numerals import number
from localization.sentences import _, lazy, ngettext, told
from localization.yes_or_no import NO, YES
from memory.types import MOST_NAME

_COLUMN = 30
Table = Callable[[], Mapping[str, CommandSpec]]
VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class GeneralCommands(Group):
    """/help, /new, /model, /persona, /status."""

    _connector: Connector
    _embedder_choice: EmbedderChoice
    _table: Table
    _persona: Persona

    @command("help", lazy("what you can say here"))
    async def _help(self, call: Call) -> Reply:
        adapter = self._adapters[call.place.platform]
        lines = [_listed(spec, adapter) for spec in self._table().values() if _offered(spec, adapter, owner=call.owner)]
        talk = _("Just talk; I keep what you say.") if call.place.is_private else _("Mention me, or answer me, to talk.")
        if adapter.leaving:
            lines.append(_aligned(adapter.leaving, _("leave; what you said is kept")))
        return plain("\n".join([_("{talk} Besides:", talk=talk), *lines]))

    @command(
        "new",
        lazy("start a new conversation here"),
        Parameter("name", lazy("the conversation's name"), value=lazy("NAME"), rest=True),
        answer=AnswerAudience.HERE,
    )
    async def _new(self, call: Call) -> Reply:
        if len(str(call.arguments.get("name", ""))) > MOST_NAME:
            raise BadInput("The name of a conversation has at most {most} characters.", most=MOST_NAME)
        view, _session = await self._here(call)
        taken = {session.name for session in await view.sessions.all()}
        numbered = (_("conversation {number}", number=number) for number in count(len(taken) + 1))
        # Lists give each conversation a line, and a name that nobody sees is none.
        name = line(str(call.arguments.get("name", "")), MOST_NAME) or next(name for name in numbered if name not in taken)
        thread = await self._services.domains.thread_of(view, name)
        if call.surface and call.surface.enter(thread, name):
            entered = (
                _('We are in "{name}" now.', name=name)
                if name in taken
                else _('This is a new conversation: "{name}".', name=name)
            )
            place = conversation(call.place.platform, call.person.id, thread, name)
            return plain(f"{entered} {await self._kept_there(call, place, begun=name not in taken)}".rstrip())
        session = await self._services.domains.begin_session(view, call.place, "" if call.off_record else name)
        return plain(_('This is a new conversation: "{name}".', name=name if call.off_record else session.name))

    async def _kept_there(self, call: Call, there: Place, *, begun: bool) -> str:
        """Return what is to be said of whether another conversation is off the record; one begun off the record is so, too."""
        chosen = await self._services.preferences.read(call.place, there, call.person)
        if chosen.on(call.person, INCOGNITO):
            return ""
        left_off_record = chosen.on(call.place, INCOGNITO)
        if left_off_record and begun:
            await self._services.preferences.put(there, INCOGNITO, "on")
        if chosen.on(there, INCOGNITO) or (left_off_record and begun):
            return str(off_record_here(self._sign(call)))
        return _("Nothing here is off the record: I keep what is said to me.") if left_off_record else ""

    @command(
        "model",
        lazy("connect a language model, or see which"),
        Parameter(
            "name",
            lazy("ollama, llamacpp, vllm, lmstudio, a URL, or: off, config (as configured), reload (read it again)"),
            value=lazy("NAME"),
        ),
        Parameter("model", lazy("which of its models"), value=lazy("MODEL")),
        who=AnswerAudience.OWNER,
    )
    async def _model(self, call: Call) -> Reply:
        text = await self._connector.command(call, self._sign(call))
        return Reply(text, configured(text, owner=call.owner))

    @command(
        "persona",
        lazy("who I am: see it, change it, or: reset"),
        Parameter("text", lazy("who I am from now on, in a few sentences"), value=lazy("TEXT"), rest=True),
        who=AnswerAudience.OWNER,
    )
    async def _show_persona(self, call: Call) -> Reply:
        said, persona, sign = str(call.arguments.get("text", "")).strip(), self._persona, self._sign(call)
        if not said:
            where = (
                _(
                    "This is written in {path}; edit it there, or say {sign}persona and the new text.",
                    path=persona.path,
                    sign=sign,
                )
                if persona.is_own
                else _("This is the persona I came with; {sign}persona and a text of yours replaces it.", sign=sign)
            )
            return plain(f"{persona.current()}\n\n{where}")
        if said == "reset":
            return plain(_("I am again who I was at first.") if persona.reset() else _("I am who I was at first already."))
        if call.surface is None or not await call.surface.confirm(_("Shall I be this from now on, in the place of who I am?")):
            return plain(_("I stay who I am."))
        persona.write(said)
        text = _("That is who I am from my next answer on. {sign}persona shows it, {sign}persona reset undoes it.", sign=sign)
        return plain(text)

    @command("status", lazy("how much is kept, and which models I use"))
    async def _status(self, call: Call) -> Reply:
        view = await self._view(call)
        n, last = await view.messages.count_said()
        kept = (
            ngettext("{n} message said here kept", "{n} messages said here kept", n)
            if self._shared(call)
            else ngettext("{n} message of yours kept", "{n} messages of yours kept", n)
        )
        if last:
            kept = _("{kept}, the last {ago}", kept=kept, ago=since(last, self._services.clock.now()))
        adapter = self._adapters[call.place.platform]
        lines = [f"{kept}.", _("My drives here: {driven}.", driven=drive_levels((await view.self_state.now()).mind.drives))]
        where = call.place if self._shared(call) else call.person
        if await view.thoughts.waiting() and not await self._services.preferences.on(where, REFLECTIONS):
            lines.append(
                _(
                    "I had a thought here; {sign}settings {reflections} on lets me share one now and then.",
                    sign=self._sign(call),
                    reflections=REFLECTIONS,
                )
            )
        owner = call.owner
        if owner:
            lines += await self._backlog(self._sign(call))
        serves = [self._connector.describe(self._sign(call), owner=owner), *([self._embedder_choice.describe()] if owner else [])]
        text = "\n".join([*lines, *serves, *filter(None, [adapter.describe()])])
        return Reply(text, configured(text, owner=owner))

    async def _backlog(self, sign: str) -> list[str]:
        backlog = await self._services.memory.backlog()
        parked = await self._services.memory.journal.parked()
        waiting = ngettext(
            "{messages} not summarized yet, in {dirty} of {n} conversation.",
            "{messages} not summarized yet, in {dirty} of {n} conversations.",
            backlog.sessions,
            messages=ngettext("{n} message", "{n} messages", backlog.unsummarized_total),
            dirty=number(backlog.dirty),
        )
        left = len(await self._services.memory.dreams.parked())
        given_up = ngettext(
            "{n} place not dreamt of any more after three tries; {sign}dream tries again.",
            "{n} places not dreamt of any more after three tries; {sign}dream tries again.",
            left,
            sign=sign,
        )
        spent = await costs.usage_report(self._services.memory, self._services.models.backends)
        return [
            waiting,
            *(line for label, some in spent for line in costs.in_words(label, some)),
            *([_("{parked} given up after three tries.", parked=parked)] if parked else []),
            *([given_up] if left else []),
        ]


def is_available(spec: CommandSpec, adapter: Adapter, *, owner: bool) -> bool:
    """Return whether a platform can have a command at all, for the operator or for others."""
    # Where commands are typed, whoever wants a private answer asks in private.
    answers = not (spec.alone and adapter.prefix) and (adapter.verifies or not spec.verifies)
    return answers and (owner or spec.who is not AnswerAudience.OWNER)


def _offered(spec: CommandSpec, adapter: Adapter, *, owner: bool) -> bool:
    """Return whether somebody can call a command where it is listed: from a menu, by its name, or in answer to a message."""
    if not is_available(spec, adapter, owner=owner):
        return False
    return adapter.replies if spec.menu else spec.alone or not spec.hidden or bool(adapter.prefix)


def _listed(spec: CommandSpec, adapter: Adapter) -> str:
    called = f"{adapter.prefix or '/'}{spec.name}"
    if adapter.prefix and not spec.hidden:
        called = form(spec, adapter.prefix)
    what = _("{help}, said in answer to it", help=spec.help) if spec.menu else str(spec.help)
    return _aligned(called, what) if is_operator(adapter.platform) else f"- `{called}` {what}"


def _aligned(called: str, what: str) -> str:
    """Return a line of the terminal's help; a name too long for its column has the description below it."""
    return f"{called:<{_COLUMN}} {what}" if len(called) <= _COLUMN else f"{called}\n{'':<{_COLUMN}} {what}"


class VerifyCommands(Group):
    """/verify, on platforms with end-to-end encryption."""

    @command(
        VERIFY,
        lazy("compare emoji, so that your app and I know each other's keys"),
        Parameter(
            "answer", lazy("whether the emoji are the same; without it I ask your app for them"), choices=("yes", "no"), open=True
        ),
        verifies=True,
    )
    async def _verify(self, call: Call) -> Reply:
        adapter = self._adapters[call.place.platform]
        if not adapter.verifies:
            raise BadInput("Emoji are compared on Matrix alone, where people and their apps have keys.")
        self._require_private(call)
        answer = str(call.arguments.get("answer", "")).casefold()
        if answer and answer not in YES | NO:
            raise BadInput("Are the emoji the same? Say {sign}verify yes or {sign}verify no.", sign=self._sign(call))
        try:
            outcome = await adapter.verify(call.person, call.place, answer in YES if answer else None)
        except PlatformFailure as failed:
            raise BadInput(told(failed)) from None
        return plain(str(outcome))
