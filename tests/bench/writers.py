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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.journal.journal import Event, Part
from memory.store.postgresql.address import Address
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.kits.postgres import postgres

_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
"""A folder of the disk, also where temporary files are kept in memory."""
_TURNS = 240
_SAID = "the boat is green and lies at the lake, and we want to paint it in spring"
_ANSWER = "You told me that your boat is green, that it lies at the lake, and that you want to paint it in spring."
_WRITERS = (1, 4, 16)
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row) -> None:
    """Measure how many turns a second are written, by several writers beside by one, and on a server beside in a file."""
    with _stores() as stores:
        for processes in (False, True):
            how = "a process each" if processes else "one process"
            found = {
                name: {n: await _written(url, folder, n, processes=processes) for n in _WRITERS}
                for name, (url, folder) in stores.items()
            }
            for name, by in found.items():
                for n in _WRITERS[1:]:
                    row(f"turns written by {n} writers, {how}, {name}", by[n], "by one", by[1], "/s")
            row(f"turns written by 4 writers, {how}, PostgreSQL", found["PostgreSQL"][4], "SQLite", found["SQLite"][4], "/s")


@contextmanager
def _stores() -> Iterator[dict[str, tuple[str, Path]]]:
    with tempfile.TemporaryDirectory(dir=_DISK) as name, postgres(on=_DISK) as server:
        (Path(name) / "file").mkdir()
        (Path(name) / "server").mkdir()
        yield {
            "SQLite": ("", Path(name) / "file"),
            "PostgreSQL": (server.make("written").url, Path(name) / "server"),
        }


async def _written(url: str, folder: Path, writers: int, *, processes: bool) -> float:
    """Return how many turns a second these writers wrote together."""
    each, several = (1, writers) if processes else (writers, 1)
    turns = _TURNS // writers
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.bench.writers", url, str(folder / "lyra.db"), f"{os.urandom(4).hex()}", str(each), str(turns)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(several)
    ]  # fmt: skip
    for one in running:
        assert one.stdout and await asyncio.to_thread(one.stdout.readline) == b"ready\n"
    start = time.perf_counter()
    ended = await asyncio.gather(*(asyncio.to_thread(one.communicate, b"\n") for one in running))
    taken = time.perf_counter() - start
    assert all(one.returncode == 0 for one in running), ended
    closing: float = json.loads(ended[0][0])["closing"]
    return writers * turns / (taken - closing)


async def _write(memory: Memory, name: str, turns: int) -> None:
    """Write so many turns of one person."""
    domain = await memory.places.domain(DomainRef(DomainKind.DM, "bench", name), "UTC", 0)
    view = memory.view(domain)
    session = await view.sessions.get(SessionRef("bench", name), name)
    for n in range(turns):
        (event,) = await memory.journal.accept("bench", [Event(f"{name}/{n}", name, _SAID)], {name: str(n)})
        said = NewExchange(Kind.SAID, _SAID, f"{name}/m{n}", n, name)
        (asked,) = (await view.say(session, [said])).stored
        reply = NewExchange(Kind.REPLY, _ANSWER, f"{name}/r{n}", n, "Lyra", "assistant")
        answer = Answer(reply, [asked.key], [event.key], [Part(f"{name}/p{n}", _ANSWER)], [asked])
        replied = await view.answer(session, answer)
        assert replied and replied.first
        await memory.journal.sent(replied.first.row, f"{name}/o{n}")


async def _main(url: str, path: Path, name: str, writers: int, turns: int) -> None:
    memory = await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds()), address=Address(url) if url else None)
    await asyncio.gather(*(_write(memory, f"{name}-{n}-", 5) for n in range(writers)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(_write(memory, f"{name}-{n}", turns) for n in range(writers)))
    start = time.perf_counter()
    await memory.close()
    print(json.dumps({"closing": time.perf_counter() - start}))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])))
