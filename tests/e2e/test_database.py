"""`lyra` on PostgreSQL, and one that takes nothing: how a process ends meanwhile, and that nothing is lost."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.contract.test_postgresql_outages import standing_still
from tests.e2e.test_roles import Shared, connected
from tests.fakes.pulse import PATIENCE
from tests.kits.customized import customized
from tests.kits.discord_thread import DiscordThread
from tests.kits.fresh import server
from tests.kits.lyra_kit import Done, Home, ModelServer, Process
from tests.kits.postgres import postgres, unguarded


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of an empty database."""
    there, name = server(), f"e2e{os.getpid()}"
    there.drop(name)
    there.bare(name)
    yield there.address(name).url
    there.drop(name)


def kept_in(url: str, folder: Path) -> Home:
    """Return a home whose memory is in a database."""
    return Home(folder, f'[store]\nurl = "{url}"\n')


@pytest.mark.torture
def test_what_is_kept_goes_from_a_file_into_a_database_and_back_into_a_file(tmp_path: Path, database: str) -> None:
    first, there, last = Home(tmp_path / "first"), kept_in(database, tmp_path / "there"), Home(tmp_path / "last")
    first.chat("my cat is called Ottilie", "the tomatoes are ripe", "the code is 4711")
    assert first.lyra("backup", "one.lyra").code == 0
    # What is forgotten after the copy was made stays so, wherever it goes.
    assert first.lyra("forget", next(row["id"] for row in first.export() if "4711" in row["content"])).code == 0
    for home in (there, last):
        home.path.mkdir(exist_ok=True)
        for name in ("key", "tombstones.log"):
            shutil.copy(first.path / name, home.path / name)

    done = there.lyra("restore", str(first.folder / "one.lyra"), "--yes")
    assert done.code == 0 and "forgotten since" in done.out
    assert there.export() == first.export() and not there.db.exists()
    there.chat("the second cat is called Bruno")
    assert "Ottilie" in there.lyra("recall", "cat").out

    kept = there.export()
    assert there.lyra("backup", "two.lyra").code == 0
    again = there.lyra("restore", str(first.folder / "one.lyra"), "--yes")
    assert again.code == 0 and "before-restore-1" in again.out and there.export() == first.export()
    assert last.lyra("restore", str(there.folder / "two.lyra"), "--yes").code == 0
    assert last.export() == kept
    last.chat("the third cat is called Carlo")
    assert "Carlo" in last.lyra("recall", "third cat").out


def test_doctor_says_how_the_server_is_and_what_can_be_read_there(tmp_path: Path, database: str) -> None:
    home = kept_in(database, tmp_path)
    home.chat("hello")
    said = home.lyra("doctor").out
    assert "PostgreSQL 18" in said and "sealed with the key" in said and "e2e" in said
    assert "fsync on, full_page_writes on, synchronous_commit on." in said and "behind" not in said
    assert "Database: the server itself shows each conversation only what its readers may know." in said and "!!" not in said
    above = kept_in(unguarded(database), tmp_path).lyra("doctor")
    assert above.code == 1 and "!!  Database: I sign in as a superuser" in above.out


