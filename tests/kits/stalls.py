"""How long the event loop stood still, and a conversation of messages that are long enough to make it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import cycle, islice

from adapters.console.console import Console, Origin
from adapters.events import Person
from bot.app import App
from bot.talk import talking

LONG = 30_000
_EVERY = 0.001


class Stalls:
    """Looks again and again whether it is its turn; `longest` is how many milliseconds it once was not."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.longest = 0.0

    async def look(self) -> None:
        """Look until cancelled."""
        while True:
            before = self._clock()
            await asyncio.sleep(_EVERY)
            self.longest = max(self.longest, 1_000 * (self._clock() - before))


@asynccontextmanager
async def stalls(clock: Callable[[], float] = time.perf_counter) -> AsyncIterator[Stalls]:
    """Measure how long the loop stands still, by a clock: `thread_time` leaves out what other processes take."""
    found = Stalls(clock)
    looking = asyncio.create_task(found.look())
    try:
        yield found
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


def long_message(number: int) -> str:
    """Return a message of 30,000 characters, full of what is looked for in texts: sentences, names, numbers, dates, links, code."""
    sentences = (
        f"On {number % 28 + 1} March 2026 Anna Miller paid 1,2{number:02} euros for thirty-two cats.",
        "Two weeks ago, at 9:30 pm, *Dr. Smith* called from `Vienna` about https://example.org/a_b?c=d.",
        "Next Friday the third of them goes to Ben's; das sind drei Katzen, 我们今天去了维也纳。",
    )
    return " ".join(islice(cycle(sentences), LONG // min(map(len, sentences)) + 1))[:LONG]


class Typed:
    """A screen on which lines are typed, and nobody reads."""

    prefix = ""
    refused = 0
    reads_ahead = False

    def __init__(self, lines: Sequence[str]) -> None:
        self._left = list(lines)

    async def read(self, question: str = "") -> str | None:
        """Return the next line, None after the last."""
        return self._left.pop(0) if self._left else None

    def set_commands(self, prefix: str, table: object) -> None:
        """Take no notice of how commands begin."""

    def show(self, text: str) -> None:
        """Show nothing."""

    def write(self, text: str) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""


async def say(app: App, lines: Sequence[str]) -> None:
    """Say lines at the terminal and wait for the answers."""
    console = Console(Typed(lines), Person("console", "ada", "ada"), "main", Origin(app.base.ids.new, app.base.clock.now))
    async with talking(app, {"console": console}) as talk:
        await console.run(talk.listeners["console"])


async def long_talk(app: App, messages: int) -> None:
    """Say so many long messages, have them summed up, and ask for them."""
    await say(app, [long_message(number) for number in range(messages)])
    await app.maintenance.tick()
    await say(app, [f"/recall {long_message(0)}", "/summarize", "/memory view", "what did Anna Miller pay?"])
