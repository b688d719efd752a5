"""How long a prompt a backend can take: said by hand, asked of its server, or learnt from what it refused."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from bot.errors import ContextTooLong
from bot.models.endpoints.learnt import BackendFacts

CONTEXT, DENSITY = "context", "density"
"""Facts of a backend: its context in tokens, and how many tokens of its own one that is estimated turned out to be."""
FITS, MUTE = "fitting", "mute"
"""Facts of a backend whose refusals name no figure: how long a prompt may be, as far as they taught it, with the second in which
they did, and that one which gives no reason at all means the length."""
_LASTS = 86_400
"""Seconds after which what a failure taught is forgotten: it may have failed for something else."""
_SPARE = 0.9
_SHORT = 400
"""A prompt of so few tokens is refused for something else, or by a server that takes none at all."""
_MUCH_SHORTER = 8
_SHARE_OF_THE_ANSWER = 4

AskContext = Callable[[], Awaitable[int | None]]
"""Returns the context that a server says it has, 0 where it says none, None where it does not answer."""


class PromptRoom:
    """The room for prompts of one backend, in tokens by the count of memory.text.budget.

    `said` is its context by hand, 0 for none; `longest` the longest answer that is wanted of it. `ask` asks its server: every time
    she starts where `always`, since a server nearby may have been started anew with another context, else where nothing is known.
    """

    def __init__(self, said: int, longest: int, facts: BackendFacts, ask: AskContext | None, *, always: bool) -> None:
        self._said = said
        self._longest = longest
        self._facts = facts
        self._ask = None if said or (facts.get(CONTEXT) and not always) else ask
        self._asking = asyncio.Lock()
        self._guessed: int | None = None
        self._guessed_at = 0.0
        self._doubted: int | None = None
        self._mute = False
        self._clear = False

    @property
    def context(self) -> int | None:
        """How many tokens a prompt and its answer may have, as far as is known."""
        found = self._said or self._facts.get(CONTEXT)
        return found if isinstance(found, int) and found > 0 else None

    @property
    def learnt(self) -> bool:
        """Whether a refusal for no known reason is taken for one of the length: shorter prompts were accepted."""
        return self._facts.get(MUTE) is True

    @property
    def doubts(self) -> bool:
        """Whether the next prompt is to find out if a longer one failed for its length."""
        return self._doubted is not None

    @property
    def answer(self) -> int:
        """How many tokens an answer may have: not the whole of a small context."""
        return min(self._longest, self.context // _SHARE_OF_THE_ANSWER) if self.context else self._longest

    async def tokens(self) -> int | None:
        """Return how long a prompt should be, None where nobody knows."""
        known = await self.known()
        guesses = [self._guess, known, self._taught]
        return min((room for room in guesses if room is not None), default=None)

    async def known(self) -> int | None:
        """Return how long a prompt may be as far as that is certain: what is longer is refused."""
        async with self._asking:
            if self._ask is not None:
                found = await self._ask()
                if found is not None:
                    self._ask = None
                if found:
                    await self._facts.note(CONTEXT, found)
        return self._fits()

    async def refused(self, error: ContextTooLong, size: int, *, images: bool) -> int:
        """Learn from the refusal of a prompt of this size; return how long the next one may be, which is less."""
        if error.limit and not self._said:
            await self._facts.note(CONTEXT, error.limit)
            self._guess = None
        if error.asked and size and not images:
            await self._facts.note(DENSITY, max(self._density(), error.asked / size))
        room = self._fits()
        if room is None or room >= size:
            room = size // 2
            if not images:
                self._guess = room if size > _SHORT else None
        return room

    async def doubted(self, size: int, *, mute: bool = True) -> int | None:
        """Learn from the refusal, for no known reason, of a prompt of this size; return how long a shorter one is to be tried.

        `mute` says that it was refused, not that the server broke. None says that the length is not what is wrong with it: it is short, or a much shorter one was refused as well.
        """
        if size <= _SHORT or self._clear:
            return None
        if self.learnt:
            self._guess = size // 2
            return self._guess
        if self._doubted is not None and size <= self._doubted // 2:
            self._doubted, self._clear = None, True
            return None
        self._doubted, self._mute = size, mute
        return size // _MUCH_SHORTER

    async def accepted(self, size: int) -> None:
        """Learn from a prompt of this size that was not refused, and keep what it proved."""
        self._clear = False
        if self._doubted is not None and size <= self._doubted // 2:
            if self._mute:
                await self._facts.note(MUTE, True)
            # Between the two lies what fits: the next ones find out how much it is.
            self._guess = self._doubted // 2
        self._doubted = None
        if self._guess is not None and size > self._guess:
            self._guess = size
        if self._guess is not None:
            await self._facts.note(FITS, [self._guess, int(self._guessed_at)])

    @property
    def _taught(self) -> int | None:
        found = self._facts.get(FITS)
        match found:
            case [int(room), int(at)] if room > 0 and _is_fresh(at):
                return room
        return None

    @property
    def _guess(self) -> int | None:
        return self._guessed if _is_fresh(self._guessed_at) else None

    @_guess.setter
    def _guess(self, room: int | None) -> None:
        self._guessed, self._guessed_at = room, time.time()

    def _fits(self) -> int | None:
        return None if self.context is None else int((self.context - self.answer) * _SPARE / self._density())

    def _density(self) -> float:
        found = self._facts.get(DENSITY)
        return max(1.0, float(found)) if isinstance(found, int | float) else 1.0


def _is_fresh(at: float) -> bool:
    return 0 <= time.time() - at < _LASTS
