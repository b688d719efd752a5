"""The server itself shows a transaction the rows of the domains that it is for, and no others, and takes no others."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from memory.core import Memory, Ports
from memory.errors import DatabaseRefused
from memory.forget import erase
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess
from memory.store.lineage import parents
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress, RowGuard, row_guard
from memory.store.postgresql.scope import UNGUARDED
from tests.kits.ladder_kit import gists
from tests.kits.memory_kit import KEY, BagOfWords, Clock, Corner, Ids, Writer, corner
from tests.kits.postgres import KEEPER, Postgres, postgres, unguarded
from tests.kits.sealed_kit import live

pytest_plugins = ["tests.kits.postgres_fixtures"]

_REPO = Path(__file__).parents[2]
_TABLES = "SELECT c.relname FROM pg_class c WHERE c.relnamespace = CAST('lyra' AS regnamespace) AND c.relkind IN ('r', 'p')"
_ITEM = "INSERT INTO items (id, domain, kind, public_id) VALUES (900001, {domain}, 'exchange', 'foreign')"
_WITHIN = "SELECT set_config('lyra.domains', '{{{key}}}', true), set_config('lyra.writes', '{{{key}}}', true)"


@pytest.fixture(scope="module")
def apart() -> Iterator[Postgres]:
    """A server that no other test uses: roles, and who owns a database, are the whole server's."""
    with postgres() as server:
        yield server


@asynccontextmanager
async def two(address: DatabaseAddress, folder: Path) -> AsyncIterator[tuple[Corner, Corner]]:
    """Open a memory on a server, for the block, in which two people said something."""
    clock = Clock()
    async with await Memory.open(folder / "lyra.db", KEY, Ports(clock, Ids(), BagOfWords()), address=address) as memory:
        ada, bob = await corner(memory, clock, "ada"), await corner(memory, clock, "bob")
        await ada.say("my boat is called Marlin")
        await bob.say("my bike is called Rocinante")
        yield ada, bob


def connected(url: str) -> psycopg.Connection[Any]:
    """Sign in, with nothing of hers between."""
    return psycopg.connect(url, options="-c search_path=lyra", autocommit=True)


def rows(url: str) -> dict[str, int]:
    """Return how many rows of each table whoever signs in so is shown."""
    with connected(url) as there:
        tables = [name for (name,) in there.execute(_TABLES.encode()).fetchall()]
        counted = {table: there.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in tables}
        return {table: found[0] for table, found in counted.items() if found}


def lift(address: DatabaseAddress) -> None:
    """Take the guard away, as nobody may but who owns the tables."""
    with connected(unguarded(address)) as there:
        for table in set(rows(unguarded(address))) - set(UNGUARDED):
            there.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY".encode())


def unforced(address: DatabaseAddress) -> list[str]:
    """Return the tables that have no policy of each kind, or on which it does not hold for whoever owns them."""
    kinds = "(SELECT count(DISTINCT p.polcmd) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd <> '*')"
    with connected(unguarded(address)) as there:
        found = there.execute(
            f"{_TABLES} AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND {kinds} = 4) ORDER BY 1".encode()
        )
        return [name for (name,) in found.fetchall()]


async def texts(db: DatabaseAccess) -> list[str]:
    """Return all messages that somebody said, as far as they are shown."""
    return sorted(row["text"] for row in await db.all("SELECT text FROM exchanges WHERE kind = 'said'"))


async def test_who_says_nothing_is_shown_no_row_of_anything(address: DatabaseAddress, tmp_path: Path) -> None:
    async with two(address, tmp_path) as (ada, _):
        await live(ada)
    shown, there = rows(address.url), rows(unguarded(address))
    assert {table for table, n in shown.items() if n} <= set(UNGUARDED)
    assert sum(n > 0 for table, n in there.items() if table not in UNGUARDED) > 25


async def test_without_the_guard_whoever_signs_in_is_shown_everything(address: DatabaseAddress, tmp_path: Path) -> None:
    async with two(address, tmp_path) as (ada, _):
        await live(ada)
    lift(address)
    assert rows(address.url) == rows(unguarded(address))


@pytest.mark.parametrize("guarded", [pytest.param(True, id="guarded"), pytest.param(False, id="unguarded")])
async def test_what_is_not_of_ones_domains_is_not_taken_nor_changed_nor_removed(
    address: DatabaseAddress, tmp_path: Path, guarded: bool
) -> None:
    async with two(address, tmp_path) as (ada, bob):
        mine, theirs = ada.domain.key, bob.domain.key
    if not guarded:
        lift(address)
    refused = []
    with connected(address.url) as there:
        for said, domain in (("SELECT 1", mine), (_WITHIN.format(key=mine), theirs), (_WITHIN.format(key=mine), mine)):
            try:
                with there.transaction(force_rollback=True):
                    there.execute(said.encode())
                    there.execute(_ITEM.format(domain=domain).encode())
            except psycopg.errors.InsufficientPrivilege:
                refused.append(domain)
        with there.transaction(force_rollback=True):
            there.execute(_WITHIN.format(key=mine).encode())
            gone = there.execute(f"DELETE FROM changes WHERE domain = {theirs}".encode()).rowcount
            changed = there.execute(f"UPDATE sessions SET last_at = 0 WHERE domain = {theirs}".encode()).rowcount
    assert (refused, gone > 0, changed > 0) == (([mine, theirs], False, False) if guarded else ([], True, True))


