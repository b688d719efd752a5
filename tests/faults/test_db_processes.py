"""Processes beside each other and processes that are killed: what was committed stays, what was not leaves no trace."""

import asyncio
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory.store.sqlite.database import SqliteDatabase
from tests.fakes.pulse import PATIENCE
from tests.kits import forked
from tests.kits.memory_kit import KEY, cornered
from tests.kits.size import TORTURE
from tests.unit.test_dream_schedule import dreamt, due, home

REPO = Path(__file__).resolve().parents[2]
HEAD = """
import asyncio, sys
from pathlib import Path
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.memory_kit import KEY, Ids, cornered, said

path, who = Path(sys.argv[1]), sys.argv[2]
"""
TALK = """
async def main():
    async with cornered(path, ids=Ids(who)) as here:
        for n in range(100):
            await here.view.say(here.session, [said(f"{who} says {n}", f"{who}{n}")])

asyncio.run(main())
"""
PAIRS = """
async def main():
    async with await SqliteDatabase.open(path, KEY) as db:
        print("ready", flush=True)
        n = int(who)
        while True:
            async with db.transaction() as tx:
                for half in "ab":
                    row = {"s": f"{n:09d}", "k": half, "v": half * 3000}
                    await tx.run("INSERT INTO settings (scope, key, value) VALUES (:s, :k, :v)", row)
            print(n, flush=True)
            n += 1

asyncio.run(main())
"""


def start(body: str, path: Path, who: str) -> forked.Piped:
    """Start a process that writes."""
    return forked.started(HEAD + body, path, who)


async def test_two_processes_and_this_one_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    async with cornered(tmp_path / "lyra.db") as here:
        others = [start(TALK, tmp_path / "lyra.db", who) for who in ("bo", "cy")]
        for n in range(50):
            await here.say(f"ada says {n}", source=f"ada{n}")
        for other in others:
            _, errors, code = await asyncio.to_thread(other.ended)
            assert code == 0, errors
        kept = [message.text async for _, message in here.view.messages.all()]
        assert sorted(kept) == sorted(
            [f"ada says {n}" for n in range(50)] + [f"{who} says {n}" for who in ("bo", "cy") for n in range(100)]
        )
        assert len(await here.found("says", k=500)) == 250
        await here.memory.db.verify()


async def pairs(path: Path) -> list[int]:
    """Open the file again; return the pairs in it, all of them whole."""
    async with await SqliteDatabase.open(path, KEY) as db:
        await db.verify()
        rows = await db.all("SELECT scope, count(*) AS n FROM settings GROUP BY scope ORDER BY scope")
        assert all(row["n"] == 2 for row in rows), "half a transaction is visible"
        return [int(row["scope"]) for row in rows]


def killed(path: Path, first: int, after: float) -> int:
    """Kill a writer -9 at some moment; return the last number it said was committed, or `first` - 1."""
    writer = start(PAIRS, path, str(first))
    assert writer.stdout.readline() == b"ready\n", writer.stderr.read()
    try:
        writer.wait(timeout=after)
    except subprocess.TimeoutExpired:
        writer.kill()
    printed, errors, code = writer.ended()
    assert code == -signal.SIGKILL, errors
    numbers = [int(line) for line in printed.splitlines(keepends=True) if line.endswith("\n")]
    return max(numbers, default=first - 1)


async def test_kill_9_in_the_middle_of_writing_loses_nothing_committed_and_leaves_nothing_half(tmp_path: Path) -> None:
    path = tmp_path / "lyra.db"
    chance = random.Random(9)
    first = kill = 0
    # Where the machine is so busy that a writer came to nothing before each of them, there is one more.
    while kill < (200 if TORTURE else 4) or not first:
        kill += 1
        committed = await asyncio.to_thread(killed, path, first, chance.uniform(0.005, 0.15))
        there = await pairs(path)
        assert there == list(range(len(there)))
        assert committed + 1 <= len(there) <= committed + 2, "one more may be committed that was not yet said to be"
        first = len(there)


@pytest.mark.parametrize("finished", [True, False], ids=["committed", "not committed"])
async def test_a_process_that_dies_around_its_commit(tmp_path: Path, finished: bool) -> None:
    body = f"""
async def main():
    async with await SqliteDatabase.open(path, KEY) as db:
        async with db.transaction() as tx:
            for half in "ab":
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('1', :k, '')", {{"k": half}})
            if not {finished}:
                print("ready", flush=True)
                await asyncio.Event().wait()
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""
    writer = start(body, tmp_path / "lyra.db", "ada")
    assert await asyncio.to_thread(writer.stdout.readline) == b"ready\n"
    writer.kill()
    await asyncio.to_thread(writer.ended)
    assert await pairs(tmp_path / "lyra.db") == ([1] if finished else [])


RANKED = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tests.kits.memory_kit import at_home

WORDS = "parrot tomato river garden running 1998 winter seven guitar violin".split()

async def main():
    async with at_home(Path(sys.argv[2]), None) as here:
        for n in range(40):
            await here.say(" ".join(WORDS[(n * k) % 10] for k in range(1, 2 + n % 7)))
        print([(hit.exchange.id, hit.score, hit.why) for hit in await here.view.recall.messages(" ".join(WORDS), 40)])

asyncio.run(main())
"""


def test_scores_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Words have another order in each: they are hashed by another seed."""
    words, folders = "print(hash('parrot'))\n" + RANKED, [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    command = [sys.executable, "-c", words, str(REPO), str(folders[0])]
    alone = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env={"PATH": ""}).stdout
    beside = forked.ran(words, str(REPO), str(folders[1]))
    (hashed, scores), (hashed_otherwise, others) = alone.splitlines(), beside.splitlines()
    assert hashed != hashed_otherwise and scores == others


DREAMER = """
import asyncio, sys
from pathlib import Path
from tests.kits.memory_kit import Clock, Ids, opened

async def main():
    async with opened(Path(sys.argv[1]), clock=Clock(int(sys.argv[2])), ids=Ids("killed")) as memory:
        (slot,) = await memory.dreams.due()
        assert await memory.dreams.claim(slot)
        print("dreams", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_what_a_killed_process_dreamt_is_taken_up_at_once_and_by_nobody_while_it_lives(tmp_path: Path) -> None:
    async with home(tmp_path) as here:
        process = forked.started(DREAMER, tmp_path / "lyra.db", here.clock.now())
        said = await asyncio.to_thread(process.stdout.readline)
        (slot,) = await here.memory.dreams.due()
        alone = await here.memory.dreams.claim(slot)
        process.kill()
        await asyncio.to_thread(process.ended)
        assert (said, alone) == (b"dreams\n", None)
        await dreamt(here)
        assert await due(here.memory) == []


LEFT_OPEN = """
async def main():
    return await SqliteDatabase.open(path, KEY)

left = asyncio.run(main())
print("Stopped.")
"""


def test_a_process_whose_closing_was_interrupted_ends_all_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HEAD + LEFT_OPEN, str(tmp_path / "lyra.db"), "twice Ctrl-C"]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout, done.returncode) == ("Stopped.\n", 0)
