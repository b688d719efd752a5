"""Restore, backup and the opening of a home, killed -9 at every step: the memory is the one before or the one after, whole."""

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memory.store import restoring
from tests.kits.killing import Left, Plan, killed
from tests.kits.lyra_kit import Done, Home
from tests.kits.size import TORTURE

SECRET = "the safe opens with quixotic-77"
EVERY, MOMENTS = (1, 200) if TORTURE else (120, 1)


def contents(done: Done) -> list[str]:
    """Return what an export holds; a failure is told by its sentence."""
    return sorted(row["content"] for row in done.rows if row["role"] == "user") if done.code == 0 else [done.err]


def leftovers(names: Sequence[str]) -> list[str]:
    """Return the files that only a command under way may leave."""
    return [name for name in names if name.endswith((".restoring", ".restored", ".part", ".new", ".rotating", ".next-key"))]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine with a backup that holds what was forgotten since, and more said since."""
    home = Home(tmp_path_factory.mktemp("prepared") / "machine")
    home.chat("my cat is called Turing", SECRET)
    assert home.lyra("backup", "copy.lyra").code == 0
    secret = home.lyra("recall", "safe", "--json", "-k", "1").rows[0]["hits"][0]["id"]
    assert home.lyra("forget", secret).code == 0
    home.chat("my dog is Rex")
    return home.folder


OLD, NEW = ["my cat is called Turing", "my dog is Rex"], ["my cat is called Turing"]


def kills(prepared: Path, folder: Path, *words: str, looks: Sequence[Sequence[str]] = (), **more: Any) -> list[Left]:
    """Run `lyra` with these words on copies of a machine, each killed elsewhere; return what an export and others find then."""
    looked = [["export"], *(list(look) for look in looks)]
    plan = {"every": EVERY, "moments": MOMENTS, **more}
    return killed(Home(folder), Plan(str(prepared), str(folder), list(words), looked, **plan))


def test_a_restore_killed_at_any_step_leaves_the_old_memory_or_the_new_one_and_nothing_forgotten(
    machine: Path, tmp_path: Path
) -> None:
    found = kills(machine, tmp_path / "m", "restore", "copy.lyra", "--yes", looks=[["status"]])
    assert [(left.kill, contents(left.found[0])) for left in found if contents(left.found[0]) not in (OLD, NEW)] == []
    assert contents(found[-1].found[0]) == NEW and any(contents(left.found[0]) == OLD for left in found)
    assert [(left.kill, leftovers(left.after)) for left in found if leftovers(left.after)] == []
    for left in found:
        aside = ".lyra/lyra.db.before-restore-1" in left.after
        assert aside is (contents(left.found[0]) == NEW), left.kill
        assert ("; then it is dropped." in left.found[1].out) is aside


@pytest.mark.torture
def test_restoring_in_two_steps_a_kill_between_them_leaves_no_memory_at_all(machine: Path, tmp_path: Path) -> None:
    found = kills(
        machine, tmp_path / "m", "restore", "copy.lyra", "--yes", guards="decided by one rename", every=1, moments=0, last=8
    )
    assert any("is missing, though one was kept here" in left.found[0].err for left in found)


def test_a_restore_that_was_decided_is_finished_by_whoever_comes_next_however_often_that_is_killed(
    machine: Path, tmp_path: Path
) -> None:
    decided = tmp_path / "decided"
    shutil.copytree(machine, decided)
    home = Home(decided)
    asyncio.run(restoring.stage(home.folder / "copy.lyra", bytes.fromhex(home.key.read_text("ascii")), home.db))
    restoring.decide(home.db)
    found = kills(decided, tmp_path / "m", "sessions")
    assert any("The restore that was cut off is finished. The old memory is at " in left.found[0].err for left in found)
    for left in found:
        assert NEW[0] in contents(left.found[0]) and OLD[1] not in contents(left.found[0]), left.kill
        assert ".lyra/lyra.db.before-restore-1" in left.after and leftovers(left.after) == []


def test_a_backup_killed_at_any_step_leaves_a_whole_one_or_none_and_no_part_of_it(machine: Path, tmp_path: Path) -> None:
    new = ["restore", "new.lyra", "--yes"]
    found = kills(machine, tmp_path / "m", "backup", "new.lyra", looks=[new], **({} if TORTURE else {"every": 4, "last": 14}))
    assert {tuple(contents(left.found[0])) for left in found} == {tuple(OLD)}
    assert any(name.endswith(".part") for left in found for name in left.before), "some were killed in the middle"
    for left in found:
        assert [name for name in left.after if ".part" in name] == [], left.kill
        assert left.found[1].code == (0 if "new.lyra" in left.before else 1), left.kill


def test_a_first_start_killed_at_any_step_is_made_up_for_by_the_next(tmp_path: Path) -> None:
    Home(tmp_path / "new").environment()
    found = kills(tmp_path / "new", tmp_path / "m", "chat", looks=[["doctor"]], given="my cat is called Turing\n")
    assert {tuple(contents(left.found[0])) for left in found} == {(), ("my cat is called Turing",)}
    assert [(left.kill, left.found[1].out) for left in found if left.found[1].code] == []
    assert [(left.kill, leftovers(left.after)) for left in found if leftovers(left.after)] == []


def test_a_rotation_of_the_key_killed_at_any_step_leaves_the_whole_memory_under_the_key_at_hand(
    machine: Path, tmp_path: Path
) -> None:
    found = kills(machine, tmp_path / "m", "key", "rotate", looks=[["status"]])
    assert {tuple(contents(left.found[0])) for left in found} == {tuple(OLD)}
    assert [(left.kill, left.found[1].err) for left in found if left.found[1].code] == []
    assert [(left.kill, leftovers(left.after)) for left in found if leftovers(left.after)] == []
    rotated = [".lyra/key.before-rotation-1" in left.after for left in found]
    assert rotated[-1] and not all(rotated)


def test_backups_from_before_a_rotation_open_with_the_old_key_which_is_kept_and_named(machine: Path, tmp_path: Path) -> None:
    home = Home(machine).copied(tmp_path / "m")
    old = home.key.read_text("ascii")
    done = home.lyra("key", "rotate")
    assert done.code == 0 and done.lines[0].startswith("The memory, 4 messages, has a new key; copy it somewhere safe: ")
    assert home.key.read_text("ascii") != old == (home.path / "key.before-rotation-1").read_text("ascii")
    before = home.lyra("restore", "copy.lyra", "--yes")
    assert (before.code, "was made before the key was changed: it opens with" in before.err) == (1, True)
    assert contents(home.lyra("export")) == OLD
    home.key.write_text(old)
    assert home.lyra("export").code == 1


@pytest.mark.torture
def test_a_rotation_that_nobody_else_finishes_leaves_a_key_that_does_not_open_the_memory(machine: Path, tmp_path: Path) -> None:
    found = kills(machine, tmp_path / "m", "key", "rotate", guards="finished by whoever comes next", every=1, moments=0, last=14)
    assert any("The key does not open the memory" in left.found[0].err for left in found)
