"""The files of a home: never begun anew in silence, read by nobody but their owner, swept without `lyra run`."""

import asyncio
import shutil
from pathlib import Path

import pytest

from memory.store.database import Row
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.customized import customized, full
from tests.kits.lyra_kit import Home, one_sentence

SECRET = "the safe opens with quixotic-77"
DAY = 24 * 3600 * 1_000_000


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine where something was said and something else forgotten, with a backup from before."""
    home = Home(tmp_path_factory.mktemp("prepared") / "machine")
    home.chat("my cat is called Turing")
    home.chat(SECRET, options=["--session", "vault"])
    assert home.lyra("backup", "copy.lyra").code == 0
    assert home.lyra("forget", "--session", "vault", "--yes").code == 0
    return home.folder


@pytest.fixture
def home(machine: Path, tmp_path: Path) -> Home:
    """A machine like that one."""
    return Home(shutil.copytree(machine, tmp_path / "machine"))


def said(home: Home) -> list[str]:
    """Return what people said."""
    return [row["content"] for row in home.export() if row["role"] == "user"]


def change(home: Home, sql: str) -> list[Row]:
    """Run a statement on the memory of a home; return its rows."""

    async def run() -> list[Row]:
        async with await SqliteDatabase.open(home.db, bytes.fromhex(home.key.read_text("ascii"))) as db, db.transaction() as tx:
            return await tx.all(sql)

    return asyncio.run(run())


def lose(home: Home, how: str) -> None:
    """Lose the memory, but not what stands beside it."""
    home.db.unlink()
    if how == "empty":
        home.db.touch()


def test_a_memory_that_is_older_than_it_was_is_told_of_and_one_that_is_restored_is_not(home: Home) -> None:
    older = home.db.read_bytes()
    home.chat("the second cat is called Bruno")
    home.db.write_bytes(older)
    first, again, doctor = home.lyra("status"), home.lyra("status"), home.lyra("doctor")
    assert "in an older state than it was" in first.err and "Say again what was said" in first.err
    assert first.code == 0 and "older state" not in again.err
    assert any(line.startswith("!! ") and "in an older state" in line for line in doctor.lines)
    home.chat("the third cat is called Carlo")
    assert home.lyra("restore", "copy.lyra", "--yes").code == 0
    assert "older state" not in home.lyra("status").err + home.lyra("doctor").out


def test_a_lost_memory_is_refused_with_how_to_get_it_back_and_how_to_begin_anew(home: Home) -> None:
    for how, words in (("missing", ["chat"]), ("empty", ["status"])):
        lose(home, how)
        done = home.lyra(*words, given="hello\n")
        assert (done.out, done.code) == ("", 1)
        sentence = one_sentence(done)
        assert sentence.startswith(f"The memory {home.db} is {how}, though one was kept here.")
        assert "lyra restore FILE" in sentence
        assert sentence.endswith(f"To begin anew on purpose, move away from {home.path}: tombstones.log, holders.")
        assert home.db.exists() is (how == "empty")
        assert home.lyra("restore", "copy.lyra", "--yes").code == 0
    assert said(home) == ["my cat is called Turing"]
    lose(home, "missing")
    for name in ("tombstones.log", "holders"):
        (home.path / name).rename(home.folder / name)
    assert home.chat("my dog is Rex").lines == ["Kept."]
    assert said(home) == ["my dog is Rex"]


def test_a_lost_memory_elsewhere_is_refused_as_well_and_a_new_one_elsewhere_is_not(home: Home) -> None:
    (home.folder / "disk").mkdir()
    home.variables["LYRA_DB_PATH"] = str(home.folder / "disk" / "mine.db")
    assert home.chat("here I begin").lines == ["Kept."]
    (home.folder / "disk" / "mine.db").unlink()
    done = home.chat("hello")
    assert done.code == 1 and one_sentence(done).startswith(f"The memory {home.folder / 'disk' / 'mine.db'} is missing")


def test_a_key_with_nothing_else_is_a_new_home(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.path.mkdir(mode=0o700)
    home.key.write_text("ab" * 32, "ascii")
    assert home.chat("my cat is called Turing").lines == ["Kept."]
    assert home.key.read_text("ascii") == "ab" * 32


@pytest.mark.parametrize("room", [0, 20])
def test_a_key_that_no_room_is_left_for_is_no_key(tmp_path: Path, room: int) -> None:
    home = Home(tmp_path)
    done = home.lyra("chat", given="hello\n", env=customized(tmp_path / "full", full(room)))
    assert (done.out, done.code) == ("", 1)
    assert one_sentence(done).startswith(f"The key {home.key} could not be written: no room is left on that disk.")
    assert [path.name for path in home.path.glob("key*")] == []
    assert home.chat("my dog is Rex").lines == ["Kept."]


def open_to_others(home: Home) -> list[str]:
    """Return the files of a home that others than its owner may read or write."""
    return sorted(path.name for path in home.path.rglob("*") if path.is_file() and path.stat().st_mode & 0o077)


def test_whatever_the_umask_nobody_else_can_read_a_file_of_hers(tmp_path: Path) -> None:
    home = Home(tmp_path, **customized(tmp_path / "unmasked", "import os\nos.umask(0)\n"))
    home.chat("my cat is called Turing")
    assert open_to_others(home) == [], "from the first moment, not from the next start on"
    with home.started("chat") as chat:
        assert chat.say("my dog is Rex") == "Kept."
        assert home.lyra("forget", "--session", "main", "--yes").code == 0
        assert home.lyra("backup", "copy.lyra").code == 0
        assert {"lyra.db", "lyra.db-wal", "lyra.db-shm", "tombstones.log", "use.lock"} <= {p.name for p in home.path.iterdir()}
        assert open_to_others(home) == []
    assert home.lyra("restore", "copy.lyra", "--yes").code == 0
    assert open_to_others(home) == []
    assert (home.folder / "copy.lyra").stat().st_mode & 0o777 == 0o600


def test_a_home_that_others_could_read_is_closed_to_them_by_the_next_command(home: Home) -> None:
    (home.path / "matrix").mkdir()
    (home.path / "matrix" / "DEVICE.db").touch()
    for path in home.path.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert home.lyra("status").code == 0
    assert open_to_others(home) == ["key"], "which lyra doctor tells of, because somebody may have read it"
    assert "others may read" in home.lyra("doctor").out


def test_where_nobody_runs_her_what_was_sent_loses_its_words_after_a_day_all_the_same(home: Home) -> None:
    assert home.chat("what is my cat called?").out
    assert any(row["text"] for row in change(home, "SELECT text FROM outbox"))
    home.lyra("sessions")
    assert any(row["text"] for row in change(home, "SELECT text FROM outbox")), "not before a day is over"
    change(home, f"UPDATE outbox SET sent_at = sent_at - {DAY}")
    assert home.chat().code == 0
    assert [row["text"] for row in change(home, "SELECT text FROM outbox") if row["text"]] == []


def test_the_memory_from_before_a_restore_says_until_when_it_stays(home: Home) -> None:
    done = home.lyra("restore", "copy.lyra", "--yes")
    aside = home.path / "lyra.db.before-restore-1"
    assert f"The old memory is at {aside} until " in done.out
    assert [path.name for path in home.folder.glob("copy.lyra*")] == ["copy.lyra"]
    (kept,) = home.lyra("status", "--json").rows[0]["set_aside"]
    assert kept["file"] == str(aside)
    assert f"The old memory is at {aside} until " in home.lyra("status").out


def test_the_key_is_not_changed_beside_a_conversation_and_both_go_on(home: Home) -> None:
    with home.started("chat") as chat:
        before, said = home.key.read_bytes(), chat.say("what is my cat called?")
        done = home.lyra("key", "rotate")
        assert (done.code, one_sentence(done)) == (
            1, "Lyra is at work in this home. End her and every lyra command first, then try again."
        )  # fmt: skip
        assert home.key.read_bytes() == before and chat.say("what is my cat called?") == said
        assert chat.finish().code == 0
    done = home.lyra("key", "rotate")
    assert done.code == 0 and home.key.read_bytes() != before
    assert "cat" in home.lyra("recall", "cat").out
