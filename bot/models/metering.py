"""Unattended model calls: after everybody who talks with her, and within the daily budget."""

from collections.abc import Awaitable, Callable

from bot.models.writer import ModelWriter, written
from localization.sentences import lazy
from memory.errors import BudgetSpent
from memory.journal.spending import CallLimits, Spending, Spent
from memory.ports import Entry, Task
from memory.text.budget import tokens
from memory.types import Domain


class Metered:
    """A writer for one domain, within the daily limits. `spent` is its usage so far.

    `before` is awaited before each call, and may raise to stop.
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
        """The writer's name stored with each digest."""
        return self._writer.name

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of a digest. Raises BudgetSpent, WriterFailed, WriterRefused."""
        return await written(self, task)

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt. Raises BudgetSpent, WriterFailed, WriterRefused."""
        await self._writer.require_room(system, user)
        await self._before()
        asked = Spent(1, tokens(system) + tokens(user))
        # Counted before the request: a call interrupted by a kill was a call.
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
