"""A digest writer that asks a model, also for reflections: unattended, after people, and within the daily budget."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.errors import ContextTooLong, ModelError, ModelFiltered, ModelGarbled
from bot.models.outage import ModelOutage
from bot.models.port import ChatMessage, Model, complete, size, writer_name
from bot.service.log import log
from localization.sentences import lazy
from memory.derive import entries, prompts
from memory.derive.wanted import require_wanted
from memory.errors import BudgetSpent, TooMuchToRead, WriterFailed, WriterRefused
from memory.journal.usage import CallLimits, Spending, Spent
from memory.ports import ChatModel, Entry, Task
from memory.text.budget import tokens
from memory.text.sanitize import clean
from memory.types import Domain


async def write_digest(chat_model: ChatModel, task: Task) -> list[Entry]:
    """Return the sentences of a digest written by a model. Raises what the call raises, and WriterRefused."""
    prompt = prompts.render(task)
    try:
        answer = await chat_model.answer(prompt.system, prompt.user)
    except TooMuchToRead as error:
        if error.room is not None:
            bare = prompts.render(replace(task, sources=()))
            around, whole = (size(_messages(one.system, one.user)) for one in (bare, prompt))
            error.share = (error.room - around) / max(1, whole - around)
        raise
    return entries.parse(answer, [source.label for source in task.sources])


def _messages(system: str, user: str) -> list[ChatMessage]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


class ModelWriter:
    """Writes digests through a model. It does not retry: the model did, and the caller keeps the task."""

    extractive = False

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = writer_name(model)

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of the digest, each with the labels it cites.

        Raises WriterFailed if the model did not answer; WriterRefused for an unusable answer, or for sources too long for the
        model, which a retry would not change.
        """
        return await write_digest(self, task)

    async def require_room(self, system: str, user: str) -> None:
        """Check that a prompt may fit. Raises TooMuchToRead if it is known not to, WriterFailed."""
        try:
            room = await self._model.room()
        except ModelError as error:
            raise WriterFailed(error.sentence) from error
        if room is not None and size(_messages(system, user)) > room:
            raise TooMuchToRead(lazy("The model {name} cannot take a prompt that long.", name=self._model.name), room)

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises WriterFailed, WriterRefused, SourceGone if its sources changed while it had to wait."""
        messages = _messages(system, user)
        await require_wanted()
        try:
            return clean(await complete(self._model, messages))
        except ContextTooLong as error:
            raise TooMuchToRead(error.sentence, error.room, sure=error.sure) from error
        except ModelGarbled as error:
            raise WriterRefused(lazy("nothing usable came of it"), asked=error.attempts) from error
        except ModelFiltered as error:
            # Not an outage: what comes after it may well be written.
            raise WriterRefused(error.sentence) from error
        except ModelError as error:
            raise WriterFailed(error.sentence) from error


class Metered:
    """A writer for one domain, within the daily limits. `spent` is its usage so far.

    `before` is awaited before each call, and may raise to stop. With a `pause`, a model that fails for long is not asked until that
    is due again.
    """

    extractive = False

    def __init__(
        self, writer: ModelWriter, domain: Domain, spending: Spending, limits: CallLimits, before: Callable[[], Awaitable[None]],
        pause: ModelOutage | None = None,
    ) -> None:  # fmt: skip
        self._writer = writer
        self._domain = domain
        self._spending = spending
        self._limits = limits
        self._before = before
        self._pause = pause
        self.spent = Spent()
        self.name = writer.name

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of a digest. Raises BudgetSpent, WriterFailed, WriterRefused."""
        return await write_digest(self, task)

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises BudgetSpent, WriterFailed, WriterRefused."""
        pause = self._pause
        if pause and pause.lasts and not pause.is_due and pause.last:
            raise WriterFailed(pause.last.sentence)
        await self._writer.require_room(system, user)
        await self._before()
        asked = Spent(1, tokens(system) + tokens(user))
        # Counted before the request: a call interrupted by a kill was a call.
        if not await self._spending.take(self._domain, asked, self._limits):
            raise BudgetSpent("The budget of the day is spent; the rest comes tomorrow.")
        self._add(asked)
        try:
            answer = await self._writer.answer(system, user)
        except WriterFailed as failure:
            if pause and isinstance(failure.__cause__, ModelError) and pause.failed(failure.__cause__):
                log.warning("writer.away", why=str(failure))
            raise
        if pause:
            pause.over()
        answered = Spent(0, tokens(answer))
        await self._spending.note(self._domain, answered)
        self._add(answered)
        return answer

    def _add(self, spent: Spent) -> None:
        self.spent = Spent(self.spent.calls + spent.calls, self.spent.tokens + spent.tokens)
