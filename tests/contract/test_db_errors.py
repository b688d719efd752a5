"""Whatever is wrong with the file, its key or its disk gets one clear sentence of the right class, and no more damage."""

import inspect
import re
import tempfile
from collections.abc import Coroutine
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from memory.errors import DiskFull, MemoryFailure, MemoryUnusable, NewerDatabase, NotWritable, WrongKey
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.transaction import FileIdentity
from tests.kits import forked
from tests.kits.memory_kit import KEY

OTHER_KEY = bytes(reversed(KEY))


async def filled(path: Path, key: bytes | None = KEY, rows: int = 200) -> None:
    """Make a memory with something in it."""
    async with await SqliteDatabase.open(path, key) as db:
        async with db.transaction() as tx:
            for n in range(rows):
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('s', :n, :v)", {"n": str(n), "v": "x" * 500})
        await db.checkpoint()


async def failure(path: Path, key: bytes | None = KEY) -> MemoryFailure:
    """Open, verify and write; return the failure of it."""
    with pytest.raises(MemoryFailure) as caught:
        async with await SqliteDatabase.open(path, key) as db:
            await db.verify()
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('new', '', '')")
    return caught.value


def is_a_sentence(error: MemoryFailure) -> bool:
    """Say whether the text can be shown to a person: sentences on one line, and no class names or traces."""
    return bool(re.fullmatch(r"[A-Z][^\n]+(\.|: [^\n]+)", str(error))) and "Error" not in str(error)


async def test_another_key_does_not_open_the_memory(tmp_path: Path) -> None:
    await filled(tmp_path / "lyra.db")
    before = (tmp_path / "lyra.db").read_bytes()
    error = await failure(tmp_path / "lyra.db", OTHER_KEY)
    assert type(error) is WrongKey and is_a_sentence(error)
    assert KEY.hex() not in str(error) and OTHER_KEY.hex() not in str(error)
    assert (tmp_path / "lyra.db").read_bytes() == before


async def test_an_encrypted_memory_does_not_open_without_its_key(tmp_path: Path) -> None:
    await filled(tmp_path / "lyra.db")
    error = await failure(tmp_path / "lyra.db", None)
    assert type(error) is WrongKey and is_a_sentence(error)


async def test_a_memory_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db, db.transaction() as tx:
        await tx.run("INSERT INTO migrations (version, name, digest) VALUES (9000, 'later', '')")
    error = await failure(tmp_path / "lyra.db")
    assert type(error) is NewerDatabase and is_a_sentence(error)
    assert "9000" in str(error)


@pytest.mark.parametrize("content", [b"Dear diary,\n" * 400, bytes(range(256)) * 32, b"x" * 50], ids=["text", "bytes", "short"])
@pytest.mark.parametrize("key", [KEY, None], ids=["encrypted", "plain"])
async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes, key: bytes | None) -> None:
    path = tmp_path / "lyra.db"
    path.write_bytes(content)
    error = await failure(path, key)
    assert type(error) in (WrongKey, MemoryUnusable) and is_a_sentence(error)
    assert path.read_bytes() == content


@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("key", [KEY, None], ids=["encrypted", "plain"])
async def test_a_truncated_file_is_called_damaged(tmp_path: Path, keep: float, key: bytes | None) -> None:
    path = tmp_path / "lyra.db"
    await filled(path, key)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep)])
    error = await failure(path, key)
    assert type(error) is WrongKey and is_a_sentence(error)
    assert "restore" in str(error)


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    error = await failure(tmp_path / "nowhere" / "lyra.db")
    assert type(error) is NotWritable and is_a_sentence(error)
    assert "nowhere" in str(error)


async def test_a_path_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    error = await failure(tmp_path)
    assert type(error) is NotWritable and is_a_sentence(error)


CHILD = """
import asyncio, concurrent.futures.thread, os, resource, sys
from pathlib import Path
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.transaction import FileIdentity
from memory.errors import MemoryFailure
from tests.kits.memory_kit import KEY

path = Path(sys.argv[1])

async def main():
    {body}

try:
    asyncio.run(main())
except MemoryFailure as error:
    print(type(error).__name__, error)
"""


