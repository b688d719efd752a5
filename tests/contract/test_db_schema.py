"""A memory made today and one that came up through every older version are the same, and lose no row on the way."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from aiosqlite.core import Connection

from memory.store.cancellation import uncancelled
from memory.store.database import Row
from memory.store.domains import last_change, log_change
from memory.store.schema import Migration, migrations
from memory.store.sqlite import connecting
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.migrating import migrate
from memory.types import Domain, DomainKind, DomainRef
from tests.kits.memory_kit import KEY
from tests.kits.size import TORTURE

STEPS = [*migrations()]
# What was released is not changed any more: the newest, some on the way, and all of them under LYRA_TORTURE=1.
WALKED = [n for n in range(len(STEPS) + 1) if TORTURE or n % 16 == 0 or n >= len(STEPS) - 1]
SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"


async def made_at(path: Path, steps: Sequence[Migration]) -> dict[str, int]:
    """Make a memory of an older version with a row in every table it has; return how many rows each holds."""
    writer = await connecting.connect(path, KEY, ())
    try:
        await migrate(writer, steps)
        await writer.execute_fetchall("PRAGMA foreign_keys=OFF")
        tables = list(await writer.execute_fetchall("SELECT name FROM sqlite_master WHERE type = 'table'"))
        held = {}
        for table in (row["name"] for row in tables):
            if table != "migrations":
                await _one_row(writer, table)
            ((n,),) = [tuple(row) for row in await writer.execute_fetchall(f"SELECT count(*) FROM {table}")]
            held[table] = n
        return held
    finally:
        await uncancelled(writer.close())


def as_named_now(held: Mapping[str, int]) -> dict[str, int]:
    """Return how many rows tables hold, by the names that they have now; of two tables one was made."""
    found: dict[str, int] = {}
    for table, n in held.items():
        name = {"rungs": "derivations", "rejections": "refusals", "stays": "active_sessions"}.get(table, table)
        found[name] = found.get(name, 0) + n
    return found


WORDS = {
    "kind": "said",
    "tier": "gist",
    "state": "new",
    "operation": "send",
    "closed_by": "count",
    "op": "add",
    "outcome": "done",
    "given_by": "asker",
}
KINDS = {"domains": "dm", "items": "exchange", "dreams": "night"}

STATES = {"outbox": "pending", "reflections": "kept"}


async def _one_row(writer: Connection, table: str) -> None:
    columns = list(await writer.execute_fetchall(f"SELECT name, type FROM pragma_table_info('{table}')"))
    values = {
        row["name"]: 1 if row["type"] == "INTEGER" else b"" if row["type"] == "BLOB" else WORDS.get(row["name"], "x")
        for row in columns
    }
    if table in STATES:
        values["state"] = STATES[table]
    if table == "statements":
        values["tier"] = "profile"
    if "kind" in values:
        values["kind"] = KINDS.get(table, values["kind"])
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    await writer.execute_fetchall(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
    await writer.commit()


async def schema(path: Path) -> list[tuple[object, ...]]:
    """Open a memory and return what it is made of."""
    async with await SqliteDatabase.open(path, KEY) as db:
        return [_plain(row) for row in await db.all(SCHEMA)]


def _plain(row: Row) -> tuple[object, ...]:
    return row["type"], row["name"], row["tbl_name"], row["sql"]


def test_the_steps_are_numbered_without_a_gap() -> None:
    assert [step.version for step in STEPS] == list(range(1, len(STEPS) + 1))


@pytest.mark.parametrize("version", WALKED)
async def test_a_memory_of_any_older_version_becomes_like_a_new_one_and_keeps_its_rows(tmp_path: Path, version: int) -> None:
    held = await made_at(tmp_path / "old.db", STEPS[:version])
    assert version == 0 or len(held) > 1
    assert await schema(tmp_path / "old.db") == await schema(tmp_path / "new.db")
    async with await SqliteDatabase.open(tmp_path / "old.db", KEY) as db:
        for table, n in as_named_now(held).items():
            # What messages are found by is made anew from them.
            if table not in ("migrations", "terms"):
                row = await db.one(f"SELECT count(*) AS n FROM {table}")
                assert row is not None and row["n"] == n, table


def renumbered(step: Migration, version: int) -> Migration:
    return Migration(version, f"{version:04}_{step.title}", step.text)


BRANCHES = {
    "steps between those that it had": [*STEPS[:10], STEPS[14]],
    "one step before its last": [*STEPS[:32], STEPS[33]],
    "a step that another now has the number of": [*STEPS[:18], renumbered(STEPS[19], 19)],
    "steps below one that was numbered lower since": [*STEPS[:15], renumbered(STEPS[16], 19)],
}
"""What memories were made by where branches of the sources met later, and lacked."""


@pytest.mark.parametrize("lacked", BRANCHES)
async def test_what_a_memory_lacks_that_a_branch_of_the_sources_made_is_made_up_for(tmp_path: Path, lacked: str) -> None:
    await made_at(tmp_path / "old.db", BRANCHES[lacked])
    assert await columns(tmp_path / "old.db") == await columns(tmp_path / "new.db")
    async with await SqliteDatabase.open(tmp_path / "old.db", KEY) as db:
        rows = await db.all("SELECT version, name FROM migrations ORDER BY version")
        assert [(row["version"], row["name"]) for row in rows] == [(step.version, step.name) for step in STEPS]
        await db.verify()


LATER = {
    "usage": "  tokens_out INTEGER NOT NULL,\n",
    "telling": "ALTER TABLE terms ADD COLUMN tells BLOB;\n",
    "asides": "CREATE INDEX asides_order ON asides (platform, place, said_at, item);\n",
}
"""What was added to a step, by its title, while it was being written."""


@pytest.mark.each
@pytest.mark.parametrize("upto", [26, len(STEPS)], ids=["older", "newest"])
@pytest.mark.parametrize("title", LATER)
async def test_what_a_memory_lacks_of_a_step_that_it_met_in_an_earlier_form_is_added(
    tmp_path: Path, upto: int, title: str
) -> None:
    steps = [Migration(s.version, s.name, s.text.replace(LATER[title], "")) if s.title == title else s for s in STEPS[:upto]]
    assert steps != STEPS[:upto]
    held = await made_at(tmp_path / "old.db", steps)
    for _ in range(2):
        assert await columns(tmp_path / "old.db") == await columns(tmp_path / "new.db")
    async with await SqliteDatabase.open(tmp_path / "old.db", KEY) as db:
        assert {row["name"][5:]: row["digest"] for row in await db.all("SELECT name, digest FROM migrations")} == {
            step.title: step.digest for step in STEPS
        }
        await db.verify()
        row = await db.one("SELECT count(*) AS n FROM exchanges")
        assert row and row["n"] == held["exchanges"]


@pytest.mark.parametrize("met", ["never", "before"])
async def test_a_column_that_an_earlier_form_of_a_step_named_otherwise_keeps_its_values(tmp_path: Path, met: str) -> None:
    renamed = ("  heard INTEGER NOT NULL", "  seen INTEGER NOT NULL")
    steps = [Migration(s.version, s.name, s.text.replace(*renamed)) if s.title == "dreams" else s for s in STEPS]
    assert steps != STEPS
    held = await made_at(tmp_path / "old.db", steps)
    if met == "before":
        # As versions left it that added the new name and kept the old one.
        writer = await connecting.connect(tmp_path / "old.db", KEY, ())
        await writer.execute_fetchall("ALTER TABLE dreams ADD COLUMN heard INTEGER NOT NULL DEFAULT 1")
        await uncancelled(writer.close())
    assert await columns(tmp_path / "old.db") == await columns(tmp_path / "new.db")
    async with await SqliteDatabase.open(tmp_path / "old.db", KEY) as db:
        assert [row["heard"] for row in await db.all("SELECT heard FROM dreams")] == [1] * held["dreams"]
        async with db.transaction() as tx:
            await tx.run(
                "INSERT INTO dreams (domain, kind, slot, at, ended_at, outcome, heard, rested, report) "
                "SELECT domain, 'asked', slot, at, ended_at, 'failed', 2, rested, report FROM dreams"
            )


async def columns(path: Path) -> list[tuple[str, str]]:
    """Open a memory and return its tables with their columns and its indexes, in the order of their names."""
    told = "SELECT m.name AS name, coalesce(c.name, '') AS part FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c ORDER BY 1, 2"
    async with await SqliteDatabase.open(path, KEY) as db:
        return [(row["name"], row["part"]) for row in await db.all(told)]


async def test_what_waited_to_be_sent_before_it_could_change_messages_waits_as_it_did(tmp_path: Path) -> None:
    columns = "id, domain, item, platform, place, part, key, operation, text, answers, state, remote_id, created_at, sent_at"
    writer = await connecting.connect(tmp_path / "lyra.db", KEY, connecting.WRITER)
    try:
        await migrate(writer, STEPS[:5])
        await writer.execute_fetchall(
            "INSERT INTO domains (id, kind, platform, native_id, time_zone, created_at) VALUES (7, 'dm', 'x', 'ada', 'UTC', 0)"
        )
        for at, state in enumerate(("pending", "attempting", "sent", "cancelled")):
            operation = "edit" if at else "send"
            await writer.execute_fetchall(
                f"INSERT INTO outbox ({columns}) VALUES "
                f"({2 * at + 1}, 7, {at or 'NULL'}, 'x', 'dm', {at}, 'k{at}', '{operation}', 'text {at}', 'q', '{state}', 'r{at}', 5, 6)"
            )
        before = [tuple(row) for row in await writer.execute_fetchall(f"SELECT {columns} FROM outbox ORDER BY id")]
        await migrate(writer)
        rows = list(await writer.execute_fetchall(f"SELECT {columns}, target, actions FROM outbox ORDER BY id"))
        assert [tuple(row) for row in rows] == [(*row, "", "") for row in before] and len(before) == 4
        for operation in ("preview", "delete"):
            await writer.execute_fetchall(
                "INSERT INTO outbox (domain, platform, place, part, key, operation, text, created_at) "
                f"VALUES (7, 'x', 'dm', 0, '{operation}', '{operation}', '', 0)"
            )
        with pytest.raises(Exception, match="CHECK"):
            await writer.execute_fetchall("UPDATE outbox SET operation = 'shout'")
    finally:
        await uncancelled(writer.close())
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        await db.verify()


async def test_every_step_is_recorded_once_with_its_digest(tmp_path: Path) -> None:
    for _ in range(3):
        async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
            rows = await db.all("SELECT version, name, digest FROM migrations ORDER BY version")
            assert [(row["version"], row["name"], row["digest"]) for row in rows] == [
                (step.version, step.name, step.digest) for step in STEPS
            ]


@pytest.mark.parametrize("version", WALKED[1:])
async def test_a_migration_that_breaks_off_is_undone_and_taken_up_again(tmp_path: Path, version: int) -> None:
    step = STEPS[version - 1]
    broken = Migration(step.version, step.name, step.text + "; SELECT * FROM nothing_of_that_name")
    writer = await connecting.connect(tmp_path / "lyra.db", KEY, ())
    try:
        with pytest.raises(Exception, match="nothing_of_that_name"):
            await migrate(writer, [*STEPS[: version - 1], broken])
        rows = list(await writer.execute_fetchall("SELECT coalesce(max(version), 0) AS v FROM migrations"))
        assert rows[0]["v"] == version - 1
    finally:
        await uncancelled(writer.close())
    assert await schema(tmp_path / "lyra.db") == await schema(tmp_path / "new.db")


async def test_changes_go_on_behind_those_that_were_numbered_for_all_domains_together(tmp_path: Path) -> None:
    writer = await connecting.connect(tmp_path / "lyra.db", KEY, ())
    try:
        await migrate(writer, STEPS[:17])
        for domain in (1, 2, 3):
            await writer.execute_fetchall(
                "INSERT INTO domains (id, kind, platform, native_id, time_zone, created_at) VALUES (:id, 'dm', 'x', :id, 'UTC', 0)",
                {"id": domain},
            )
        for seq, domain in ((3, 1), (4, 2), (7, 1)):
            await writer.execute_fetchall(
                "INSERT INTO changes (seq, domain, item, op) VALUES (:seq, :domain, 9, 'add')", {"seq": seq, "domain": domain}
            )
        await writer.commit()
    finally:
        await uncancelled(writer.close())
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        assert [await last_change(db, domain) for domain in (1, 2, 3)] == [7, 4, 0]
        async with db.transaction() as tx:
            for key in (2, 1, 3, 2):
                await log_change(tx, Domain(key, DomainRef(DomainKind.DM, "x", str(key)), "UTC"), [10], "drop")
        rows = await db.all("SELECT domain, seq, item FROM changes ORDER BY domain, seq")
        assert [tuple(row) for row in rows] == [(1, 3, 9), (1, 7, 9), (1, 8, 10), (2, 4, 9), (2, 5, 10), (2, 6, 10), (3, 1, 10)]
