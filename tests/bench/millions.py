"""How recall fares in a memory of millions of turns: `python -m tests.bench.millions 10000 1000` (domains, turns in each).

One domain is kept and embedded as ever, and its rows are copied until there are as many domains as were asked for: ten thousand of
a thousand turns take 29 GB of disk below /var/tmp and a quarter of an hour. What is measured then is measured in a process of its own,
with nothing of the file in the machine's memory.
"""

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.index.recall.domain_indexes import MOST_BYTES
from memory.text.time.times import SystemClock
from memory.types import Domain
from tests.bench.crowd import KEY, Directions, Talk, crowd, encrypted_file
from tests.bench.writers import write

_DISK = Path("/var/tmp")
_AT_ONCE = 100
_CACHE_KILOBYTES = 1_000_000
_MEASURED, _MANY = 25, 1_000
_QUESTIONS = 40
_WRITTEN = 9
_WORDS = 6
_MILLISECONDS, _MEGABYTE = 1_000, 1_000_000
_ID = "substr(t.public_id, 1, 20) || " + "replace(" * 4 + "printf('%06d', n.k)" + ", '0', 'x'), '1', 'y'), '8', 'v'), '9', 'w')"
"""A public id of its own: its letters and digits are those of base 32."""
_ITEM = {"item": "t.item + n.k * :items", "domain": "t.domain + n.k"}
_SESSION = {"session": "t.session + n.k * :sessions"}
_COPIED = {
    "domains": {"id": "t.id + n.k", "native_id": "'person ' || n.k"},
    "sessions": {"id": "t.id + n.k * :sessions", "public_id": _ID, "domain": "t.domain + n.k"},
    "items": {"id": "t.id + n.k * :items", "public_id": _ID, "domain": "t.domain + n.k"},
    "exchanges": {**_ITEM, **_SESSION, "source_id": "t.source_id || '/' || n.k"},
    "terms": {**_ITEM, **_SESSION},
    "vectors": _ITEM,
    "changes": _ITEM,
}
_FIRST = {"domains": "t.id = 1", "items": "t.id <= :items", "vectors": "t.space = 1 AND t.domain = 1"}
"""The rows of the first domain, found without going through the copies."""


async def build(folder: Path, domains: int, turns: int) -> None:
    """Make a memory of so many domains with the same turns each."""
    memory, _ = await crowd(folder, 1, turns, Directions())
    await memory.close()
    await asyncio.to_thread(_copy, folder / "lyra.db", domains)


def _copy(path: Path, domains: int) -> None:
    """Copy the rows of the one domain in a file until there are so many."""
    file = encrypted_file(path)
    # Nobody else reads it, and nothing of it is worth keeping if this breaks off.
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE", f"cache_size=-{_CACHE_KILOBYTES}"):
        file.execute(f"PRAGMA {pragma}").fetchall()
    items, sessions = file.execute("SELECT (SELECT max(id) FROM items), (SELECT max(id) FROM sessions)").fetchone()
    copying = [_copying(file, table) for table in _COPIED]
    for start in range(1, domains, _AT_ONCE):
        span = {"start": start, "until": min(start + _AT_ONCE, domains) - 1, "items": items, "sessions": sessions}
        for statement in copying:
            file.execute(statement, span)
        file.commit()
    file.execute("UPDATE counters SET value = :n WHERE name = 'item'", {"n": items * domains + 1})
    file.commit()
    file.close()


def _copying(file: sqlite3.Connection, table: str) -> str:
    """Return the statement that copies the first domain's rows of a table for the domains from :start to :until."""
    names = [row[0] for row in file.execute(f"SELECT name FROM pragma_table_info('{table}')")]
    values = ", ".join(_COPIED[table].get(name, f"t.{name}") for name in names)
    return (
        "WITH RECURSIVE n (k) AS (SELECT :start UNION ALL SELECT k + 1 FROM n WHERE k < :until) "
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM n CROSS JOIN {table} t "
        f"WHERE {_FIRST.get(table, 't.domain = 1')}"
    )


async def measure(folder: Path) -> None:
    """Open a memory, recall in some of its domains, cold and warm, then in a thousand, and print how long it took and what it holds."""
    _forget_pages(folder / "lyra.db")
    ports = Ports(SystemClock(), RandomIds(), Directions())
    began = time.perf_counter()
    memory = await Memory.open(folder / "lyra.db", KEY, ports)
    opening = (time.perf_counter() - began) * _MILLISECONDS
    bare = _resident()
    domains = await memory.places.domains()
    questions = Talk(1).texts(_QUESTIONS, _WORDS)
    print(f"opening: {opening:.0f} ms; {len(domains):,} domains, {bare:.0f} MB of memory", flush=True)
    some = domains[:: max(1, len(domains) // _MEASURED)][:_MEASURED]
    cold = [await _taken(partial(_asked, memory, domain, questions[0])) for domain in some]
    print(f"a domain the first time: {median(cold):.1f} ms, at most {max(cold):.1f} (of {len(some)})", flush=True)
    warm = [await _taken(partial(_asked, memory, domain, text), time.process_time) for domain in some[:5] for text in questions]
    print(
        f"a domain in memory: {median(warm):.2f} ms of processor, {sorted(warm)[len(warm) * 9 // 10]:.2f} of nine in ten",
        flush=True,
    )
    many = domains[:: max(1, len(domains) // _MANY)][:_MANY]
    each = [await _taken(partial(_asked, memory, domain, questions[1])) for domain in many]
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _MEGABYTE
    print(
        f"after {len(many):,} domains: {_resident():.0f} MB of memory, at most {most:.0f}, {bare:.0f} of it before the first; the bound "
        f"of what is loaded is {MOST_BYTES / _MEGABYTE:.0f} MB; {median(each):.1f} ms each",
        flush=True,
    )
    writing = [await _taken(partial(write, memory, f"millions {os.getpid()} {n}", 1)) for n in range(_WRITTEN)]
    print(f"the writes of a turn: {median(writing):.1f} ms, at most {max(writing):.1f} (of {len(writing)})", flush=True)
    view = memory.view(domains[0])
    (hit,) = await view.recall.messages(questions[2], 1)
    print(f"forgetting a message: {await _taken(partial(view.forget_message, hit.exchange.id)):.0f} ms", flush=True)
    await memory.close()


async def _asked(memory: Memory, domain: Domain, text: str) -> None:
    assert await memory.view(domain).recall.messages(text, 10)


async def _taken(work: Callable[[], Awaitable[object]], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how long it takes in milliseconds."""
    start = clock()
    await work()
    return (clock() - start) * _MILLISECONDS


def _resident() -> float:
    """Return how much of the machine's memory this process holds, in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / _MEGABYTE


def _forget_pages(path: Path) -> None:
    """Have the machine keep nothing of a file in its memory, so that what is read first is read from the disk."""
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


async def main(domains: int, turns: int) -> None:
    """Build, and measure in a process of its own."""
    with tempfile.TemporaryDirectory(dir=_DISK) as name:
        began = time.perf_counter()
        await build(Path(name), domains, turns)
        size = (Path(name) / "lyra.db").stat().st_size / 1e9
        print(
            f"{domains * turns:,} turns in {domains:,} domains made in {time.perf_counter() - began:.0f} s, {size:.2f} GB",
            flush=True,
        )
        await asyncio.to_thread(subprocess.run, [sys.executable, "-m", __spec__.name, name], check=True)


if __name__ == "__main__":
    asyncio.run(measure(Path(sys.argv[1])) if len(sys.argv) == 2 else main(int(sys.argv[1]), int(sys.argv[2])))