def test_it_is_said_how_far_behind_a_copy_of_the_server_is_and_that_it_is_gone(tmp_path: Path) -> None:
    with postgres(wal_level="replica", max_wal_senders=2) as there:
        home = kept_in(there.make("followed").url, tmp_path / "home")
        home.chat("hello")
        (tmp_path / "log").mkdir()
        follows: list[str | Path] = [
            there.programs / "pg_receivewal",
            "-h",
            there.folder,
            "-U",
            "postgres",
            "-D",
            tmp_path / "log",
            "--verbose",
        ]
        with subprocess.Popen(follows, stderr=subprocess.PIPE, env={**os.environ, "PGAPPNAME": "second"}) as copy:
            try:
                assert copy.stderr and b"starting log streaming" in copy.stderr.readline()
                with psycopg.connect(unguarded(there.address("followed")), autocommit=True) as asked:
                    ends = time.monotonic() + PATIENCE
                    while not asked.execute("SELECT 1 FROM pg_stat_replication WHERE sent_lsn IS NOT NULL").fetchone():
                        assert time.monotonic() < ends
                done = home.lyra("doctor")
            finally:
                copy.terminate()
                copy.wait()
        there.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        there.ask("SELECT pg_reload_conf()")
        with home.started("doctor") as without:
            line = next(line for line in iter(without.reply, "") if "Database:" in line and line.startswith("!!"))
        soon = customized(tmp_path / "soon", "from adapters.console import console\nconsole._PATIENCE_SECONDS = 0.1\n")
        with home.started("chat", env=soon) as chat:
            chat.write("my cat is called Turing")
            chat.note("The memory has not taken this yet")
            there.ask("ALTER SYSTEM RESET synchronous_standby_names")
            there.ask("SELECT pg_reload_conf()")
            assert chat.reply() == "Kept."
    assert "Database: the copy second is " in done.out and " kB behind." in done.out
    assert "commits wait for a copy of it, and none follows" in line


def test_doctor_refuses_a_server_that_loses_what_was_written(tmp_path: Path) -> None:
    with postgres() as there:
        home = kept_in(there.make("losing").url, tmp_path / "home")
        home.chat("hello")
        assert "!!  Memory" not in home.lyra("doctor").out
        there.ask("ALTER SYSTEM SET fsync = off")
        there.ask("SELECT pg_reload_conf()")
        with psycopg.connect(unguarded(there.address("losing")), autocommit=True) as asked:
            ends = time.monotonic() + PATIENCE
            while asked.execute("SHOW fsync").fetchone() != ("off",):
                assert time.monotonic() < ends
        done = home.lyra("doctor")
    assert done.code == 1 and "!!  Memory: The server of" in done.out and "fsync or full_page_writes is off" in done.out


def test_a_server_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    done = kept_in(f"postgresql://lyra@/lyra?host={tmp_path}", tmp_path / "home").lyra("status")
    assert done.code == 1 and "cannot be reached" in done.err.splitlines()[-1] and "Traceback" not in done.err


def test_a_password_does_not_stand_in_the_configuration_and_is_not_shown(tmp_path: Path) -> None:
    done = kept_in("postgresql://lyra:s3cret@127.0.0.1/lyra", tmp_path).lyra("status")
    assert done.code == 1 and "password does not belong there" in done.err and "s3cret" not in done.out + done.err


def test_the_key_of_what_a_database_keeps_is_changed_and_a_wrong_one_is_refused(tmp_path: Path, database: str) -> None:
    home = kept_in(database, tmp_path)
    home.chat("the cat is called Ottilie")
    old = (home.path / "key").read_text()
    done = home.lyra("key", "rotate")
    assert done.code == 0 and "has a new key" in done.out and (home.path / "key").read_text() != old
    assert (home.path / "key.before-rotation-1").read_text() == old
    assert "Ottilie" in home.lyra("recall", "cat").out
    (home.path / "key").write_text(old)
    refused = home.lyra("recall", "cat")
    assert refused.code == 1 and "does not fit this database" in refused.err and "Traceback" not in refused.err


def test_a_key_that_is_missing_is_said_and_no_other_is_put_in_its_place(tmp_path: Path, database: str) -> None:
    home = kept_in(database, tmp_path)
    home.chat("the cat is called Ottilie")
    mine = home.key.read_bytes()
    home.key.unlink()
    for words in (["recall", "cat"], ["status"], ["run", "--role", "worker"]):
        done = home.lyra(*words)
        assert done.code == 1 and "is missing" in done.err and "copy this key" not in done.err and not home.key.exists()
    said = home.lyra("doctor")
    assert said.code == 1 and "!!  Key:" in said.out and not home.key.exists()
    home.key.write_bytes(mine)
    assert "Ottilie" in home.lyra("recall", "cat").out


