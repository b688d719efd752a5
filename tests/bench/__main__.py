"""`make bench`: what Lyra costs, each figure beside a baseline measured in the same run, as a ratio.

`python -m tests.bench evidence` measures only what is found and what the model is given, `python -m tests.bench languages` what is
found in other languages, `python -m tests.bench precision` whether nothing else is, `python -m tests.bench speed` how long the event loop stands still, how long hostile texts
take to read, and how fast vectors are made,
`python -m tests.bench writers` how many turns a second are written and how many whole ones answered, `python -m tests.bench scale` how long
recall takes as memory grows.

The machine's noise moves both sides of a ratio; the absolute figures are for orientation only.
"""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median

from rich.console import Console as Rich
from rich.table import Table

from adapters.console.console import Console, Origin
from adapters.events import Person
from bot.app import open_app
from bot.config.sections import Backend
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import complete
from bot.talk import talking
from tests.bench import (
    believing,
    context,
    evidence,
    guarding,
    languages,
    meaning,
    precision,
    scaling,
    sealing,
    stalls,
    texts,
    throng,
    together,
    writers,
)
from tests.bench.chart import draw
from tests.bench.crowd import Talk, crowd
from tests.bench.evidence import Score
from tests.kits.stalls import Typed

_MILLISECONDS = 1_000
_ANSWER = "You told me that your boat is green, that it lies at the lake, and that you want to paint it in spring."
_TURNS, _WARM = 100, 10
"""How many turns are measured, and after how many of them everything is loaded."""
RESULTS = Path(__file__).with_name("results.md")


