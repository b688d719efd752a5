"""When a platform says that messages were removed, they are forgotten wherever they are kept, and nothing else is touched."""

import asyncio
from pathlib import Path

import pytest

from memory.core import Memory
from memory.journal.journal import Event, Part
from memory.types import Forgotten, SessionRef
from tests.kits.memory_kit import Corner, at_home, corner, said
from tests.unit.test_forget import digested, holding

SECRET = "the parrot is called Xerxes"


async def withdrawn(memory: Memory, *ids: str) -> Forgotten | None:
    """Say that these messages were removed from the place of every test."""
    return await memory.kept.withdraw("console", "dm", ids)


def size(folder: Path) -> int:
    """Return how much was ever written to the log of a database."""
    return (folder / "lyra.db-wal").stat().st_size


async def sent(here: Corner, text: str, key: str, remote: str, sources: list[int]) -> None:
    """Answer, and have the answer arrive under an id of the platform."""
    await here.reply(text, sources, parts=[Part(key, text)])
    (row,) = await here.memory.journal.take("console", "dm")
    await here.memory.journal.sent(row.row, remote)


async def test_removed_messages_go_with_all_that_rests_on_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say(SECRET, source="s1")
        await here.say("it is green", source="s2")
        await here.say("the tomatoes are ripe", source="s3")
        await here.reply(f"You said {SECRET}", [secret.key])
        await digested(here)
        assert await withdrawn(here.memory, "s1", "s2", "s9") == Forgotten(2, 1, 1)
        assert await holding(here, "Xerxes") == [] and await holding(here, "green") == []
        assert [e.text async for _, e in here.view.messages.all()] == ["the tomatoes are ripe"]
        assert secret.id in (tmp_path / "tombstones.log").read_text().split()
        again = await here.view.say(here.session, [said(SECRET, "s1")])
        assert (again.forgotten, again.stored) == (1, [])


@pytest.mark.file
async def test_where_nothing_is_known_nothing_is_written(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        (done,) = await here.memory.journal.accept("console", [Event("e1", "dm", "one")])
        await here.memory.journal.drop([done.key])
        await here.say(SECRET, source="s1")
        await here.view.notices.queue(here.session, [Part("k1", "a notice")], [])
        before = size(tmp_path)
        assert await withdrawn(here.memory, "s9", "e1", "") is None and await withdrawn(here.memory) is None
        for platform, place in (("console", "elsewhere"), ("matrix", "dm")):
            assert await here.memory.kept.withdraw(platform, place, ["s1"]) is None
        assert size(tmp_path) == before and not (tmp_path / "tombstones.log").exists()
        assert await withdrawn(here.memory, "s1"), "while what is known is gone"
        assert await withdrawn(here.memory, "s1") is None, "and is known no more"


async def test_of_many_removed_messages_all_go(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.say(here.session, [said(f"remark {n}", f"s{n}") for n in range(1200)])
        receipt = await withdrawn(here.memory, *(f"s{n}" for n in range(1199)))
        assert receipt and receipt.messages == 1199
        assert [e.text async for _, e in here.view.messages.all()] == ["remark 1199"]


async def test_a_reply_that_was_removed_is_forgotten_and_its_question_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked = await here.say("what is it called?", source="s1")
        await sent(here, "Xerxes", "k1", "remote 1", [asked.key])
        assert await withdrawn(here.memory, "remote 1") == Forgotten(0, 0, 1)
        assert await holding(here, "Xerxes") == []
        assert [e.text async for _, e in here.view.messages.all()] == ["what is it called?"]
        assert await withdrawn(here.memory, "remote 1") is None, "as when she removes it herself afterwards"


async def test_a_message_goes_from_whichever_conversation_of_its_place_it_is_in(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        later = await here.view.sessions.get(SessionRef("console", "dm", 3), "later")
        await bob.say(SECRET, source="s1")
        await here.say(SECRET, source="s2", session=later)
        assert await withdrawn(here.memory, "s1", "s2") == Forgotten(2, 0, 0)
        assert await holding(here, "Xerxes") == []


async def test_what_was_heard_and_not_kept_yet_is_never_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        later = await here.view.sessions.get(SessionRef("console", "dm", 2), "later")
        bob = await corner(here.memory, here.clock, "bob")
        heard, other = await journal.accept("console", [Event("s1", "dm", SECRET), Event("s2", "dm", "two")])
        await journal.hold([heard.key], "no model")
        assert await withdrawn(here.memory, "s1") == Forgotten(0, 0, 0)
        assert await holding(here, "Xerxes") == []
        assert await journal.unfinished("console") == [other]
        for view, session in ((here.view, here.session), (here.view, later), (bob.view, bob.session)):
            assert (await view.say(session, [said(SECRET, "s1")])).forgotten == 1
        assert len((await here.view.say(here.session, [said("two", "s2")])).stored) == 1


async def test_without_its_tombstone_what_was_heard_before_would_be_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.memory.journal.accept("console", [Event("s1", "dm", SECRET)])
        await withdrawn(here.memory, "s1")
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM tombstones")
        assert len((await here.view.say(here.session, [said(SECRET, "s1")])).stored) == 1


async def test_what_is_removed_at_the_moment_when_it_is_kept_does_not_stay(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(20):
            await here.memory.journal.accept("console", [Event(f"s{n}", "dm", SECRET)])
            removing = asyncio.create_task(withdrawn(here.memory, f"s{n}"))
            for _ in range(n):
                await asyncio.sleep(0)
            await here.view.say(here.session, [said(SECRET, f"s{n}")])
            await removing
            assert await holding(here, "Xerxes") == []


async def test_what_was_heard_at_a_new_place_is_not_kept_in_its_first_conversation(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.memory.journal.accept("console", [Event("s1", "garden", SECRET)])
        ref = await here.view.sessions.active("console", "garden")
        assert await here.memory.kept.withdraw("console", "garden", ["s1"])
        garden = await here.view.sessions.get(ref, "garden")
        assert (await here.view.say(garden, [said(SECRET, "s1")])).forgotten == 1


async def test_a_removed_question_takes_its_preview_and_its_event_along(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.memory.journal.accept("console", [Event("s1", "dm", SECRET)])
        await here.say(SECRET, source="s1")
        await here.view.preview(here.session, Part("p1", "Xerxes is a"), "s1")
        assert await withdrawn(here.memory, "s1") == Forgotten(1, 0, 0)
        assert await holding(here, "Xerxes") == [] and await here.memory.journal.unfinished("console") == []
        assert [row["state"] for row in await here.memory.db.all("SELECT state FROM outbox WHERE key = 'p1'")] == ["cancelled"]


@pytest.mark.parametrize("place", ["dm", "elsewhere"])
async def test_what_is_known_of_a_place_is_what_is_stored_waits_or_went_out_there(tmp_path: Path, place: str) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        done, waiting = await journal.accept("console", [Event("e1", "dm", "one"), Event("e2", "dm", "two")])
        await journal.drop([done.key])
        asked = await here.say("what is it called?", source="s1")
        await sent(here, "Xerxes", "k1", "remote 1", [asked.key])
        await here.view.notices.queue(here.session, [Part("k2", "a notice")], [])
        (row,) = await journal.take("console", "dm")
        await journal.sent(row.row, "remote 2")
        known = await here.memory.kept.knows("console", place, ["e1", "e2", "s1", "s9", "remote 1", "remote 2", ""])
        assert known == ({"e2", "s1", "remote 1", "remote 2"} if place == "dm" else set())
        assert waiting in await journal.unfinished("console")
