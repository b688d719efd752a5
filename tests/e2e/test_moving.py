"""A memory moved from its file into a database and back, from the command line."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.kits.fresh import server
from tests.kits.lyra_kit import Home
from tests.kits.postgres import unguarded

KEPT = "# a comment\n[limits]\nin_a_row = 0\n"


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of an empty database."""
    there, name = server(), f"moved{os.getpid()}"
    there.drop(name)
    there.bare(name)
    yield there.address(name).url
    there.drop(name)


def config(home: Home) -> str:
    """Return what stands in the configuration."""
    return (home.path / "lyra.toml").read_text()


def test_a_memory_moves_into_a_database_and_back_and_keeps_what_it_held_and_what_it_forgot(tmp_path: Path, database: str) -> None:
    home = Home(tmp_path, KEPT)
    home.chat("my cat is called Ottilie", "the code is 4711")
    assert home.lyra("forget", next(row["id"] for row in home.export() if "4711" in row["content"])).code == 0
    held, log = home.export(), (home.path / "tombstones.log").read_bytes()

    assert home.lyra("move", "--to", database).code == 1 and home.db.exists()
    done = home.lyra("move", "--to", database, "--yes")
    assert (done.code, "read back and the same" in done.out, "before-restore-1" in done.out) == (0, True, True), done.err
    assert "[store]" in config(home) and "# a comment" in config(home) and not home.db.exists()
    assert home.export() == held
    home.chat("the second cat is called Bruno")
    more = home.export()
    assert len(more) > len(held)
    assert "already" in home.lyra("move", "--to", database, "--yes").out

    back = home.lyra("move", "--to", "file", "--yes")
    assert back.code == 0 and "DROP SCHEMA lyra CASCADE" in back.out, back.err
    assert home.db.exists() and "[store]" not in config(home) and "# a comment" in config(home)
    assert home.export() == more and (home.path / "tombstones.log").read_bytes() == log
    home.chat("the third cat is called Carlo")
    assert "Carlo" in home.lyra("recall", "third cat").out
    again = home.lyra("move", "--to", database, "--yes")
    assert again.code == 1 and "holds a memory that is not this one" in again.err


def test_a_move_that_was_cut_off_at_either_side_of_the_configuration_goes_on(tmp_path: Path, database: str) -> None:
    home = Home(tmp_path, KEPT)
    home.chat("my cat is called Ottilie")
    held, before, file = home.export(), config(home), home.db.read_bytes()
    assert home.lyra("move", "--to", database, "--yes").code == 0
    after, path = config(home), home.path / "lyra.toml"
    for written in (before, after):
        home.db.write_bytes(file)
        path.write_text(written)
        refused = home.lyra("export")
        assert (refused.code == 1 and "lyra move" in refused.err) is (written == after)
        assert home.lyra("move", "--to", database, "--yes").code == 0
        assert home.export() == held and not home.db.exists() and config(home) == after
    assert home.lyra("move", "--to", "file", "--yes").code == 0
    path.write_text(after)
    assert home.lyra("move", "--to", "file", "--yes").code == 0
    assert home.export() == held and "[store]" not in config(home)


def test_nothing_is_moved_into_a_database_on_which_somebody_runs_her(tmp_path: Path, database: str) -> None:
    home = Home(tmp_path, KEPT)
    home.chat("my cat is called Ottilie")
    with psycopg.connect(unguarded(database)) as other:
        other.execute("SELECT pg_advisory_lock(1819898465, 1)")
        refused = home.lyra("move", "--to", database, "--yes")
    assert refused.code == 1 and "End her first" in refused.err and home.db.exists()
    assert home.lyra("move", "--to", database, "--yes").code == 0


@pytest.mark.first
@pytest.mark.parametrize("begun", [["chat"], ["run"]])
def test_nothing_is_moved_while_she_is_at_work_in_the_home(tmp_path: Path, database: str, begun: list[str]) -> None:
    home = Home(tmp_path, KEPT + "[web]\nport = 0\n")
    home.chat("my cat is called Ottilie")
    with home.started(*begun) as process:
        process.say("my dog is Rex") if begun == ["chat"] else process.note("Lyra is awake")
        refused = home.lyra("move", "--to", database, "--yes")
        assert refused.code == 1 and "Lyra is at work in this home" in refused.err and home.db.exists()
    assert home.lyra("move", "--to", database, "--yes").code == 0
    with home.started(*begun) as process:
        process.say("my hen is Berta") if begun == ["chat"] else process.note("Lyra is awake")
        refused = home.lyra("move", "--to", "file", "--yes")
        assert refused.code == 1 and "Lyra is at work in this home" in refused.err and not home.db.exists()
