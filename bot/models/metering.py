"""What Lyra asks of a model without being asked: after everybody who talks with her, and within the budget of the day."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from bot.models.writer import ModelWriter, written
from localization.sentences import lazy
from memory.errors import BudgetSpent
from memory.journal.spending import CallLimits, Spending, Spent
from memory.ports import ChatModel, Entry, Task, Writer
from memory.text.budget import tokens
from memory.types import Domain


class Unasked(Writer, ChatModel, Protocol):
    """Who writes and thinks for a domain without being asked; `spent` is what it took so far."""

    @property
    def name(self) -> str: ...

    @property
    def spent(self) -> Spent: ...


class Metered:
    """A model that writes and thinks for one domain, as often as the day allows. `spent` is what it took so far.

    `before` is awaited before each call, and may raise to leave off.
    """

    extractive = False

    def __init__(
        self, writer: ModelWriter, domain: Domain, spending: Spending, limits: CallLimits, before: Callable[[], Awaitable[None]]
    ) -> None:
        self._writer = writer
        self._domain = domain
        self._spending = spending
        self._limits = limits
        self._before = before
        self.spent = Spent()

    @property
    def name(self) -> str:
        """What is kept with each digest."""
        return self._writer.name

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of a digest. Raises BudgetSpent, WriterFailed, WriterRefused."""
        return await written(self, task)

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises BudgetSpent, WriterFailed, WriterRefused."""
        await self._writer.require_room(system, user)
        await self._before()
        asked = Spent(1, tokens(system) + tokens(user))
        # Noted before it is asked: a call that a kill cuts off was a call.
        if not await self._spending.take(self._domain, asked, self._limits):
            raise BudgetSpent(lazy("The budget of the day is spent; the rest comes tomorrow."))
        self._add(asked)
        answer = await self._writer.answer(system, user)
        answered = Spent(0, tokens(answer))
        await self._spending.note(self._domain, answered)
        self._add(answered)
        return answer

    def _add(self, spent: Spent) -> None:
        self.spent = Spent(self.spent.calls + spent.calls, self.spent.tokens + spent.tokens)
