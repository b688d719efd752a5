"""Who she is and how she is: help, status, a fresh conversation, her model."""

from collections.abc import Callable, Mapping, Sequence
from itertools import count

from adapters.base import Adapter
from adapters.command_table import AnswerAudience, Call, CommandSpec, Parameter, Reply
from adapters.markup import usage
from bot.commands import persona_text
from bot.commands.group import Group, plain
from bot.commands.ladder_text import driven
from bot.commands.pages import Pages
from bot.context.persona import Persona
from bot.conversation.services import Services
from bot.delivery.links import configured
from bot.dreams.reflections import NAME as REFLECTIONS
from bot.errors import BadInput
from bot.models.connect import Connector
from bot.models.embedders import EmbedderChoice
from bot.service import costs
from memory.text.quantities import ago, counted
from memory.types import MOST_NAME

Table = Callable[[], Mapping[str, CommandSpec]]


class Being(Group):
    """/help, /new, /model, /persona, /status."""

    def __init__(
        self,
        services: Services,
        adapters: dict[str, Adapter],
        pages: Pages,
        connector: Connector,
        meaning: EmbedderChoice,
        table: Table,
        persona: Persona,
    ) -> None:
        super().__init__(services, adapters, pages)
        self._connector = connector
        self._meaning = meaning
        self._table = table
        self._persona = persona

    def specs(self) -> Sequence[CommandSpec]:
        """Return the commands of this group."""
        name = Parameter("name", "the conversation's name", rest=True)
        server = Parameter(
            "name", "ollama, llamacpp, vllm, lmstudio, a URL, or: off, config (as configured), reload (read it again)"
        )
        words = Parameter("text", "who I am from now on, in a few sentences", rest=True)
        model = Parameter("model", "which of its models")
        return (
            CommandSpec("help", "what you can say here", self._help),
            CommandSpec("new", "begin a new conversation here", self._new, (name,), answer=AnswerAudience.HERE),
            CommandSpec(
                "model", "connect a language model, or see which", self._model, (server, model), who=AnswerAudience.OWNER
            ),
            CommandSpec(
                "persona", "who I am: see it, say it anew, or: reset", self._show_persona, (words,), who=AnswerAudience.OWNER
            ),
            CommandSpec("status", "how much is kept, and what serves", self._status),
        )

    async def _help(self, call: Call) -> Reply:
        adapter = self._adapters[call.place.platform]
        lines = [_listed(spec, adapter) for spec in self._table().values() if _offered(spec, adapter)]
        talk = "Just talk; I keep what you say." if call.place.is_private else "Mention me, or answer me, to talk."
        return plain(f"{talk} Besides:\n" + "\n".join(lines))

    async def _new(self, call: Call) -> Reply:
        if len(str(call.arguments.get("name", ""))) > MOST_NAME:
            raise BadInput(f"The name of a conversation has at most {MOST_NAME} characters.")
        view, _ = await self._here(call)
        taken = {session.name for session in await view.sessions.all()}
        numbered = (f"conversation {number}" for number in count(len(taken) + 1))
        name = str(call.arguments.get("name", "")) or next(name for name in numbered if name not in taken)
        if call.surface and call.surface.enter(await self._services.domains.thread(view, name)):
            return plain(f'We are in "{name}" now.' if name in taken else f'This is a new conversation: "{name}".')
        session = await self._services.domains.begin(view, call.place, name)
        return plain(f'This is a new conversation: "{session.name}".')

    async def _model(self, call: Call) -> Reply:
        text = await self._connector.command(call)
        return Reply(text, configured(text, owner=owned(call.place.platform)))

    async def _show_persona(self, call: Call) -> Reply:
        said = str(call.arguments.get("text", "")).strip()
        if not said:
            return plain(f"{self._persona.current()}\n\n{persona_text.where(self._persona)}")
        if said == "reset":
            return plain(persona_text.reset(self._persona))
        if call.surface is None or not await call.surface.confirm(persona_text.QUESTION):
            return plain("I stay who I am.")
        self._persona.write(said)
        return plain(persona_text.WRITTEN)

    async def _status(self, call: Call) -> Reply:
        view = await self._view(call)
        n, last = await view.messages.said()
        heard = f"{counted(n, 'message')} {'said here' if self._shared(call) else 'of yours'} kept"
        if last:
            heard += f", the last {ago(last, self._services.clock.now())}"
        adapter = self._adapters[call.place.platform]
        lines = [f"{heard}.", f"What drives me here: {driven((await view.self_state.now()).mind.drives)}."]
        where = call.place if self._shared(call) else call.person
        if await view.thoughts.waiting() and not await self._services.preferences.on(where, REFLECTIONS):
            lines.append(f"I had a thought here; {self._sign(call)}settings {REFLECTIONS} on lets me say such now and then.")
        owner = owned(adapter.platform)
        if owner:
            lines += await self._backlog()
        serves = [self._connector.describe(owner=owner), *([self._meaning.describe()] if owner else [])]
        text = "\n".join([*lines, *serves, *filter(None, [adapter.describe()])])
        return Reply(text, configured(text, owner=owner))

    async def _backlog(self) -> list[str]:
        """Return what is behind, over all domains: for who runs this machine alone."""
        backlog = await self._services.memory.backlog()
        parked = await self._services.memory.journal.parked()
        waiting = f"{backlog.unsummarized_total:,} not summarized yet, in {backlog.dirty} of {backlog.sessions} conversations."
        left = len(await self._services.memory.dreams.parked())
        models = self._services.settings.models
        today, month = [await costs.costs(self._services.memory, models, days) for days in (1, costs.MONTH)]
        return [
            waiting,
            *costs.in_words("Models, today", today),
            *costs.in_words("Models, these 30 days", month),
            *([f"{parked} given up after three tries."] if parked else []),
            *([f"{counted(left, 'place')} not dreamt of any more after three tries; /dream tries again."] if left else []),
        ]


def _offered(spec: CommandSpec, adapter: Adapter) -> bool:
    """Say whether people can call a command where it is listed: from a menu, by its name, or in answer to a message."""
    if spec.who is AnswerAudience.OWNER and not owned(adapter.platform):
        return False
    if spec.menu:
        return adapter.replies
    return not spec.hidden or bool(adapter.prefix)


def _listed(spec: CommandSpec, adapter: Adapter) -> str:
    called = f"{adapter.prefix or '/'}{spec.name}"
    if adapter.prefix and not spec.hidden:
        called = usage(spec, adapter.prefix).removeprefix("Usage: ")
    what = f"{spec.help}, said in answer to it" if spec.menu else spec.help
    return f"{called:<26} {what}" if owned(adapter.platform) else f"- `{called}` {what}"


def owned(platform: str) -> bool:
    """Say whether whoever speaks on a platform runs this machine: at its terminal, that is so."""
    return platform == "console"