async def test_every_table_is_guarded_or_stands_in_the_list_of_those_that_need_not_be(address: DatabaseAddress) -> None:
    assert unforced(address) == sorted(UNGUARDED)
    with connected(unguarded(address)) as there:
        named = there.execute(
            "SELECT table_name FROM information_schema.columns WHERE column_name IN ('domain', 'item')"
        ).fetchall()
        assert {name for (name,) in named}.isdisjoint(UNGUARDED)
        there.execute("ALTER TABLE exchanges NO FORCE ROW LEVEL SECURITY; DROP POLICY lyra_1_select ON digests")
        there.execute(f"CREATE TABLE new (x INT); ALTER TABLE new OWNER TO {KEEPER}".encode())
    assert unforced(address) == sorted({*UNGUARDED, "digests", "exchanges", "new"})
    await (await PostgresDatabase.open(address, KEY)).close()
    assert unforced(address) == sorted(UNGUARDED)


async def test_a_view_is_shown_what_it_reads_whatever_it_asks(address: DatabaseAddress, tmp_path: Path) -> None:
    async with two(address, tmp_path) as (ada, bob):
        both = ada.memory.view(ada.domain, [bob.domain])
        assert await texts(ada.view._binding.db) == ["my boat is called Marlin"]
        assert await texts(both._binding.db) == ["my bike is called Rocinante", "my boat is called Marlin"]
        assert await texts(both._binding.db.within([bob.domain.key])) == ["my bike is called Rocinante"]
        assert await texts(ada.view._binding.db.within([bob.domain.key])) == []
        async with ada.view._binding.db.transaction(bounds=ada.view._binding.bounds) as tx:
            mine = await tx.all("SELECT domain FROM items")
            everywhere = await tx.everywhere.all("SELECT domain FROM items")
            assert await tx.all("SELECT domain FROM items") == mine or len(mine) < len(everywhere)
            assert {row["domain"] for row in mine} == {ada.domain.key}
            assert {row["domain"] for row in everywhere} == {ada.domain.key, bob.domain.key}


async def test_a_write_that_goes_elsewhere_is_refused_as_a_whole(address: DatabaseAddress, tmp_path: Path) -> None:
    async with two(address, tmp_path) as (ada, bob):
        both = ada.memory.view(ada.domain, [bob.domain])
        for said in (_ITEM.format(domain=bob.domain.key), f"UPDATE sessions SET last_at = 0 WHERE domain = {bob.domain.key}"):
            with pytest.raises(DatabaseRefused, match="nothing of it was kept"):
                async with both._binding.db.transaction(bounds=both._binding.bounds) as tx:
                    await tx.run("UPDATE sessions SET last_at = 7 WHERE domain = :home", {"home": ada.domain.key})
                    await tx.run(said)
        kept = await ada.memory.db.all("SELECT last_at FROM sessions WHERE last_at IN (0, 7)")
        assert kept == []
        with pytest.raises(DatabaseRefused):
            async with ada.memory.db.transaction(bounds=Bounds.of(ada.domain.key)) as tx:
                await tx.run(_ITEM.format(domain=bob.domain.key))


