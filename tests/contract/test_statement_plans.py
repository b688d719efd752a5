"""What grows with everybody's messages is never gone through from end to end for one of them."""

import re
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest

from memory.store.lineage import bound, placeholders
from memory.store.sqlite.connecting import WRITER, connect
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.memory_kit import KEY
from tests.kits.statements import Source, Statement

GROWING = frozenset(
    """changes cites digests episodes exchanges inbox items lineage mentions outbox seen statements terms tombstones vectors""".split()
)
FEW = frozenset(
    "episodes_waiting exchanges_open outbox_open outbox_preview outbox_titles outbox_words inbox_open inbox_parked".split()
)
"""Indexes that hold no more than what is still to be done, or what somebody asked for."""
OUGHT = {
    ("memory.forget.retention", "digests"): "once an hour, where a retention is set",
    ("memory.forget.retention", "statements"): "once an hour, where a retention is set",
    ("memory.forget.retention", "exchanges"): "once an hour, where a retention is set",
    ("memory.forget.tombstones", "tombstones"): "when the log beside the file was lost",
    ("memory.index.vectors", "terms"): "counts what lacks a vector, when the operator asks for it",
    ("memory.journal.outbox", "outbox"): "renames places once, and takes posts away when somebody asks for it",
    ("memory.places.identities", "exchanges"): "only where an account's number changed, which none does",
    ("memory.places.named_conversations", "outbox"): "once, when places are sealed",
    ("memory.store.commit_marks", "exchanges"): "reads the last one, where a memory went back to an older state",
    ("memory.store.restoring", "exchanges"): "counts what a backup holds",
    ("memory.tiers.backlog", "digests"): "counts whole conversations",
    ("memory.tiers.backlog", "exchanges"): "reads the last one",
    ("memory.tiers.messages.known", "tombstones"): "reads one row",
}
_CALLED = re.compile(
    r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+(?:AS\s+)?(?!(?:WHERE|JOIN|ON|LEFT|CROSS|ORDER|GROUP|SET|UNION|LIMIT)\b)(\w+))?"
)


@cache
def statements() -> dict[str, Statement]:
    """Return each statement of memory once."""
    return {one.sql: one for one in Source().statements()}


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", None) as opened:
        yield opened


async def gone_through(file: SqliteDatabase, sql: str) -> set[str]:
    """Return the growing tables that a statement goes through from end to end."""
    tables = {alias or table: table for table, alias in _CALLED.findall(sql)}
    tables |= dict.fromkeys(re.findall(r"\) AS (\w+)", sql), "what another part of it found")
    unknown = dict.fromkeys(re.findall(r"(?<!:):(\w+)", sql))
    found: set[str] = set()
    for step in await file.all(f"EXPLAIN QUERY PLAN {sql}", unknown):
        # A search that uses nothing looks for the first or the last, row by row.
        scanned = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?|SEARCH (\w+)$", step["detail"])
        if scanned and scanned[2] not in FEW:
            name = str(scanned[1] or scanned[3])
            found.add(tables.get(name, name))
    return found & GROWING


async def test_no_statement_goes_through_what_everybody_said(file: SqliteDatabase) -> None:
    found = {
        (statement.module, table): sql
        for sql, statement in statements().items()
        for table in await gone_through(file, sql)
        if (statement.module, table) not in OUGHT
    }
    assert found == {}


async def test_what_covers_a_conversation_is_found_among_what_is_not_merged(file: SqliteDatabase) -> None:
    asked = [sql for sql in statements() if "d.session = :session AND d.merged = 0" in sql]
    assert len(asked) > 1
    for sql in asked:
        rows = await file.all(f"EXPLAIN QUERY PLAN {sql}", dict.fromkeys(re.findall(r":(\w+)", sql)))
        assert any("digests_frontier (session=? AND merged=? AND tier=?)" in row["detail"] for row in rows), sql


async def test_what_may_go_through_a_table_does(file: SqliteDatabase) -> None:
    found = {(one.module, table) for sql, one in statements().items() for table in await gone_through(file, sql)}
    assert set(OUGHT) <= found


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("SELECT id FROM items WHERE kind = 'notice'", "items"),
        ("SELECT o.id FROM outbox o WHERE o.id = :id AND o.item IN (SELECT id FROM items WHERE kind = 'notice')", "items"),
        ("DELETE FROM vectors WHERE domain = :domain AND item = :item", "vectors"),
        ("SELECT max(id) AS last FROM items WHERE kind = :kind", "items"),
        ("SELECT e.item FROM exchanges e WHERE e.domain = :domain", ""),
    ],
)
async def test_a_statement_that_goes_through_a_table_is_found(file: SqliteDatabase, sql: str, table: str) -> None:
    assert await gone_through(file, sql) == ({table} if table else set())


async def prepared(path: Path, *asked: tuple[str, Mapping[str, object]]) -> int:
    """Return how many of these questions, asked one after the other of an encrypted file, had to be prepared."""
    connection = await connect(path, KEY, WRITER)
    found, names = 0, 0

    def named(*_: object) -> int:
        nonlocal names
        names += 1
        return 0

    try:
        await connection.all("CREATE TABLE said (item INTEGER PRIMARY KEY, text TEXT)")
        await connection.step(lambda file: file.set_authorizer(named))
        for sql, parameters in asked:
            before = names
            await connection.all(sql, parameters)
            found += names > before
    finally:
        await connection.close()
    return found


async def test_a_question_is_prepared_once_however_many_it_asks_for(tmp_path: Path) -> None:
    latest = "SELECT text FROM said ORDER BY item DESC LIMIT :most"
    assert await prepared(tmp_path / "lyra.db", *((latest, {"most": most}) for most in (20, 20, 60))) == 1


async def test_a_question_about_a_few_more_items_is_prepared_once(tmp_path: Path) -> None:
    asked = [
        (f"SELECT text FROM said WHERE item IN ({placeholders('i', items)})", bound("i", items))
        for items in (range(9), range(16), range(11))
    ]
    assert await prepared(tmp_path / "lyra.db", *asked) == 1


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 400, 600])
def test_a_list_is_asked_for_whole_however_long_it_is(n: int) -> None:
    with closing(sqlite3.connect(":memory:")) as file:
        asked = f"SELECT value FROM json_each('[0, 1, 2, 3, 5, 8, 399, 400, 511]') WHERE value IN ({placeholders('i', range(n))})"
        found = [value for (value,) in file.execute(asked, {**bound("i", range(n))})]
    assert found == [value for value in (0, 1, 2, 3, 5, 8, 399, 400, 511) if value < n]