async def _timed(work: Callable[[], Awaitable[object]], times: int) -> float:
    """Return the median duration in milliseconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - start) * _MILLISECONDS)
    return median(taken)


async def _taking_in(table: Table, turns: int = 100_000) -> None:
    """Measure how many messages a second are taken in, beside a plain full-text table of SQLite."""
    texts = Talk(turns).texts(turns)
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        memory, _ = await crowd(Path(name), 1, turns, None)
        ours = turns / (time.perf_counter() - start)
        await memory.close()
        plain = sqlite3.connect(Path(name) / "plain.db")
        plain.execute("PRAGMA journal_mode=WAL")
        plain.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter')")
        start = time.perf_counter()
        for at in range(0, turns, 500):
            with plain:
                plain.executemany("INSERT INTO t VALUES (?)", [(text,) for text in texts[at : at + 500]])
        theirs = turns / (time.perf_counter() - start)
        plain.close()
    _row(table, f"taking in {turns:,} messages, words only", ours, "SQLite FTS5, plain", theirs, "/s")


@contextmanager
def _home(base_url: str) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "lyra.toml").write_text(f'chat = "main"\n[models.main]\nbase_url = "{base_url}"\nmodel = "m"\n')
        os.environ["LYRA_HOME"] = name
        yield


class _Asked(Typed):
    """A screen that asks the same thing again and again."""

    def __init__(self, n: int) -> None:
        super().__init__(["what did I say about boats?"] * n)
        self.moments: list[float] = []
        self.worked: list[float] = []

    async def read(self, question: str = "") -> str | None:
        self.moments.append(time.perf_counter())
        self.worked.append(time.process_time())
        return await super().read(question)


async def _turn(table: Table) -> None:
    with tempfile.TemporaryDirectory() as name:
        arguments = ("--says", _ANSWER, "--port-file", str(Path(name) / "port"))
        async with stalls.beside("tests.fakes.openai_server", *arguments) as (port, _):
            await _turns(table, f"http://127.0.0.1:{port}/v1")


async def _turns(table: Table, base_url: str) -> None:
    backend = Backend(base_url=base_url, model="m", timeout=10.0, max_tokens=64, tools="off")
    model = OpenAIModel("m", backend, None, BackendFacts(), tries=1, waits=())
    began = time.process_time()
    bare = await _timed(lambda: complete(model, [{"role": "user", "content": "boats?"}]), _TURNS)
    worked = (time.process_time() - began) * _MILLISECONDS / _TURNS
    await model.close()
    with _home(base_url):
        async with open_app() as app:
            lines = _Asked(_TURNS)
            console = Console(lines, Person("console", "ada", "ada"), "main", Origin(app.base.ids.new, app.base.clock.now))
            async with talking(app, {"console": console}) as talk:
                await console.run(talk.listeners["console"])
    whole = median(later - earlier for earlier, later in pairwise(lines.moments)) * _MILLISECONDS
    later, earlier = lines.worked[-1], lines.worked[_WARM]
    work = (later - earlier) * _MILLISECONDS / (len(lines.worked) - 1 - _WARM)
    _row(table, "a turn with an instant model", whole, "the model call alone", bare, "ms")
    _row(table, "processor time a turn, gists and vectors included", work, "the model call alone", worked, "ms")


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
    """Measure, print the tables, and write them and the chart beside this file."""
    table = Table("what", "Lyra", "beside", "baseline", "ratio")
    row = partial(_row, table)
    _start(table)
    await _turn(table)
    await stalls.measure(row)
    texts.measure(row)
    await meaning.measure(row)
    await throng.measure(row)
    await writers.measure(row)
    await together.measure(row)
    await sealing.measure(row)
    await guarding.measure(row)
    await context.measure(row)
    await _taking_in(table)
    latencies = await scaling.one_domain(row)
    await scaling.many_domains(row)
    row("the ten nearest of 100,000, eight bits a number", scaling.agreement(), "exact float32", 1.0, "")
    scores = await evidence.measure(evidence.local_model())
    draw(latencies, scores)
    written = Rich(width=160, record=True)
    sentences = believing.written()
    written.print(table, *_found(scores), *([believing.shares(sentences)] if sentences else []))
    RESULTS.write_text(f"# What `make bench` measured last\n\n```text\n{written.export_text()}```\n")


async def find() -> None:
    """Measure what is found and what the model is given alone, and print the tables."""
    Rich(width=160).print(*_found(await evidence.measure(evidence.local_model())))


def _found(scores: Mapping[str, Score]) -> list[Table]:
    return [table for name, score in scores.items() for table in evidence.tables(name, score)]


async def speak() -> None:
    """Print only what is found in each language and across."""
    Rich(width=160).print(await languages.measure())


async def narrow() -> None:
    """Print only whether nothing but what was asked for is found, by words alone and with the local model."""
    for embedder in (None, evidence.local_model()):
        Rich(width=160).print(await precision.measure(precision.fixtures(), embedder))


async def quicken() -> None:
    """Print only how long the event loop stands still, how long hostile texts take, and how fast vectors are made."""
    table = Table("what", "Lyra", "beside", "baseline", "ratio")
    await stalls.measure(partial(_row, table))
    texts.measure(partial(_row, table))
    await meaning.measure(partial(_row, table))
    Rich(width=160).print(table)


async def write() -> None:
    """Print only how many turns a second are written."""
    table = Table("what", "Lyra", "beside", "baseline", "ratio")
    await writers.measure(partial(_row, table))
    await together.measure(partial(_row, table))
    await sealing.measure(partial(_row, table))
    await guarding.measure(partial(_row, table))
    Rich(width=160).print(table)


async def scale() -> None:
    """Print only how long recall takes as memory grows."""
    table = Table("what", "Lyra", "beside", "baseline", "ratio")
    row = partial(_row, table)
    await scaling.one_domain(row)
    await scaling.many_domains(row)
    row("the ten nearest of 100,000, eight bits a number", scaling.agreement(), "exact float32", 1.0, "")
    Rich(width=160).print(table)


_ONLY = {"evidence": find, "languages": speak, "precision": narrow, "speed": quicken, "writers": write, "scale": scale}
asyncio.run(_ONLY[sys.argv[1]]() if sys.argv[1:] else main())
