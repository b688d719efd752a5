"""The table of all commands. Every platform renders it in its own way; a command's code is beside its spec."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.command_table import AnswerAudience, Call, CommandSpec, Reply
from adapters.errors import CommandUnclear, PlaceGone
from adapters.events import MenuCall, Message
from adapters.markup import check_words, command_name, knows, parse_command
from bot.admission.allowance import Allowance
from bot.app import App
from bot.commands.answer_commands import FeedbackCommands, QuestionCommands
from bot.commands.command_calls import AnswerPages, CommandAnswers, GatedConfirmation, call_text, replied_to
from bot.commands.discretion_commands import NAME as INCOGNITO
from bot.commands.discretion_commands import ConfidenceCommands, IncognitoCommands, Once
from bot.commands.dream_commands import DreamCommands
from bot.commands.forget_commands import ForgetCommands
from bot.commands.general_commands import GeneralCommands, VerifyCommands, is_available
from bot.commands.knowledge_commands import BankCommands, KnowledgeCommands
from bot.commands.link_commands import LINK, UNLINK, LinkCommands
from bot.commands.recall_commands import RecallCommands
from bot.commands.settings_commands import ExportCommands, SettingsCommands
from bot.commands.summary_commands import SummaryCommands
from bot.conversation.one_turn import RunningAnswers
from bot.conversation.people import is_operator
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, configured
from bot.delivery.pending_sends import LOST
from bot.errors import BadInput, LyraError, PlaceUnknown, error_text
from bot.models.connect import Connector
from bot.reconciliation.reconciliation import Reconciliation
from bot.service.log import log
from localization.sentences import _
from localization.sentences import told as in_words
from memory.errors import MemoryFailure
from memory.journal.journal import InboxEvent

Ask = Callable[[Message], Awaitable[None]]


class Commands:
    """The command table, and the dispatch of a call."""

    def __init__(
        self, app: App, services: Services, adapters: Mapping[str, Adapter], reconciliation: Reconciliation, connector: Connector,
        once: Once, running_answers: RunningAnswers, allowance: Allowance,
    ) -> None:  # fmt: skip
        self._services = services
        self._adapters = dict(adapters)
        self.refused = 0
        """The number of calls that were invalid or failed."""
        self._owners = services.settings.owners
        pages = AnswerPages()
        self._answers = CommandAnswers(services, pages)
        common = services, self._adapters, pages
        self._recall_commands = RecallCommands(*common, reconciliation.verification)
        groups = (
            self._recall_commands,
            ForgetCommands(*common),
            SummaryCommands(*common, allowance),
            KnowledgeCommands(*common),
            ConfidenceCommands(*common),
            BankCommands(*common),
            DreamCommands(*common, app.dreams),
            SettingsCommands(*common, reconciliation.keep_requests),
            IncognitoCommands(*common, once),
            ExportCommands(*common),
            LinkCommands(*common),
            VerifyCommands(*common),
            QuestionCommands(*common, running_answers),
            FeedbackCommands(*common),
            GeneralCommands(*common, connector, app.embedder_choice, lambda: self.table, app.persona),
        )
        self.table = {spec.name: spec for group in groups for spec in group.specs()}

    def table_of(self, platform: str) -> Mapping[str, CommandSpec]:
        """Return the commands available on a platform, by name."""
        owners = is_operator(platform) or any(there == platform for there, _account in self._owners)
        adapter = self._adapters[platform]
        return {name: spec for name, spec in self.table.items() if is_available(spec, adapter, owner=owners)}

    def _is_owner(self, event: Message | MenuCall) -> bool:
        """Return whether the operator calls, with no other readers."""
        who = event.person
        return is_operator(who.platform) or (event.place.is_private and (who.platform, who.id) in self._owners)

    def is_command(self, event: Message | MenuCall, adapter: Adapter) -> bool:
        """Return whether an event is a command call for her, valid or not.

        In a shared place an unknown name is hers only if she is addressed: other bots listen to the same prefix. Bots call no
        commands. Where commands are chosen from a menu, one of hers that is said to her counts, too, and is never carried out.
        """
        if isinstance(event, MenuCall):
            return True
        name = self._typed(event, adapter)
        if name is None or event.machine:
            return False
        return event.place.is_private or event.addressed or (bool(adapter.prefix) and knows(self.table, name))

    def is_call(self, message: Message, adapter: Adapter) -> bool:
        """Return whether a message is a command call, hers or another bot's."""
        return command_name(message.text, adapter.prefix) is not None

    def takes_back(self, event: Message | MenuCall, adapter: Adapter) -> bool:
        """Return whether a valid command call withdraws what was said."""
        spec = self._spec_of(event, adapter)
        return spec is not None and spec.takes_back

    def is_open_to_all(self, event: Message | MenuCall, adapter: Adapter) -> bool:
        """Return whether a command is open even to those who may not use her: to see what is stored, and to withdraw it."""
        spec = self._spec_of(event, adapter)
        return spec is not None and (spec.takes_back or spec.name in ("privacy", "memory", "export", UNLINK))

    def goes_off_record(self, event: Message | MenuCall, adapter: Adapter) -> bool:
        """Return whether a command is always off the record itself, even if called wrongly."""
        return (event.command if isinstance(event, MenuCall) else self._typed(event, adapter)) in (INCOGNITO, LINK)

    def _typed(self, message: Message, adapter: Adapter) -> str | None:
        """Return the name of the command that a message calls; where they are chosen from a menu, of one of hers."""
        name = command_name(message.text, adapter.prefix or "/")
        return name if name is None or adapter.prefix or knows(self.table, name) else None

    def _spec_of(self, event: Message | MenuCall, adapter: Adapter) -> CommandSpec | None:
        try:
            return self._parse(event, adapter)[0]
        except (CommandUnclear, LyraError):
            return None

    async def run(self, heard: InboxEvent, event: Message | MenuCall, adapter: Adapter, ask: Ask) -> None:
        """Run a command and send its answer; errors are reported in one sentence.

        `ask` commits a message to be answered next.
        """
        aside, made_for = False, event.place
        try:
            spec, arguments = self._parse(event, adapter)
            log.info("command.run", platform=adapter.platform, command=spec.name)
            aside = isinstance(event, Message) and spec.answer is AnswerAudience.PRIVATE and not arguments.get("public")
            call = await self._call(event, adapter, arguments)
            made_for = call.place
            reply = await spec.handler(call)
            if reply.asks:
                await ask(reply.asks)
                if adapter.prefix or reply.asks.answers or (isinstance(event, MenuCall) and event.quiet):
                    # The answer itself shows that the call was heard.
                    await self._services.memory.journal.drop([heard.key])
                    return
        except PlaceGone:
            await self._services.memory.journal.drop([heard.key])
            return
        except (CommandUnclear, LyraError, MemoryFailure) as error:
            self.refused += 1
            reply = _failure(error, owner=self._is_owner(event))
            if reply.text != in_words(error):
                log.warning("command.failed", platform=adapter.platform, why=str(error))
        await self._answers.say(event, adapter, reply, [heard.key], aside=aside, made_for=made_for)

    async def suggest(self, asked: MenuCall, adapter: Adapter, parameter: str, typed: str) -> Sequence[str]:
        """Return completions for a parameter. Raises LyraError."""
        spec = self.table.get(asked.command)
        if spec is None or not any(one.name == parameter and one.suggests for one in spec.parameters):
            return ()
        return await self._recall_commands.suggest(await self._call(asked, adapter, asked.arguments), parameter, typed)

    async def refuse(self, asked: MenuCall) -> None:
        """Tell somebody that they may not use her."""
        text = _("You cannot use me here; whoever runs me decides who can. /privacy and /forget are yours all the same.")
        await self._answers.say(asked, self._adapters[asked.place.platform], Reply(text, NO_LINKS), [])

    async def cut_off(self, heard: InboxEvent, event: Message | MenuCall) -> None:
        """Report that a command, or an off-the-record answer, was interrupted by the last shutdown; it is not restarted."""
        adapter = self._adapters[event.place.platform]
        if event.off_record and isinstance(event, Message):
            await self._answers.say(event, adapter, Reply(str(LOST), NO_LINKS), [heard.key])
            return
        typed = event.command if isinstance(event, MenuCall) else self._typed(event, adapter)
        name = f"{'/' if isinstance(event, MenuCall) else adapter.prefix or '/'}{typed}"
        text = _("{name} was interrupted before it was done; say it again if you still want it.", name=name)
        await self._answers.say(event, adapter, Reply(text, NO_LINKS), [heard.key])

    async def apologize(self, event: Message | MenuCall, number: str, error: Exception) -> None:
        """Report a failure with its number in the log, never with anybody's text."""
        adapter = self._adapters[event.place.platform]
        unknown = (
            _("Something went wrong on my side; say it again if you want an answer. The log has it as {number}.", number=number)
            if event.off_record
            else _("Something went wrong on my side; your message is kept. The log has it as {number}.", number=number)
        )
        known = isinstance(error, MemoryFailure | LyraError)
        await self._answers.say(
            event, adapter, _failure(error, owner=self._is_owner(event)) if known else Reply(unknown, NO_LINKS), []
        )

    def _parse(self, event: Message | MenuCall, adapter: Adapter) -> tuple[CommandSpec, Mapping[str, str | int | bool]]:
        if isinstance(event, MenuCall):
            if event.command not in self.table:
                raise BadInput("There is no /{command} any more.", command=event.command)
            spec, arguments = self.table[event.command], event.arguments
        elif not adapter.prefix:
            raise CommandUnclear(
                "/{name} does nothing when it is said in a message: type / and choose it from the list that opens.",
                name=self._typed(event, adapter),
            )
        else:
            answering = event.quoted is not None if adapter.replies else None
            parsed = parse_command(event.text, adapter.prefix, self.table, answering=answering)
            assert parsed is not None
            spec, arguments = parsed
        check_words(spec, arguments, adapter.prefix or "/")
        if spec.who is AnswerAudience.OWNER and not self._is_owner(event):
            sign = adapter.prefix or "/"
            raise BadInput("{sign}{name} is for whoever runs me, at the terminal or in private.", sign=sign, name=spec.name)
        return spec, arguments

    async def _call(self, event: Message | MenuCall, adapter: Adapter, arguments: Mapping[str, str | int | bool]) -> Call:
        """Return the call with its place's current readers. Raises PlaceUnknown, PlaceGone."""
        place = await adapter.locate(event.place)
        if place is None:
            raise PlaceUnknown("Who can read this place is not known just now; try again in a moment.")
        owner = self._is_owner(event)
        surface = adapter.surface(event.id)
        if surface:
            surface = GatedConfirmation(surface, self._services.outgoing, adapter.platform, call_text(event), owner=owner)
        call = Call(
            event.person, place, arguments, surface, id=event.id, off_record=event.off_record, owner=owner and place.is_private
        )
        if isinstance(event, MenuCall):
            admin = event.admin or (event.quiet and not place.is_private and await adapter.administers(event.person, place))
            return replace(call, private=event.private, admin=admin, target=event.target, answers=event.answers)
        admin = not place.is_private and await adapter.administers(event.person, place)
        return replace(call, private=not arguments.get("public"), admin=admin, target=replied_to(event), message=event.id)


def _failure(error: Exception, *, owner: bool) -> Reply:
    text = error_text(error, owner=owner)
    return Reply(text, configured(text, owner=owner))
