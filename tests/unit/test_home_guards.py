"""What guards the files of a home: with each guard switched off, what it keeps away happens."""

import io
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.app import open_app as lyra
from bot.service.sweeping import Sweeper
from memory.errors import MemoryMissing
from memory.forget import erase
from memory.journal.outbox import Outbox
from memory.store import home_files, restoring
from memory.store.backup import Unfinished
from memory.store.database import Transaction
from memory.store.sqlite.database import SqliteDatabase
from memory.transfer.jsonl import read_jsonl
from memory.transfer.message import BadLine
from memory.types import DAY, Forgotten
from tests.kits.memory_kit import KEY, Clock, at_home, opened
from tests.kits.pages import holding
from tests.kits.stalls import say
from tests.kits.words_alone import words_alone
from tests.unit.test_restoring import restored

pytestmark = pytest.mark.file
BOTH = pytest.mark.parametrize("guarded", [True, False], ids=["her", "the twin"])
SECRET = "the safe opens with quixotic-zanzibar-77"


def nothing(*_: Any, **__: Any) -> None:
    """Stand in the place of a guard."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without a model."""
    monkeypatch.setenv("LYRA_HOME", str(tmp_path))
    (tmp_path / "lyra.toml").write_text(words_alone(""))
    return tmp_path


@BOTH
async def test_a_lost_memory_begins_anew_in_silence(home: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    async with lyra() as app:
        await say(app, [SECRET])
    (home / "lyra.db").unlink()
    (home / "tombstones.log").write_text("\n")
    if guarded:
        with pytest.raises(MemoryMissing):
            async with lyra():
                pass
        return
    monkeypatch.setattr(home_files, "require_there", nothing)
    async with lyra() as app:
        assert await app.memory.db.all("SELECT * FROM exchanges") == []


@BOTH
async def test_erased_bytes_stay_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    async def not_now(self: SqliteDatabase, patience: float = 2.0) -> bool:
        return True

    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        if not guarded:
            monkeypatch.setattr(SqliteDatabase, "checkpoint", not_now)
        await here.view.forget_message(secret.id)
        assert (holding(tmp_path, KEY, "zanzibar") == []) is guarded


@BOTH
async def test_a_memory_set_aside_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    now = time.time_ns() // 1000
    aside = await restored(tmp_path, now)
    if not guarded:
        monkeypatch.setattr(restoring, "drop_old", lambda *_: [])
    clock = Clock(now + 8 * DAY)
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        await Sweeper(memory, clock).sweep()
    assert aside.exists() is not guarded


@pytest.fixture
def no_umask() -> Iterator[None]:
    """A process that takes no rights from the files it makes."""
    before = os.umask(0)
    yield
    os.umask(before)


@BOTH
@pytest.mark.usefixtures("no_umask")
async def test_others_can_read_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    if not guarded:
        opening = os.open
        monkeypatch.setattr(os, "open", lambda path, flags, mode=0o777: opening(path, flags, mode | 0o066))
        monkeypatch.setattr(home_files, "make_private", nothing)
    async with at_home(tmp_path) as here:
        await here.say(SECRET)
        modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.glob("lyra.db*")}
    assert modes and (not any(modes.values())) is guarded, modes


@BOTH
async def test_the_part_of_a_killed_backup_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    left = tmp_path / "copy.lyra.0123.part"
    if not guarded:
        monkeypatch.setattr(Unfinished, "clear", nothing)
    async with at_home(tmp_path) as here:
        (tmp_path / "backups").mkdir(exist_ok=True)
        left.touch()
        (tmp_path / "backups" / "0123").write_text(str(left))
        await here.memory.backup(tmp_path / "copy.lyra")
    assert left.exists() is not guarded


@BOTH
async def test_what_was_sent_keeps_its_words(home: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    async def not_now(self: Outbox, before: int) -> None:
        pass

    async with lyra() as app:
        await say(app, [SECRET, "what opens the safe?"])
        async with app.memory.db.transaction() as tx:
            await tx.run("UPDATE outbox SET sent_at = sent_at - :day", {"day": DAY})
    if not guarded:
        monkeypatch.setattr(Outbox, "blank", not_now)
    async with lyra() as app:
        sent = await app.memory.db.all("SELECT text FROM outbox")
        assert sent and (not any(row["text"] for row in sent)) is guarded


@BOTH
def test_a_session_of_any_length_is_taken(monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    if not guarded:
        monkeypatch.setattr("memory.transfer.jsonl.MOST_NAME", 100_000)
    line = json.dumps({"content": "x", "session": "s" * 60_000}).encode()
    (read,) = read_jsonl(io.BytesIO(line), "UTC", "ada")
    assert isinstance(read, BadLine) is guarded


@pytest.mark.parametrize(("most", "steps"), [(5, [5, 5, 2]), (100, [12])], ids=["in steps", "the twin"])
async def test_much_is_erased_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, steps: list[int]) -> None:
    done: list[int] = []

    async def erased(tx: Transaction, items: Sequence[int], now: int) -> Forgotten:
        done.append(len(items))
        return await erase.erase(tx, items, now)

    monkeypatch.setattr("memory.forget.forgetting.erase", erased)
    monkeypatch.setattr("memory.forget.forgetting.STEP", most)
    async with at_home(tmp_path) as here:
        for n in range(12):
            await here.say(f"{SECRET} {n}")
        await here.view.forget_session(here.session)
    assert done == steps
