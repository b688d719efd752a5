"""How long a large memory takes to move into a database and back, and what of the machine's memory: `python -m tests.bench.moving 1000000`.

A conversation of a hundred turns is kept as ever, and its rows are copied until there are as many turns as were asked for.
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

from bot.app import RandomIds
from memory.core import Memory, Ports
from memory.ports import Progress
from memory.store.postgresql import moving
from memory.store.sqlite.database import SqliteDatabase
from memory.text.time.times import SystemClock
from tests.bench.writers import write
from tests.kits.postgres import postgres

_KEY = bytes(range(32))
_DISK = Path("/var/tmp")
_TURNS, _AT_ONCE = 100, 200
_COPIED = {
    "items": {"id": "t.id + n.k * :items", "public_id": "t.public_id || '/' || n.k"},
    "exchanges": {"item": "t.item + n.k * :items", "source_id": "t.source_id || '/' || n.k"},
    "terms": {"item": "t.item + n.k * :items"},
    "lineage": {"child": "t.child + n.k * :items", "parent": "t.parent + n.k * :items"},
    "seen": {"reply": "t.reply + n.k * :items"},
    "changes": {"item": "t.item + n.k * :items", "seq": "t.seq + n.k * :changes"},
    "outbox": {"id": "t.id + n.k * :outbox", "item": "t.item + n.k * :items", "key": "t.key || '/' || n.k"},
}


async def build(path: Path, turns: int) -> None:
    """Make a memory of so many turns in a file."""
    async with await Memory.open(path, _KEY, Ports(SystemClock(), RandomIds())) as memory:
        await write(memory, "moved", _TURNS)
    async with await SqliteDatabase.open(path, _KEY) as file:
        last = await file.one(
            "SELECT (SELECT max(id) FROM items) AS items, (SELECT max(seq) FROM changes) AS changes, (SELECT max(id) FROM outbox) AS outbox"
        )
        assert last is not None
        steps = {name: last[name] for name in ("items", "changes", "outbox")}
        columns = {
            table: [row["name"] for row in await file.all(f"SELECT name FROM pragma_table_info('{table}')")] for table in _COPIED
        }
        for start in range(1, turns // _TURNS, _AT_ONCE):
            until = min(start + _AT_ONCE, turns // _TURNS) - 1
            async with file.transaction() as tx:
                for table, shifted in _COPIED.items():
                    names = ", ".join(columns[table])
                    values = ", ".join(shifted.get(column, f"t.{column}") for column in columns[table])
                    first = (
                        "id"
                        if table == "items"
                        else "item"
                        if "item" in columns[table]
                        else "reply"
                        if table == "seen"
                        else "child"
                    )
                    await tx.run(
                        "WITH RECURSIVE n (k) AS (SELECT :start UNION ALL SELECT k + 1 FROM n WHERE k < :until), "
                        f"t AS MATERIALIZED (SELECT * FROM {table} WHERE {first} <= :items) "
                        f"INSERT INTO {table} ({names}) SELECT {values} FROM n CROSS JOIN t",
                        {"start": start, "until": until, **steps},
                    )
        async with file.transaction() as tx:
            copies = turns // _TURNS
            await tx.run("UPDATE domains SET changes = :n", {"n": steps["changes"] * copies})
            await tx.run("UPDATE counters SET value = :n WHERE name = 'item'", {"n": steps["items"] * copies + 1})
        await file.checkpoint()


async def main(turns: int) -> None:
    """Build, move there and back, and say how long each took."""
    with tempfile.TemporaryDirectory(dir=_DISK) as name, postgres(on=_DISK, max_wal_size="4GB") as server:
        path, back = Path(name) / "home" / "lyra.db", Path(name) / "back" / "lyra.db"
        path.parent.mkdir()
        back.parent.mkdir()
        began = time.perf_counter()
        await build(path, turns)
        _say(f"{turns:,} turns made, {path.stat().st_size / 1e9:.2f} GB", began)
        address = server.bare("moved")
        began = time.perf_counter()
        async with moving.into(address, path, _KEY, _told()) as messages:
            _say(f"{messages:,} messages moved into the database", began)
        began = time.perf_counter()
        async with moving.out_of(address, back, _KEY, _told()) as messages:
            _say(f"{messages:,} messages moved back into a file", began)


def _told() -> Progress:
    last = [time.monotonic()]

    def tell(done: int, total: int) -> None:
        if time.monotonic() - last[0] > 30:
            last[0] = time.monotonic()
            print(f"  {done / max(total, 1):.0%}", flush=True)

    return tell


def _say(what: str, began: float) -> None:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what} in {time.perf_counter() - began:.0f} s, at most {most:.0f} MB of memory so far", flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