def run(body: str, path: Path) -> str:
    """Run the body in a process of its own; return the failure it printed."""
    code = CHILD.format(body="\n    ".join(body.strip().splitlines()))
    return forked.ran(code, path).strip()


WRITE = """
{before}
async with await SqliteDatabase.open(path, KEY) as db:
    async with db.transaction() as tx:
        await tx.run("INSERT INTO settings (scope, key, value) VALUES ('new', '', '')")
"""
NOT_ROOT = "os.geteuid() or (os.setgroups([]), os.setgid(65534), os.setuid(65534))"


@pytest.mark.parametrize(
    "there", [pytest.param(True, id="with a memory in it"), pytest.param(False, id="empty", marks=pytest.mark.torture)]
)
async def test_a_read_only_folder_is_refused(there: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if there:
            await filled(folder / "lyra.db")
            (folder / "lyra.db").chmod(0o444)
        folder.chmod(0o555)
        printed = run(WRITE.format(before=NOT_ROOT), folder / "lyra.db")
        folder.chmod(0o755)
    assert printed.startswith(NotWritable.__name__) and "permissions" in printed


FULL = """
async with await SqliteDatabase.open(path, KEY) as db:
    async with db.transaction() as tx:
        await tx.run("INSERT INTO settings (scope, key, value) VALUES ('first', '', '')")
    room = path.with_name(path.name + "-wal").stat().st_size + 8192
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        async with db.transaction() as tx:
            for n in range(200):
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('big', :n, :v)", {"n": str(n), "v": "x" * 3000})
    except MemoryFailure as error:
        print(type(error).__name__, error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    async with db.transaction() as tx:
        await tx.run("INSERT INTO settings (scope, key, value) VALUES ('last', '', '')")
"""


async def test_a_full_disk_is_named_keeps_what_was_committed_and_heals_when_there_is_room(tmp_path: Path) -> None:
    printed = run(FULL, tmp_path / "lyra.db")
    assert printed.startswith(DiskFull.__name__) and "room" in printed and "\n" not in printed
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        await db.verify()
        assert [row["scope"] for row in await db.all("SELECT scope FROM settings ORDER BY scope")] == ["first", "last"]


async def test_a_disk_without_room_for_a_new_memory_is_named(tmp_path: Path) -> None:
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))"
    assert run(WRITE.format(before=limit), tmp_path / "lyra.db").startswith(DiskFull.__name__)


@pytest.mark.parametrize("guarded", [True, pytest.param(False, id="without the guard")])
async def test_nothing_is_written_to_a_file_that_is_no_longer_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    """SQLite goes on writing to a file that was deleted, whose end is the end of all that was written."""
    if not guarded:
        monkeypatch.setattr(FileIdentity, "require", lambda self: None)
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    async with await SqliteDatabase.open(home / "lyra.db", None) as db:
        home.rename(away)
        refused = pytest.raises(NotWritable, match="moved, deleted or replaced") if guarded else nullcontext()
        with refused:
            async with db.transaction() as tx:
                await tx.run("INSERT INTO settings (scope, key, value) VALUES ('install', 'one', '1')")
        away.rename(home)
        async with db.transaction() as tx:
            await tx.run("INSERT INTO settings (scope, key, value) VALUES ('install', 'two', '2')")
        rows = await db.all("SELECT key FROM settings WHERE key IN ('one', 'two') ORDER BY key")
        assert [row["key"] for row in rows] == (["two"] if guarded else ["one", "two"])


@pytest.mark.file
async def test_what_was_to_be_asked_together_is_dropped_where_nothing_can_be_written(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as db:
        (tmp_path / "lyra.db").unlink()
        asked: list[Coroutine[Any, Any, Any]] = []
        with pytest.raises(NotWritable):
            async with db.transaction() as tx:
                asked += [tx.all("SELECT 1"), tx.all("SELECT 2")]
                await tx.gather(*asked)
    assert [inspect.getcoroutinestate(one) for one in asked] == [inspect.CORO_CLOSED] * 2
