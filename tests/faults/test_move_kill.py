"""A move into a database and out of it, killed -9 at every step in the home: the same command goes on, and nothing is lost."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.kits.fresh import server
from tests.kits.killing import Left, Plan, killed
from tests.kits.lyra_kit import Home
from tests.kits.postgres import unguarded
from tests.kits.size import TORTURE

CONFIG = "[limits]\nin_a_row = 0\n"
SAID = ["my cat is called Ottilie", "my dog is Rex"]
EVERY, MOMENTS = (1, 100) if TORTURE else (60, 1)


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of an empty database."""
    there, name = server(), f"movekill{os.getpid()}"
    there.drop(name)
    there.bare(name)
    yield there.address(name).url
    there.drop(name)


def moves(prepared: Path, folder: Path, to: str) -> list[Left]:
    """Move a copy of a home, killed elsewhere each time; return what is left once the same command was given again."""
    does = ["move", "--to", to, "--yes"]
    return killed(Home(folder, CONFIG), Plan(str(prepared), str(folder), does, [does, ["export"]], every=EVERY, moments=MOMENTS))


def assert_whole(found: list[Left], *, in_file: bool) -> None:
    """Check that every home holds all that was said, in one place."""
    for left in found:
        again, export = left.found
        assert again.code == 0, (left.kill, again.err)
        assert [row["content"] for row in export.rows if row["role"] == "user"] == SAID, (left.kill, export.err)
        assert (".lyra/lyra.db" in left.after) is in_file, left.kill
        assert not [name for name in left.after if name.endswith((".restoring", ".restored"))], left.kill


def test_a_move_into_a_database_and_out_of_it_goes_on_wherever_it_was_killed(tmp_path: Path, database: str) -> None:
    home = Home(tmp_path / "machine", CONFIG)
    home.chat(*SAID)
    assert_whole(moves(home.folder, tmp_path / "m", database), in_file=False)
    assert home.lyra("move", "--to", database, "--yes").code == 0
    there = tmp_path / "there"
    shutil.copytree(home.folder, there)
    assert_whole(moves(there, tmp_path / "m", "file"), in_file=True)


@pytest.mark.first
@pytest.mark.parametrize("table", ["domains", "exchanges", "tombstones"])
def test_a_move_that_is_killed_inside_the_copy_leaves_the_database_empty_and_is_given_again(
    tmp_path: Path, database: str, table: str
) -> None:
    home = Home(tmp_path, CONFIG)
    home.chat(*SAID)
    assert home.lyra("forget", home.export()[0]["id"]).code == 0
    held = home.export()
    name = f"movekill{os.getpid()}"
    server().drop(name)
    server().make(name)
    with psycopg.connect(unguarded(database)) as other, home.started("move", "--to", database, "--yes") as process:
        # Whoever copies may read the table, and waits once he writes the first row of it.
        other.execute(f"LOCK TABLE lyra.{table} IN SHARE MODE")
        waits = "SELECT 1 FROM pg_sleep(0.05), pg_locks WHERE NOT granted AND relation = CAST(%s AS regclass)"
        while not other.execute(waits, [f"lyra.{table}"]).fetchone():
            assert process.running, process.wait()
        process.kill()
    assert home.db.exists() and home.export() == held
    again = home.lyra("move", "--to", database, "--yes")
    assert again.code == 0, again.err
    assert home.export() == held and not home.db.exists()
