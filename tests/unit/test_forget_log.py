"""The log of tombstones: written before any row goes, read at every open, and never without what was forgotten."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.errors import DiskFull, SourceGone, TombstonesDamaged
from memory.forget import gone
from memory.forget.forgetting import Forgetting
from memory.forget.gone import ForgottenScope
from memory.forget.tombstones import Tombstones
from memory.store import restoring
from memory.types import Forgotten
from tests.kits.memory_kit import KEY, Clock, at_home, corner, cornered, gists_about, opened, said
from tests.unit.test_forget import FEW, SECRET, digested, holding


class Dies(Tombstones):
    """A log behind which the process dies, once it has something to write."""

    async def append(self, names: Sequence[str]) -> None:
        """Write, and go no further."""
        await super().append(names)
        raise ConnectionAbortedError


async def test_the_tombstone_is_on_disk_before_any_row_goes_and_the_next_open_finishes_the_work(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with cornered(path, clock=clock) as here:
        secret = await here.say(SECRET)
        await here.reply(f"You said {SECRET}", [secret.key])
        dying = Forgetting(here.memory.db, Dies(here.memory.db, tmp_path / "tombstones.log"), here.memory.places.seal, clock)
        with pytest.raises(ConnectionAbortedError):
            await dying.forget(here.domain, ForgottenScope([secret.key]))
        assert secret.id in (tmp_path / "tombstones.log").read_text()
        assert len(await here.found("Xerxes")) == 2, "nothing is half gone"
    for receipt in (Forgotten(1, 0, 1), Forgotten(0, 0, 0)):
        async with opened(path, clock=clock) as memory:
            assert memory.forgotten_at_open == receipt
            assert await holding(await corner(memory, clock), "Xerxes") == []


async def test_what_is_going_is_not_read_and_the_next_open_finishes_the_sweep(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with cornered(path, clock=clock, habits=FEW) as here:
        first = [await here.say(f"{SECRET} {n}") for n in range(12)]
        await here.reply("as you said", [first[0].key])
        await digested(here)
        async with here.memory.db.transaction() as tx:
            await gone.add(tx, here.domain, ForgottenScope(session=here.session.key), clock.now())
        later = await here.say("the tomatoes are ripe")
        assert SECRET not in " ".join(await here.found("Xerxes")) and await here.found("tomatoes") == [later.text]
        assert [e.text for e in await here.view.messages.window(here.session, 50)] == [later.text]
        assert (await here.view.digests.tiers(here.session, 0)).frontier == []
        assert [e.text async for _, e in here.view.messages.all()] == [later.text]
        assert await here.view.digests.all() == [] and await gists_about(here.view, "Xerxes", 5) == []
        with pytest.raises(SourceGone):
            await here.reply("Xerxes again", [first[3].key])
        assert await here.memory.dirty(here.domain) == []
        async with here.memory.db.transaction() as tx:
            await tx.run("UPDATE gone SET upto = -1")
        assert " ".join(await here.found("Xerxes")).count(SECRET) == 12, "without that row everything is read"
        async with here.memory.db.transaction() as tx:
            await tx.run("UPDATE gone SET upto = :upto", {"upto": later.key - 1})
    async with opened(path, clock=clock) as memory:
        assert memory.forgotten_at_open.messages == 12
        here = await corner(memory, clock)
        assert await holding(here, "Xerxes") == [] and await here.found("tomatoes") == [later.text]


@pytest.mark.file
async def test_an_older_file_put_back_does_not_bring_it_back(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "lyra.db"
    async with cornered(path, clock=clock) as here:
        secret = await here.say(SECRET, source="s1")
        other = await here.say("the tomatoes are ripe")
        await digested(here)
        await here.memory.backup(tmp_path / "backup.db")
        await here.view.forget_message(secret.id)
    await restoring.stage(tmp_path / "backup.db", KEY, path)
    restoring.decide(path)
    restoring.finish(path, clock.now())
    log = tmp_path / "tombstones.log"
    kept = log.read_bytes()
    log.unlink()
    async with opened(path, clock=clock) as memory:
        assert SECRET in await (await corner(memory, clock)).found("Xerxes"), "without the log it would be back"
    log.write_bytes(kept)
    async with cornered(path, clock=clock) as here:
        assert here.memory.forgotten_at_open.messages == 1 and here.memory.forgotten_at_open.digests >= 1
        assert await holding(here, "Xerxes") == [] and await here.found("tomatoes") == [other.text]
        assert (await here.view.say(here.session, [said(SECRET, "s1")])).forgotten == 1


@pytest.mark.file
async def test_a_log_that_was_lost_is_written_again_from_the_memory(tmp_path: Path) -> None:
    clock, log = Clock(), tmp_path / "tombstones.log"
    async with cornered(tmp_path / "lyra.db", clock=clock) as here:
        secret = await here.say(SECRET, source="s1")
        await here.memory.backup(tmp_path / "backup.db")
        await here.view.forget_message(secret.id)
    for _ in range(2):
        async with opened(tmp_path / "lyra.db", clock=clock):
            pass
    log.unlink()
    async with opened(tmp_path / "lyra.db", clock=clock):
        assert secret.id in log.read_text().split()
    await restoring.stage(tmp_path / "backup.db", KEY, tmp_path / "lyra.db")
    restoring.decide(tmp_path / "lyra.db")
    restoring.finish(tmp_path / "lyra.db", clock.now())
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        assert await holding(await corner(memory, clock), "Xerxes") == []


@pytest.mark.file
@pytest.mark.parametrize("before", [0, 1, 2], ids=["of the first day", "of the day before", "of another process"])
async def test_a_log_is_completed_that_is_older_than_what_was_forgotten_last(tmp_path: Path, before: int) -> None:
    clock, log = Clock(), tmp_path / "tombstones.log"
    async with cornered(tmp_path / "lyra.db", clock=clock) as here:
        secret, *others = [await here.say(text, source=text) for text in (SECRET, "the boat is red", "the barn is green")]
        await here.memory.backup(tmp_path / "backup.db")
        for other in others[:before]:
            await here.view.forget_message(other.id)
    older = log.read_bytes() if before else b""
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        await (await corner(memory, clock)).view.forget_message(secret.id)
    log.write_bytes(older)
    async with opened(tmp_path / "lyra.db", clock=clock):
        assert {one.id for one in (secret, *others[:before])} <= {*log.read_text().split()}
    written = log.read_bytes()
    await restoring.stage(tmp_path / "backup.db", KEY, tmp_path / "lyra.db")
    restoring.decide(tmp_path / "lyra.db")
    restoring.finish(tmp_path / "lyra.db", clock.now())
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        assert await holding(await corner(memory, clock), "Xerxes") == []
        assert log.read_bytes() == written, "once completed, it is whole"


@pytest.mark.file
@pytest.mark.parametrize("how", ["a letter", "zeros", "noise", "a line of something else"])
async def test_a_damaged_log_is_refused_where_it_could_let_something_come_back(tmp_path: Path, how: str) -> None:
    clock, path, log = Clock(), tmp_path / "lyra.db", tmp_path / "tombstones.log"
    async with cornered(path, clock=clock) as here:
        secret = await here.say(SECRET, source="s1")
        await here.memory.backup(tmp_path / "backup.db")
        await here.view.forget_message(secret.id)
    whole = log.read_bytes()
    at = whole.index(secret.id.encode()) + 3
    other = b"a" if whole[at : at + 1] != b"a" else b"b"
    log.write_bytes({
        "a letter": whole[:at] + other + whole[at + 1 :], "zeros": bytes(len(whole)),
        "noise": bytes(range(128, 256)), "a line of something else": b"Dear diary\n" + whole,
    }[how])  # fmt: skip
    await restoring.stage(tmp_path / "backup.db", KEY, path)
    restoring.decide(path)
    restoring.finish(path, clock.now())
    with pytest.raises(TombstonesDamaged, match="lines"):
        async with opened(path, clock=clock):
            pass
    log.write_bytes(whole)
    async with opened(path, clock=clock) as memory:
        assert await holding(await corner(memory, clock), "Xerxes") == []


async def test_a_torn_line_in_the_log_spoils_no_other(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        (tmp_path / "tombstones.log").write_text("abcdef")  # a power cut in the middle of a line
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        assert secret.id in (tmp_path / "tombstones.log").read_text().split()


@pytest.mark.parametrize("room", [0, 10], ids=["no room", "room for half a tombstone"])
async def test_without_room_for_the_tombstone_nothing_is_forgotten_and_that_is_said(
    tmp_path: Path, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        log = tmp_path / "tombstones.log"
        write = os.write

        def full(handle: int, data: bytes) -> int:
            left = room - log.stat().st_size
            if left <= 0:
                raise OSError(28, "No space left on device")
            return write(handle, data[:left])

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(DiskFull, match="Nothing was forgotten"):
                await here.view.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET]
        await here.view.forget_message(secret.id)
        assert secret.id in log.read_text().split()


async def test_the_log_can_be_read_by_its_owner_alone_and_holds_no_words(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        log = tmp_path / "tombstones.log"
        assert log.stat().st_mode & 0o777 == 0o600
        words = log.read_text().split()
        assert words[0] == secret.id and [len(word) for word in words] == [26, 8] * 6


@pytest.mark.file
async def test_how_much_of_a_log_is_damaged_is_told_of_all_of_it(tmp_path: Path) -> None:
    clock, path, log = Clock(), tmp_path / "lyra.db", tmp_path / "tombstones.log"
    for secret in ("Xerxes", "Ottilie"):
        async with cornered(path, clock=clock) as here:
            await here.view.forget_message((await here.say(secret, source=secret)).id)
    async with opened(path, clock=clock):
        """Read what was written."""
    lines = log.read_text().split()[::2]
    log.write_text(f"{log.read_text()}a line of something else\n")
    with pytest.raises(TombstonesDamaged, match=rf"\(1 of {len(lines) + 1} lines\)"):
        async with opened(path, clock=clock):
            pass
