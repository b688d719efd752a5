"""How long recall takes as memory grows, beside the plain way and beside reading the vectors once."""

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.index.recall.meaning import Meaning
from memory.text.time.times import SystemClock
from memory.view.view import View
from tests.bench.crowd import DIMENSION, Directions, Talk, crowd, plain

SIZES = (1_000, 10_000, 100_000)
_MILLISECONDS = 1_000
_QUESTIONS = 40
_BY_TURNS = 5
Row = Callable[[str, float, str, float, str], None]


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds for the first ten of so many turns; `plain` is the plain way, encrypted at rest as hers."""

    turns: int
    lyra: float
    plain: float
    memory: float


async def one_domain(row: Row) -> list[Latency]:
    """Measure hybrid recall in one domain of each size; the question's own embedding is not counted."""
    found = []
    for turns in SIZES:
        with tempfile.TemporaryDirectory() as name:
            memory, (view,) = await crowd(Path(name), 1, turns, Directions())
            ours, theirs, bare = await _beside(view, Talk(7).texts(_QUESTIONS, 6), Path(name), turns)
            await memory.close()
        found.append(Latency(turns, ours, theirs, _read_once(turns)))
        row(f"first ten of {turns:,} turns, hybrid", ours, "encrypted too: all blobs, stack, cosine, sort", theirs, "ms")
        row(f"first ten of {turns:,} turns, hybrid", ours, "not encrypted: the same", bare, "ms")
    return found


async def many_domains(row: Row, domains: int = 1_000, turns: int = 1_000) -> None:
    """Measure opening, a cold and a warm domain among many."""
    with tempfile.TemporaryDirectory() as name:
        start = time.perf_counter()
        memory, _ = await crowd(Path(name), domains, turns, Directions())
        kept = time.perf_counter() - start
        await memory.close()
        clock = SystemClock()
        start = time.perf_counter()
        memory = await Memory.open(Path(name) / "lyra.db", b"k" * 32, Ports(clock, RandomIds(), Directions()))
        opening = (time.perf_counter() - start) * _MILLISECONDS
        views = [memory.view(domain) for domain in (await memory.places.domains())[:25]]
        questions = Talk(7).texts(_QUESTIONS, 6)
        await views[0].recall.messages(questions[0], 10)
        cold = median([await _once(partial(view.recall.messages, questions[0], 10)) for view in views[1:]])
        warm = median([await _asked(view, questions) for view in views[:5]])
        await memory.close()
    whole = f"{domains * turns:,} turns in {domains:,} domains"
    row(f"opening {whole}", opening, "keeping and embedding them", kept * _MILLISECONDS, "ms")
    row(f"a warm domain of {turns:,} of {whole}", warm, "the same, not in memory yet", cold, "ms")


def agreement(turns: int = 100_000, questions: int = 50) -> float:
    """Return the share of the ten nearest by exact float32 that are among the ten nearest by eight bits a number."""
    chance = np.random.default_rng(3)
    rows = chance.standard_normal((turns, DIMENSION), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    held = Meaning(DIMENSION)
    held.add(np.arange(turns), rows, np.zeros(turns, np.bool_))
    same = 0
    for _ in range(questions):
        near = rows[chance.integers(turns)] + 0.05 * chance.standard_normal(DIMENSION, np.float32)
        near /= np.linalg.norm(near)
        exact = np.argsort(-(rows @ near))[:10]
        same += len(set(exact) & set(np.argsort(-held.scan(near, turns).cosines)[:10]))
    return same / (10 * questions)


async def _asked(view: View, questions: Sequence[str]) -> float:
    await view.recall.messages(questions[0], 10)
    return median([await _once(partial(view.recall.messages, text, 10)) for text in questions])


async def _once(work: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await work()
    return (time.perf_counter() - start) * _MILLISECONDS


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * _MILLISECONDS


async def _beside(view: View, questions: Sequence[str], folder: Path, turns: int) -> tuple[float, float, float]:
    """Return how long recall takes, and the plain way in an encrypted file and in another, by turns: what else runs slows all."""
    ways = [plain(folder, turns, encrypted=encrypted) for encrypted in (True, False)]
    ours, theirs = [], [[_timed(way)] for way in ways]
    await _once(partial(view.recall.messages, questions[0], 10))
    for start in range(0, len(questions), _BY_TURNS):
        ours += [await _once(partial(view.recall.messages, text, 10)) for text in questions[start : start + _BY_TURNS]]
        for taken, way in zip(theirs, ways, strict=True):
            taken.append(_timed(way))
    encrypted, bare = (median(taken[1:]) for taken in theirs)
    return median(ours), encrypted, bare


def _read_once(turns: int) -> float:
    """Return what it takes to read so many vectors of eight bits a number from memory once."""
    # Zeros would be one page that is read again and again.
    held = np.ones((turns * DIMENSION) // 8, np.int64)
    return median(_timed(held.sum) for _ in range(9))
