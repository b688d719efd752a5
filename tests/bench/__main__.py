"""`make bench`: what Lyra costs, each figure beside a baseline measured in the same run, as a ratio.

The machine's noise moves both sides of a ratio; the absolute figures are for orientation only.
"""

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

from rich.console import Console as Rich
from rich.table import Table

from adapters.console import Console, Origin
from adapters.events import Person
from bot.app import RandomIds, opened, talking
from bot.llm import OpenAIModel
from bot.model import complete
from memory.core import Memory, Ports
from memory.times import SystemClock
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view import View
from tests.bench import context
from tests.fakes.openai_server import OpenAIServer

_WORDS = [f"{first}{second}" for first in "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu".split() for second in
          "ran ren rin ron run sam sem sim som sum tal tel til tol tul van ven vin von vun".split()]  # fmt: skip
_MILLISECONDS = 1_000


def _text(rng: random.Random, n: int = 12) -> str:
    return " ".join(_WORDS[min(len(_WORDS) - 1, int(rng.expovariate(0.02)))] for _ in range(n))


async def _timed(work: Callable[[], Awaitable[object]], times: int) -> float:
    """Return the median duration in milliseconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - start) * _MILLISECONDS)
    return median(taken)


async def _filled(folder: Path, turns: int) -> tuple[Memory, View, float]:
    """Return a memory with so many random messages in sessions of 50, and how many messages a second it took in."""
    clock = SystemClock()
    memory = await Memory.open(folder / "lyra.db", b"k" * 32, Ports(clock, RandomIds()))
    domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", "ada"), "UTC", clock.now())
    view = memory.view(domain)
    rng = random.Random(turns)
    texts = [_text(rng) for _ in range(turns)]
    start = time.perf_counter()
    for at in range(0, turns, 500):
        session = await view.session(SessionRef("console", f"s{at}"), f"s{at}")
        await view.say(
            session,
            [
                NewExchange(Kind.SAID, text, str(at + n), (at + n) * 60_000_000, "ada")
                for n, text in enumerate(texts[at : at + 500])
            ],
        )
    return memory, view, turns / (time.perf_counter() - start)


def _fts(folder: Path, turns: int) -> tuple[sqlite3.Connection, float]:
    """Return the same messages in a plain SQLite full-text table, and how many messages a second it took in."""
    rng = random.Random(turns)
    texts = [_text(rng) for _ in range(turns)]
    plain = sqlite3.connect(folder / "plain.db")
    plain.execute("PRAGMA journal_mode=WAL")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
    start = time.perf_counter()
    for at in range(0, turns, 500):
        with plain:
            plain.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts[at : at + 500]])
    return plain, turns / (time.perf_counter() - start)


async def _recall(table: Table, turns: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        memory, view, rate = await _filled(Path(name), turns)
        plain, plain_rate = _fts(Path(name), turns)
        rng = random.Random(7)
        questions = iter([_text(rng, 5) for _ in range(100)])
        await view.recall(next(questions), 10)
        ours = await _timed(lambda: view.recall(next(questions), 10), 15)

        async def fts() -> None:
            query = " OR ".join(next(questions).split())
            plain.execute("SELECT rowid, text FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10", (query,)).fetchall()

        theirs = await _timed(fts, 15)
        _row(table, f"recall of 10 among {turns:,}, words", ours, "SQLite FTS5, OR, bm25", theirs, "ms")
        _row(table, f"taking in {turns:,} messages", rate, "SQLite FTS5, plain", plain_rate, "/s")
        plain.close()
        await memory.close()


@contextmanager
def _home(base_url: str) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "lyra.toml").write_text(f'chat = "main"\n[models.main]\nbase_url = "{base_url}"\nmodel = "m"\n')
        os.environ["LYRA_HOME"] = name
        yield


class _Lines:
    """A screen that asks the same thing again and again."""

    prefix = ""
    refused = 0

    def __init__(self, n: int) -> None:
        self._left = n
        self.moments: list[float] = []

    async def read(self, prompt: str) -> str | None:
        self.moments.append(time.perf_counter())
        self._left -= 1
        return "what did I say about boats?" if self._left >= 0 else None

    def write(self, text: str, *, end: str = "\n") -> None:
        pass

    def note(self, text: str) -> None:
        pass


async def _turn(table: Table) -> None:
    async with OpenAIServer() as server:
        model = OpenAIModel("m", server.base_url, "m", None, 10.0, 64)
        bare = await _timed(lambda: complete(model, [{"role": "user", "content": "boats?"}]), 30)
        await model.close()
        with _home(server.base_url):
            async with opened() as app:
                lines = _Lines(30)
                console = Console(lines, Person("console", "ada", "ada"), "main", Origin(app.base.ids.new, app.base.clock.now))
                async with talking(app, {"console": console}) as talk:
                    await console.run(talk.listeners["console"])
        whole = median(b - a for a, b in zip(lines.moments, lines.moments[1:], strict=False)) * _MILLISECONDS
    _row(table, "a turn with an instant model", whole, "the model call alone", bare, "ms")


def _start(table: Table) -> None:
    with tempfile.TemporaryDirectory() as name:
        env = {**os.environ, "LYRA_HOME": name}

        def taken(command: list[str]) -> float:
            runs = []
            for _ in range(5):
                start = time.perf_counter()
                subprocess.run([sys.executable, *command], env=env, input=b"", capture_output=True, check=True)
                runs.append((time.perf_counter() - start) * _MILLISECONDS)
            return median(runs[1:])

        _row(table, "a start of lyra chat", taken(["-m", "bot", "chat"]), "python -c pass", taken(["-c", "pass"]), "ms")


def _row(table: Table, what: str, ours: float, beside: str, theirs: float, unit: str) -> None:
    table.add_row(what, f"{ours:,.2f} {unit}", beside, f"{theirs:,.2f} {unit}", f"{ours / theirs:.2f}")
    print(json.dumps({"what": what, "ours": ours, "baseline": theirs, "unit": unit}), file=sys.stderr)


async def main() -> None:
    """Measure, and print one table."""
    table = Table("what", "Lyra", "beside", "baseline", "ratio")
    _start(table)
    await _turn(table)
    await context.measure(partial(_row, table))
    for turns in (1_000, 10_000, 100_000):
        await _recall(table, turns)
    Rich(width=140).print(table)


asyncio.run(main())
