"""The one table of commands. Every platform renders it in its own way; what a command does is decided here."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from adapters.base import Adapter, Audience, Call, CommandSpec, Message, Parameter
from adapters.errors import CommandUnclear
from adapters.markup import parse_command, usage
from bot import receipts
from bot.connect import Connector
from bot.domains import Domains
from bot.errors import LyraError
from bot.models import Models
from bot.outgoing import Outgoing
from bot.receipts import counted
from bot.scheduler import Keeper
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.journal import Heard
from memory.ports import Clock
from memory.types import Session
from memory.view import View

PREFIX = "/"


@dataclass(frozen=True, slots=True)
class Household:
    """What commands work with."""

    memory: Memory
    domains: Domains
    models: Models
    keeper: Keeper
    outgoing: Outgoing
    connector: Connector
    clock: Clock


class Commands:
    """The table, and the running of one command."""

    def __init__(self, house: Household) -> None:
        self._h = house
        self.table = {spec.name: spec for spec in self._specs()}

    def is_command(self, message: Message) -> bool:
        """Say whether a message calls a command, rightly or wrongly."""
        return message.text.startswith(PREFIX) and message.text[1:2].isalpha()

    async def run(self, heard: Heard, message: Message, adapter: Adapter) -> None:
        """Run a command and send its answer; what is wrong with it is said in one sentence."""
        try:
            parsed = parse_command(message.text, PREFIX, self.table)
            assert parsed is not None
            spec, arguments = parsed
            text = await spec.handler(Call(message.person, message.place, arguments, adapter.surface(message.place.key)))
        except (CommandUnclear, LyraError, MemoryFailure) as error:
            text = str(error)
        await self._say(message, text, [heard.key])

    async def cut_off(self, heard: Heard, message: Message) -> None:
        """Say that a command was not finished before the last end, and finish it without running it again."""
        await self._say(
            message, f"{message.text.split()[0]} was cut off before it was done; say it again if you want it.", [heard.key]
        )

    async def apologize(self, message: Message, number: str, error: Exception) -> None:
        """Say that something failed, with the number under which the log has it, and never with anybody's words."""
        known = isinstance(error, MemoryFailure | LyraError)
        text = str(error) if known else f"Something went wrong on my side; your message is kept. The log has it as {number}."
        await self._say(message, text, [])

    async def _say(self, message: Message, text: str, finishes: Sequence[int]) -> None:
        view, session = await self._here(message)
        parts = self._h.outgoing.parts(text)
        await view.notify(session, parts, finishes)
        await self._h.outgoing.flush(message.place.platform, message.place.key, parts)

    async def _here(self, call: Call | Message) -> tuple[View, Session]:
        view = await self._h.domains.view(call.place, call.person)
        return view, await self._h.domains.session(view, call.place)

    def _specs(self) -> Sequence[CommandSpec]:
        text = Parameter("words", "what to look for", required=True, rest=True)
        name = Parameter("name", "the session's name", rest=True)
        item = Parameter("what", "the id of a message, or: session", required=True, rest=True)
        model = Parameter("name", "ollama, llamacpp, vllm, lmstudio, a URL, or: off")
        return (
            CommandSpec("help", "what you can say here", self._help, answer=Audience.HERE),
            CommandSpec("recall", "find what was said about something", self._recall, (text,)),
            CommandSpec("summarize", "the summary of this conversation, or of another", self._summarize, (name,)),
            CommandSpec("sessions", "your conversations, newest first", self._sessions),
            CommandSpec("new", "begin a new conversation", self._new, (name,), answer=Audience.HERE),
            CommandSpec("model", "connect a language model, or see which", self._model,
                        (model, Parameter("model", "which of its models")), who=Audience.OWNER),
            CommandSpec("memory", "what is kept: messages, gists, summaries", self._memory),
            CommandSpec("forget", "forget a message, or this whole conversation", self._forget, (item,)),
            CommandSpec("status", "how much is kept, and what serves", self._status),
        )  # fmt: skip

    async def _help(self, call: Call) -> str:
        lines = [f"{usage(spec, PREFIX).removeprefix('Usage: '):<26} {spec.help}" for spec in self.table.values()]
        return "Just talk; I keep what you say. Besides:\n" + "\n".join(lines)

    async def _recall(self, call: Call) -> str:
        view, _ = await self._here(call)
        words = str(call.arguments["words"])
        hits = await view.recall(words, 5)
        if not hits:
            return f'I found nothing about "{words}".'
        now, zone = self._h.clock.now(), view.home.time_zone
        return "\n".join(f"{at}. {receipts.hit(hit, now, zone)}" for at, hit in enumerate(hits, start=1))

    async def _summarize(self, call: Call) -> str:
        view, session = await self._here(call)
        if "name" in call.arguments:
            session = await view.named(str(call.arguments["name"]))
        digests = await self._h.keeper.summarize(view.home, session)
        if not digests:
            return "There is nothing to summarize here yet."
        return receipts.summary(digests, view.home.time_zone)

    async def _sessions(self, call: Call) -> str:
        view, here = await self._here(call)
        now = self._h.clock.now()
        lines = [
            f"{'*' if session.key == here.key else ' '} {session.name}: "
            f"{counted(session.messages, 'message')}, {receipts.ago(session.last_at, now)}"
            for session in await view.sessions()
        ]
        return "\n".join(lines)

    async def _new(self, call: Call) -> str:
        if call.surface is None:
            raise LyraError("A new conversation cannot be begun here.")
        view, _ = await self._here(call)
        taken = {session.name for session in await view.sessions()}
        numbered = (f"conversation {number}" for number in count(len(taken) + 1))
        name = str(call.arguments.get("name", "")) or next(name for name in numbered if name not in taken)
        call.surface.enter(await self._h.domains.thread(view, name))
        return f'We are in "{name}" now.' if name in taken else f'This is a new conversation: "{name}".'

    async def _model(self, call: Call) -> str:
        return await self._h.connector.command(call)

    async def _memory(self, call: Call) -> str:
        view, _ = await self._here(call)
        sessions = await view.sessions()
        digests = await view.digests()
        gists = sum(digest.tier == "gist" for _, digest in digests)
        n, _ = await view.said()
        lines = [f"I keep {counted(n, 'message')} of yours in {counted(len(sessions), 'conversation')}, "
                 f"and {counted(gists, 'gist')} of them. /forget removes what you name, for good."]  # fmt: skip
        lines += [f"\n{s.name}\n{receipts.summary([d], view.home.time_zone)}" for s, d in digests[-3:]]
        return "\n".join(lines)

    async def _forget(self, call: Call) -> str:
        view, session = await self._here(call)
        what = str(call.arguments["what"])
        if what.casefold() != "session":
            return receipts.forgotten(await view.forget_message(what))
        if call.surface is None or not await call.surface.confirm(
            f'Forget all {session.messages:,} messages of "{session.name}", for good? [y/N] '
        ):
            return "Nothing was forgotten."
        return receipts.forgotten(await view.forget_session(session))

    async def _status(self, call: Call) -> str:
        view, _ = await self._here(call)
        backlog = await self._h.memory.backlog()
        n, last = await view.said()
        heard = f"{counted(n, 'message')} of yours kept"
        if last:
            heard += f", the last {receipts.ago(last, self._h.clock.now())}"
        waiting = f"{backlog.unsummarized_total:,} not summarized yet, in {backlog.dirty} of {backlog.sessions} conversations"
        parked = await self._h.memory.journal.parked()
        return "\n".join(
            [
                f"{heard}.",
                f"{waiting}.",
                self._h.connector.describe(),
                *([f"{parked} given up after three tries."] if parked else []),
            ]
        )