async def test_a_reply_elsewhere_rests_on_the_messages_of_a_gist_that_is_written_anew(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with two(address, tmp_path) as (ada, bob):
        said = await bob.say("and my boat is called Marlin as well")
        await gists(bob, Writer())
        (gist,) = [digest for _, digest in await bob.view.digests.all()]
        reader = replace(ada, view=ada.memory.view(ada.domain, [bob.domain]))
        reply = await reader.reply("both of you have one", [gist.key], echo=True)
        async with bob.view._binding.db.transaction(bounds=bob.view._binding.bounds) as tx:
            await erase.retire(tx, bob.domain, [gist.key], 0)
        rests = await parents(ada.memory.db, reply.key)
        assert said.key in rests and gist.key not in rests


async def test_nothing_of_one_statement_is_left_for_the_next_on_the_same_connection(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with two(address, tmp_path) as (ada, bob):
        db = ada.memory.db
        assert isinstance(db, PostgresDatabase)
        for within in ([ada.domain.key], [bob.domain.key], [], [ada.domain.key]) * 3:
            assert len(await texts(db.within(within))) == len(within)
        connection = await db._pool.getconn()
        try:
            left = await (await connection.execute("SELECT count(*) AS n FROM exchanges")).fetchone()
            assert left is not None and left["n"] == 0
        finally:
            await db._pool.putconn(connection)


async def test_a_memory_from_before_the_guard_is_guarded_when_it_is_opened(address: DatabaseAddress, tmp_path: Path) -> None:
    async with two(address, tmp_path):
        pass
    lift(address)
    with connected(unguarded(address)) as there:
        there.execute("DELETE FROM migrations WHERE name = 'guarded'")
    async with await Memory.open(tmp_path / "lyra.db", KEY, Ports(Clock(), Ids(), BagOfWords()), address=address) as memory:
        assert len(await texts(memory.db)) == 2
        assert len(await texts(memory.db.within([1]))) == 1
    assert unforced(address) == sorted(UNGUARDED) and not rows(address.url)["exchanges"]


async def test_who_may_not_act_for_the_owner_is_told_who_has_to(apart: Postgres) -> None:
    name = "strange"
    address = apart.make(name)
    await (await PostgresDatabase.open(address, KEY)).close()
    apart.ask("CREATE ROLE stranger LOGIN")
    try:
        apart.ask("GRANT USAGE ON SCHEMA lyra TO stranger; GRANT ALL ON ALL TABLES IN SCHEMA lyra TO stranger", name)
        apart.ask("GRANT ALL ON ALL SEQUENCES IN SCHEMA lyra TO stranger", name)
        theirs = DatabaseAddress(address.url.replace("lyra@", "stranger@"))
        async with await PostgresDatabase.open(theirs, KEY) as db:
            assert await row_guard(db) is RowGuard.FORCED
        lift(address)
        with pytest.raises(DatabaseRefused, match=f"belong to {KEEPER}"):
            await PostgresDatabase.open(theirs, KEY)
    finally:
        apart.ask("DROP OWNED BY stranger", name)
        apart.ask("DROP ROLE stranger")


async def test_it_is_said_who_is_not_held_to_it(apart: Postgres) -> None:
    name = "owned"
    address = apart.make(name)
    async with await PostgresDatabase.open(address, KEY) as db:
        assert await row_guard(db) is RowGuard.FORCED
    async with await PostgresDatabase.open(DatabaseAddress(unguarded(address)), KEY) as db:
        assert await row_guard(db) is RowGuard.PASSED
    apart.ask("CREATE ROLE owning LOGIN")
    try:
        apart.ask("REASSIGN OWNED BY keeper TO owning", name)
        async with await PostgresDatabase.open(DatabaseAddress(address.url.replace("lyra@", "owning@")), KEY) as db:
            assert await row_guard(db) is RowGuard.OWN
            assert len(await texts(db)) == 0
    finally:
        apart.ask(f"REASSIGN OWNED BY owning TO {KEEPER}", name)
        apart.ask("DROP ROLE owning")


def run(there: Postgres, script: str, database: str = "postgres") -> None:
    """Have a server's own client run a script, as a superuser."""
    subprocess.run(
        [there.programs / "psql", "--no-psqlrc", "--quiet", "--host", there.folder, "--username", "postgres", database],
        input=script, text=True, check=True, env={**os.environ, "GIVEN_DATABASE_PASSWORD": "it's"},
    )  # fmt: skip


async def test_the_roles_that_come_with_her_own_nothing_and_are_held_to_it(apart: Postgres) -> None:
    run(apart, (_REPO / "deploy" / "database.sql").read_text().replace("lyra", "given").replace("LYRA", "GIVEN"))
    try:
        given = DatabaseAddress(apart.address("given").url.replace("lyra@", "given@"), "it's")
        async with await PostgresDatabase.open(given, KEY) as db:
            assert await row_guard(db) is RowGuard.FORCED
    finally:
        apart.drop("given")
        apart.ask("DROP ROLE given; DROP ROLE given_owner")


async def test_tables_that_she_owns_are_taken_from_her_as_the_documents_say(apart: Postgres) -> None:
    told = (_REPO / "docs" / "running.md").read_text().partition("as a superuser, in that database:\n\n")[2].partition("\n\n")[0]
    apart.ask("CREATE ROLE given LOGIN")
    apart.ask("CREATE DATABASE given OWNER given")
    given = DatabaseAddress(apart.address("given").url.replace("lyra@", "given@"))
    try:
        async with await PostgresDatabase.open(given, KEY) as db:
            assert await row_guard(db) is RowGuard.OWN
        run(apart, f"\\set ON_ERROR_STOP on\n{told.replace('lyra', 'given').replace('SCHEMA given', 'SCHEMA lyra')}", "given")
        async with await PostgresDatabase.open(given, KEY) as db:
            assert await row_guard(db) is RowGuard.FORCED
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('a', '', '')")
                assert await tx.numbers("item")
            assert await db.all("SELECT scope FROM settings")
    finally:
        apart.drop("given")
        apart.ask("DROP ROLE given; DROP ROLE IF EXISTS given_owner")