def test_doctor_says_which_rights_are_missing_before_something_fails(tmp_path: Path, database: str) -> None:
    home = kept_in(database, tmp_path)
    home.chat("the cat is called Ottilie")
    with psycopg.connect(unguarded(database), autocommit=True) as there:
        there.execute("REVOKE INSERT ON lyra.exchanges FROM lyra")
    said = home.lyra("doctor")
    assert said.code == 1 and "!!  Database: I lack rights there (on " in said.out and "exchanges" in said.out


_AT_ONCE_SECONDS = 3.0
"""Less than any wait for a database that is out of reach."""


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    """A home whose memory is in a database of its own."""
    with DiscordThread() as discord, ModelServer(lambda request: "Noted.") as model:
        yield Shared(tmp_path, discord, model)


def stopped(lyra: Process) -> Done:
    """Ask a process to end, and require that it does at once."""
    began = time.monotonic()
    done = lyra.stop()
    took = time.monotonic() - began
    assert took < _AT_ONCE_SECONDS, done
    return done


@pytest.mark.parametrize("role", [["--role", "platform"], [], ["--role", "worker"]], ids=["platform", "alone", "worker"])
def test_who_waits_for_a_database_that_is_away_ends_at_once(shared: Shared, role: list[str]) -> None:
    discord = shared.discord
    with shared.home.started("run", *role) as lyra:
        if "worker" in role:
            lyra.note("Lyra works here")
        else:
            connected(lyra)
            assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        shared.shut()
        if "worker" not in role:
            discord.ask("bob", discord.dm("bob"), "hello, I am new")
            lyra.note("platform.waits")
        done = stopped(lyra)
        assert done.code == 0 and "cut_off" not in done.err


def test_who_waits_for_a_database_that_stands_still_is_not_cut_off(tmp_path: Path) -> None:
    with (
        DiscordThread() as discord,
        ModelServer(lambda request: "Noted.") as model,
        postgres() as server,
        Shared(tmp_path, discord, model, server).home.started("run", "--role", "platform") as lyra,
    ):
        connected(lyra)
        with standing_still(server):
            done = lyra.stop()
        assert done.code == 0 and "cut_off" not in done.err


def test_the_page_of_a_database_that_is_away_ends_at_once(shared: Shared) -> None:
    with shared.home.started("web", "--no-open") as lyra:
        lyra.note("Lyra serves this page")
        shared.shut()
        done = stopped(lyra)
        assert done.code == 0, done


_FULL = (
    "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'no space left on device'; END $$",
    "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON lyra.inbox FOR EACH ROW EXECUTE FUNCTION full_disk()",
)


def test_what_is_said_while_the_disk_is_full_is_answered_once_there_is_room(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        for statement in _FULL:
            shared.tell(statement)
        asked = [discord.ask(name, discord.dm(name), "hello, I am new") for name in ("bob", "eva")]
        assert "no room is left on its disk" in lyra.note("platform.waits")
        shared.tell("DROP TRIGGER full_disk ON lyra.inbox")
        for one in asked:
            assert "Noted." in discord.answered(one)
        done = lyra.stop()
        assert done.code == 0 and "platform.waits" not in done.err


def test_who_waits_for_room_on_the_disk_ends_at_once(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        for statement in _FULL:
            shared.tell(statement)
        discord.ask("bob", discord.dm("bob"), "hello, I am new")
        lyra.note("platform.waits")
        assert stopped(lyra).code == 0


def test_what_is_said_while_only_a_copy_is_there_is_answered_once_it_takes_writes(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello"))
        shared.demote()
        asked = [discord.ask(name, discord.dm(name), "hello, I am new") for name in ("bob", "eva")]
        assert "takes no writes" in lyra.note("platform.waits")
        shared.promote()
        for one in asked:
            assert "Noted." in discord.answered(one)
        assert lyra.stop().code == 0


def test_who_waits_for_a_database_that_takes_no_writes_ends_at_once(shared: Shared) -> None:
    discord = shared.discord
    with shared.home.started("run", "--role", "platform") as lyra:
        connected(lyra)
        shared.demote()
        discord.ask("bob", discord.dm("bob"), "hello, I am new")
        lyra.note("platform.waits")
        assert stopped(lyra).code == 0
