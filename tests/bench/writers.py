"""The writes of a turn alone (heard, kept, answered, sent), by writers of different domains side by side, on either store.

Both keep their files on the disk of the machine, whose every commit is waited for. `python -m tests.bench.writers` is one process of
writers.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Self

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.journal.journal import Event, Part
from memory.store.postgresql.database_server import DatabaseAddress
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.bench.distant import distant
from tests.kits.postgres import Postgres, postgres

_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
"""A folder of the disk, also where temporary files are kept in memory."""
_TURNS, _ROUNDS = 160, 3
SAID = "the boat is green and lies at the lake, and we want to paint it in spring"
_ANSWER = "You told me that your boat is green, that it lies at the lake, and that you want to paint it in spring."
_WRITERS = (1, 4, 16)
_ROUND_TRIP = 0.001
"""Seconds to a server on another machine and back, about what lies between two halls of one provider's region."""
_MILLISECONDS = 1_000
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row) -> None:
    """Measure how many turns a second are written, by several writers beside by one, in a file, on a server here and on one further away."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_DISK)))
        server = stack.enter_context(postgres(on=_DISK))
        near = server.make("written").url
        far = near.replace(str(server.folder), str(stack.enter_context(distant(server.folder, _ROUND_TRIP))))
        file = Store("SQLite", "", home / "file.db")
        servers = [Store("PostgreSQL", near, home / "near.db"), Store("PostgreSQL at a distance", far, home / "far.db")]
        ways = [Way(file, n, 1) for n in _WRITERS]
        ways += [Way(there, n, 1) for there in servers for n in _WRITERS]
        ways += [Way(there, 1, n) for there in servers for n in _WRITERS[1:]]
        # In turns: what else the machine does meets all of them.
        rounds = [{way: await _written(server, way) for way in ways} for _ in range(_ROUNDS)]
    found = {way: Written.middle([one[way] for one in rounds]) for way in ways}
    for way in ways:
        if not way.store.url:
            continue
        # So many a second are written where no processor ever waits.
        bound = (os.cpu_count() or 1) * _MILLISECONDS / (found[way].worked + found[way].beside)
        row(f"processor time of a turn, {way}, hers", found[way].worked, "the server's", found[way].beside, "ms")
        row(f"turns written, {way}", found[way].a_second, "as many as the processors could", bound, "/s")
    for way in ways:
        alone = file if way.writers == 1 else way.store
        row(f"turns written, {way}", found[way].a_second, f"by one, {alone.name}", found[Way(alone, 1, 1)].a_second, "/s")


@dataclass(frozen=True)
class Store:
    """Where turns are written: how that is called, a server by its URL, '' for none, and the path of a file."""

    name: str
    url: str
    path: Path


@dataclass(frozen=True)
class Way:
    """How turns are written: by so many processes with so many writers each."""

    store: Store
    each: int
    processes: int

    @property
    def writers(self) -> int:
        """How many write."""
        return self.each * self.processes

    def __str__(self) -> str:
        how = "" if self.writers == 1 else " in one process" if self.processes == 1 else " in processes of their own"
        return f"{self.writers}{how}, {self.store.name}"


@dataclass(frozen=True)
class Written:
    """How many turns a second were written, and the milliseconds for each that the writers' processes worked, and the server's beside."""

    a_second: float
    worked: float
    beside: float

    @classmethod
    def middle(cls, of: Sequence[Self]) -> Self:
        """Return the median of each."""
        return cls(median(one.a_second for one in of), median(one.worked for one in of), median(one.beside for one in of))


async def _written(server: Postgres, way: Way) -> Written:
    """Have all writers of a way write together."""
    turns = max(_TURNS // way.writers, 10)
    command = [sys.executable, "-m", "tests.bench.writers", way.store.url, str(way.store.path)]
    running = [
        subprocess.Popen(
            [*command, os.urandom(4).hex(), str(way.each), str(turns)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for _ in range(way.processes)
    ]
    for one in running:
        assert one.stdout and await asyncio.to_thread(one.stdout.readline) == b"ready\n"
    start, before = time.perf_counter(), _worked(server)
    ended = await asyncio.gather(*(asyncio.to_thread(one.communicate, b"\n") for one in running))
    assert all(one.returncode == 0 for one in running), "a writer failed"
    told = [json.loads(out) for out, _ in ended]
    n = way.writers * turns
    taken = max(one["over"] for one in told) - start
    worked = sum(one["worked"] for one in told)
    return Written(n / taken, _MILLISECONDS * worked / n, _MILLISECONDS * (_worked(server) - before) / n)


def _worked(server: Postgres) -> float:
    """Return for how many seconds the processes of a server have worked, those that ended included."""
    main = (server.folder / "data" / "postmaster.pid").read_text().split()[0]
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, told = stat.parent.name, stat.read_text().rpartition(")")[2].split()
            if main in (pid, told[1]):
                ticks += sum(map(int, told[11 : 15 if pid == main else 13]))
    return ticks / os.sysconf("SC_CLK_TCK")


async def write(memory: Memory, name: str, turns: int) -> None:
    """Write so many turns of one person."""
    domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", name), "UTC", 0)
    view = memory.view(domain)
    session = await view.sessions.get(SessionRef("bench", name), name)
    for n in range(turns):
        (event,) = await memory.journal.accept("bench", [Event(f"{name}/{n}", name, SAID)], {name: str(n)})
        said = NewExchange(Kind.SAID, SAID, f"{name}/m{n}", n, name)
        (asked,) = (await view.say(session, [said])).stored
        reply = NewExchange(Kind.REPLY, _ANSWER, f"{name}/r{n}", n, "Lyra", "assistant")
        answer = Answer(reply, [asked.key], [event.key], [Part(f"{name}/p{n}", _ANSWER)], [asked])
        replied = await view.answer(session, answer)
        assert replied and replied.first
        await memory.journal.sent(replied.first.row, f"{name}/o{n}")


async def _main(url: str, path: Path, name: str, writers: int, turns: int) -> None:
    memory = await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds()), address=DatabaseAddress(url) if url else None)
    await asyncio.gather(*(write(memory, f"{name}-{n}-", 5) for n in range(writers)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    began = time.process_time()
    await asyncio.gather(*(write(memory, f"{name}-{n}", turns) for n in range(writers)))
    # The clock is the machine's, and the same in every process of it.
    print(json.dumps({"over": time.perf_counter(), "worked": time.process_time() - began}), flush=True)
    await memory.close()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
