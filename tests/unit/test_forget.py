"""Forgetting: a message goes with everything that rests on it, at once, for good, and takes nothing else along."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.core import Habits
from memory.deriving import Deriving
from memory.errors import DiskFull, NotFound, SourceGone, TombstonesDamaged
from memory.forget import gone
from memory.forget.forgetting import Forgetting
from memory.forget.gone import Scope
from memory.forget.tombstones import Tombstones
from memory.journal.journal import Event, Part
from memory.ports import Entry
from memory.store import restoring
from memory.tiers.episodes import Rules
from memory.types import Forgotten, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.kits.fresh import columns
from tests.kits.memory_kit import KEY, BagOfWords, Clock, Corner, Writer, answering, at_home, corner, opened, said

SECRET = "the parrot is called Xerxes"
FEW = Habits(Rules(count=4))


async def digested(here: Corner, writer: Writer | None = None) -> None:
    """Close what there is and write its digests and summary."""
    writer = writer or Writer()
    consolidator = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    await consolidator.close_episodes(here.session, asked=True)
    await consolidator.digest(here.session)
    await consolidator.summary(here.session)


async def holding(here: Corner, word: str) -> list[str]:
    """Return which columns of the whole file hold a word."""
    found = []
    for table, column in await columns(here.memory.db):
        rows = await here.memory.db.all(f"SELECT {column} AS held FROM {table}")
        if any(word.lower() in repr(row["held"]).lower() for row in rows):
            found.append(f"{table}.{column}")
    return sorted(found)


@pytest.mark.usefixtures("store")
async def test_a_message_goes_with_all_that_was_made_from_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(), habits=FEW) as here:
        await here.memory.journal.accept("console", [Event("s1", "dm", SECRET)])
        secret = await here.say(SECRET, source="s1")
        others = [await here.say(f"an ordinary remark about tomatoes {n}") for n in range(40)]
        reply = await here.reply(f"You said {SECRET}", [secret.key], parts=[Part("p1", f"You said {SECRET}")])
        further = await here.reply("Xerxes, as I said", [reply.key])
        await digested(here, Writer(moves=[answering(Entry("Xerxes in Atlantis", ("m1",)))]))
        await here.view.embed()
        assert set(await holding(here, "Xerxes")) == {
            "digests.text", "exchanges.text", "inbox.payload", "outbox.text", "refusals.answer",
        }  # fmt: skip

        receipt = await here.view.forget_message(secret.id.upper() + "\n")
        assert await holding(here, "Xerxes") == []
        gone = {secret.key, reply.key, further.key}
        assert (receipt.messages, receipt.replies) == (1, 2) and receipt.digests >= 2
        for table in ("terms", "vectors", "exchanges"):
            assert not gone & {row["item"] for row in await here.memory.db.all(f"SELECT item FROM {table}")}, table
        assert not gone & {n for row in await here.memory.db.all("SELECT * FROM lineage") for n in (row["child"], row["parent"])}
        outbox = await here.memory.db.all("SELECT state, text FROM outbox")
        assert [(row["state"], row["text"]) for row in outbox] == [("cancelled", "")]
        assert await here.memory.journal.unfinished("console") == []
        assert sorted(await here.found("tomatoes", 100)) == sorted(e.text for e in others), "all others are found"

        await digested(here)
        assert await here.count("digests") > 0 and await holding(here, "Xerxes") == []


async def test_what_was_forgotten_is_refused_when_it_comes_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET, source="s1")
        await here.view.forget_message(secret.id)
        for _ in range(2):
            kept = await here.view.say(here.session, [said(SECRET, "s1"), said("something new", "s2")])
            assert kept.forgotten == 1
        assert [message.text async for _, message in here.view.messages.all()] == ["something new"]
        with pytest.raises(NotFound):
            await here.view.forget_message(secret.id)


async def test_without_its_tombstone_it_would_come_back(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.forget_message((await here.say(SECRET, source="s1")).id)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM tombstones")
            await tx.run("UPDATE items SET public_id = 'x' || id WHERE dead_at IS NOT NULL")
        assert len((await here.view.say(here.session, [said(SECRET, "s1")])).stored) == 1


async def test_a_reply_that_went_with_its_source_may_be_offered_again_and_stays_away(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET, source="s1")
        reply = await here.reply(f"You said {SECRET}", [secret.key])
        await here.view.forget_message(secret.id)
        again = NewExchange(Kind.REPLY, reply.text, reply.source_id, reply.said_at, "Lyra", "assistant")
        assert (await here.view.say(here.session, [again])).stored == []
        assert await here.view.answer(here.session, Answer(again, (), (), [Part("p1", reply.text)])) is None
        assert await holding(here, "Xerxes") == []


async def test_an_answer_from_what_was_forgotten_meanwhile_is_not_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.forget_message(secret.id)
        with pytest.raises(SourceGone):
            await here.reply(f"You said {SECRET}", [secret.key], parts=[Part("p1", SECRET)])
        assert await holding(here, "Xerxes") == []


async def test_a_session_goes_whole_and_leaves_the_others(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=FEW) as here:
        other = await here.view.sessions.get(SessionRef("console", "other"), "other")
        await here.say("the tomatoes are elsewhere", session=other)
        for n in range(120):
            await here.say(f"{SECRET} {n}")
        await digested(here)
        receipt = await here.view.forget_session(here.session)
        assert receipt.messages == 120 and receipt.digests > 30
        assert await holding(here, "Xerxes") == []
        assert await here.found("tomatoes") == ["the tomatoes are elsewhere"]
        assert await here.count("episodes") == 0 and await here.count("digests") == 0
        assert (await here.view.forget_session(here.session)).messages == 0


async def test_what_is_elsewhere_is_not_found(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        bob = await corner(here.memory, here.clock, "bob")
        with pytest.raises(NotFound):
            await bob.view.forget_message(secret.id)
        with pytest.raises(NotFound):
            await bob.view.forget_session(here.session)
        reader = here.memory.view(bob.domain, [here.domain])
        with pytest.raises(NotFound):
            await reader.forget_message(secret.id)
        assert await here.found("Xerxes") == [SECRET]


async def test_a_reply_in_another_place_of_the_same_person_goes_too(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        phone = await corner(here.memory, here.clock, "ada-phone")
        phone.view = here.memory.view(phone.domain, [here.domain])
        reply = await phone.reply(f"You said {SECRET}", [secret.key], echo=True, parts=[Part("p1", SECRET)])
        await here.view.forget_message(secret.id)
        assert reply.text not in [e.text for e in await phone.view.messages.window(phone.session, 10)]
        assert await holding(here, "Xerxes") == []


async def test_who_holds_a_session_while_all_of_it_is_forgotten_goes_on_in_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        late = await corner(here.memory, here.clock, "ada", place="a place with a name")
        await late.say(SECRET)
        await late.view.forget_session(late.session)
        assert await holding(here, "Xerxes") == [] and "a place with a name" not in [
            s.name for s in await here.view.sessions.all()
        ]
        cy = await corner(here.memory, here.clock, "cy")
        await cy.say("what cy says")
        await bob.say("what bob says")
        await late.say("and now the tomatoes")
        assert [e.text for e in await cy.view.messages.window(cy.session, 10)] == ["what cy says"]
        assert [e.text for e in await late.view.messages.window(late.session, 10)] == ["and now the tomatoes"]
        again = await late.view.sessions.get(late.session.ref, "a new name")
        assert (again.key, again.name) == (late.session.key, "a new name")


class Dies(Tombstones):
    """A log behind which the process dies, once it has something to write."""

    async def append(self, names: Sequence[str]) -> None:
        """Write, and go no further."""
        await super().append(names)
        raise ConnectionAbortedError


async def test_the_tombstone_is_on_disk_before_any_row_goes_and_the_next_open_finishes_the_work(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
        secret = await here.say(SECRET)
        await here.reply(f"You said {SECRET}", [secret.key])
        dying = Forgetting(memory.db, Dies(memory.db, tmp_path / "tombstones.log"), memory.places.seal, clock)
        with pytest.raises(ConnectionAbortedError):
            await dying.forget(here.domain, Scope([secret.key]))
        assert secret.id in (tmp_path / "tombstones.log").read_text()
        assert len(await here.found("Xerxes")) == 2, "nothing is half gone"
    for receipt in (Forgotten(1, 0, 1), Forgotten(0, 0, 0)):
        async with opened(path, clock=clock) as memory:
            assert memory.forgotten_at_open == receipt
            assert await holding(await corner(memory, clock), "Xerxes") == []


async def test_what_is_going_is_not_read_and_the_next_open_finishes_the_sweep(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with opened(path, clock=clock, habits=FEW) as memory:
        here = await corner(memory, clock)
        first = [await here.say(f"{SECRET} {n}") for n in range(12)]
        await here.reply("as you said", [first[0].key])
        await digested(here)
        async with memory.db.transaction() as tx:
            await gone.add(tx, here.domain, Scope(session=here.session.key), clock.now())
        later = await here.say("the tomatoes are ripe")
        assert SECRET not in " ".join(await here.found("Xerxes")) and await here.found("tomatoes") == [later.text]
        assert [e.text for e in await here.view.messages.window(here.session, 50)] == [later.text]
        assert await here.view.digests.frontier(here.session) == [] and await here.view.digests.newest_gists(5) == []
        assert [e.text async for _, e in here.view.messages.all()] == [later.text]
        assert await here.view.digests.all() == [] and await here.view.recall.gists("Xerxes", 5) == []
        with pytest.raises(SourceGone):
            await here.reply("Xerxes again", [first[3].key])
        assert await memory.dirty(here.domain) == []
        async with memory.db.transaction() as tx:
            await tx.run("UPDATE gone SET upto = -1")
        assert " ".join(await here.found("Xerxes")).count(SECRET) == 12, "without that row everything is read"
        async with memory.db.transaction() as tx:
            await tx.run("UPDATE gone SET upto = :upto", {"upto": later.key - 1})
    async with opened(path, clock=clock) as memory:
        assert memory.forgotten_at_open.messages == 12
        here = await corner(memory, clock)
        assert await holding(here, "Xerxes") == [] and await here.found("tomatoes") == [later.text]


@pytest.mark.file
async def test_an_older_file_put_back_does_not_bring_it_back(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "lyra.db"
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
        secret = await here.say(SECRET, source="s1")
        other = await here.say("the tomatoes are ripe")
        await digested(here)
        await memory.backup(tmp_path / "backup.db")
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
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
        assert memory.forgotten_at_open.messages == 1 and memory.forgotten_at_open.digests >= 1
        assert await holding(here, "Xerxes") == [] and await here.found("tomatoes") == [other.text]
        assert (await here.view.say(here.session, [said(SECRET, "s1")])).forgotten == 1


@pytest.mark.file
async def test_a_log_that_was_lost_is_written_again_from_the_memory(tmp_path: Path) -> None:
    clock, log = Clock(), tmp_path / "tombstones.log"
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        here = await corner(memory, clock)
        secret = await here.say(SECRET, source="s1")
        await memory.backup(tmp_path / "backup.db")
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
    async with opened(tmp_path / "lyra.db", clock=clock) as memory:
        here = await corner(memory, clock)
        secret, *others = [await here.say(text, source=text) for text in (SECRET, "the boat is red", "the barn is green")]
        await memory.backup(tmp_path / "backup.db")
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
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
        secret = await here.say(SECRET, source="s1")
        await memory.backup(tmp_path / "backup.db")
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


async def test_a_notice_that_waits_to_be_sent_is_dropped_with_what_it_may_quote(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET)
        await here.view.notices.queue(here.session, [Part("k", SECRET)], [])
        await here.view.forget_message(secret.id)
        assert await holding(here, "Xerxes") == []
        assert await here.memory.journal.take(here.session.ref.platform, here.session.ref.place) == []
