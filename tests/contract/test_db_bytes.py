"""What the file holds, byte by byte: no words while it is encrypted, and nothing of what was forgotten, ever."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.journal.journal import Event, Part
from memory.ports import Entry as Said
from memory.store.sqlite.database import SqliteDatabase
from tests.fakes.pulse import PATIENCE
from tests.kits.memory_kit import KEY, BagOfWords, Corner, Writer, answering, at_home, raising

pytestmark = pytest.mark.file

SECRET = "the safe opens with quixotic-zanzibar-77"
WORDS = (b"quixotic", b"zanzibar", "quixotic".encode("utf-16-le"))


def traces(folder: Path) -> list[str]:
    """Return which files of a home hold a word of the secret."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if path.is_file() and any(word in path.read_bytes().lower() for word in WORDS)
    ]


async def talked(here: Corner) -> str:
    """Say the secret among other things, so that it is heard, kept, indexed, answered, digested, refused and queued."""
    journal = here.memory.journal
    await journal.accept("console", [Event("s1", "dm", f'{{"text": "{SECRET}"}}')])
    secret = await here.say(SECRET, source="s1")
    for n in range(30):
        await here.say(f"an ordinary remark about the garden, number {n}, " + "and more " * 40)
    await here.reply(f"You told me: {SECRET}", [secret.key], parts=[Part("p1", f"You told me: {SECRET}")])
    writer = Writer(moves=[answering(Said(f"{SECRET} in Atlantis", ("m1",)))])
    consolidator = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    await consolidator.close_episodes(here.session, asked=True)
    await consolidator.digest(here.session)
    await consolidator.summary(here.session)
    await here.view.embed()
    return secret.id


async def test_an_encrypted_memory_shows_no_word_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, KEY, embedder=BagOfWords()) as here:
        await talked(here)
        assert traces(tmp_path) == [], "while it is open, with its log"
    assert traces(tmp_path) == [], "after it was closed"


async def test_without_encryption_the_same_words_can_be_seen(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, embedder=BagOfWords()) as here:
        await talked(here)
        assert traces(tmp_path) != []


async def test_no_byte_of_a_forgotten_message_stays_behind(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, embedder=BagOfWords()) as here:
        await here.view.forget_message(await talked(here))
        await here.memory.db.checkpoint()
        assert traces(tmp_path) == [], "while it is open, with its log"
        assert await here.found("garden"), "the rest is still there"
    assert traces(tmp_path) == [], "after it was closed"


async def test_no_byte_of_a_forgotten_session_stays_behind(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, embedder=BagOfWords()) as here:
        await talked(here)
        await here.view.forget_session(here.session)
        await here.memory.db.checkpoint()
        assert traces(tmp_path) == []


@pytest.mark.parametrize("new", ["now a key", SECRET.replace("quixotic-zanzibar", "rosehips-umbrella"), "and more " * 2000],
                         ids=["shorter", "as long", "far longer"])  # fmt: skip
async def test_no_byte_of_the_words_that_an_edit_took_out_stays_behind(tmp_path: Path, new: str) -> None:
    async with at_home(tmp_path, None, embedder=BagOfWords()) as here:
        await talked(here)
        await here.view.preview(here.session, Part("p2", SECRET), "s1")
        await here.memory.journal.replace("console", "s1", '{"text": "other words"}')
        assert await here.memory.kept.revise("console", "dm", "s1", new, 1)
        assert traces(tmp_path) == [], "while it is open, with its log"
        assert new in [e.text async for _, e in here.view.messages.all()]
    assert traces(tmp_path) == [], "after it was closed"


async def test_no_byte_of_a_withdrawn_message_stays_behind(tmp_path: Path) -> None:
    async with at_home(tmp_path, None, embedder=BagOfWords()) as here:
        await talked(here)
        await here.memory.journal.accept("console", [Event("s99", "dm", SECRET)])
        assert await here.memory.kept.withdraw("console", "dm", ["s1", "s99"])
        assert traces(tmp_path) == [], "while it is open, with its log"
    assert traces(tmp_path) == [], "after it was closed"


async def test_no_byte_stays_behind_when_its_event_was_given_up(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        (heard,) = await here.memory.journal.accept("console", [Event("s1", "dm", SECRET)])
        secret = await here.say(SECRET, source="s1")
        await here.memory.journal.hold([heard.key], "no model", 1)
        assert await here.memory.journal.parked() == 1
        await here.view.forget_message(secret.id)
        await here.memory.db.checkpoint()
        assert traces(tmp_path) == []


async def test_no_byte_stays_behind_of_a_draft_that_is_refused_after_its_source_was_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        secret = await here.say(SECRET)
        for n in range(5):
            await here.say(f"an ordinary remark, number {n}")

        async def forgets(task: object) -> list[Said]:
            await here.view.forget_message(secret.id)
            return [Said(f"{SECRET} in Atlantis", ("m1",))]

        writer = Writer(moves=[forgets])
        consolidator = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
        await consolidator.close_episodes(here.session, asked=True)
        await consolidator.digest(here.session)
        await here.memory.db.checkpoint()
        assert traces(tmp_path) == []
        assert await consolidator.due(here.session) == [], "a gist of the rest stands"


async def test_a_checkpoint_empties_the_log(tmp_path: Path) -> None:
    async with at_home(tmp_path, KEY) as here:
        await talked(here)
        log = tmp_path / "lyra.db-wal"
        assert log.stat().st_size > 0
        await here.memory.db.checkpoint()
        assert log.stat().st_size == 0


async def test_a_writer_out_of_reach_leaves_no_draft(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        await here.say(SECRET)
        consolidator = Deriving(here.memory).consolidator(
            here.domain, Writer(moves=[raising(WriterFailed("The model cannot be reached."))]), Writer()
        )
        await consolidator.close_episodes(here.session, asked=True)
        with pytest.raises(WriterFailed):
            await consolidator.digest(here.session)
        assert await here.count("refusals") == 0


def half_read(path: Path) -> sqlite3.Cursor:
    """Read half of something in another connection, and stay in the middle of it."""
    reader = sqlite3.connect(path).execute("SELECT text FROM exchanges")
    reader.fetchone()
    return reader


def left(reader: sqlite3.Cursor) -> None:
    """Stop reading."""
    reader.close()
    reader.connection.close()


async def test_a_checkpoint_that_a_reader_holds_up_says_so_lets_others_write_and_is_done_when_he_is(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        for n in range(3):
            await here.say(f"an ordinary remark, number {n}")
        reader = half_read(here.memory.path)
        log = tmp_path / "lyra.db-wal"
        assert await here.memory.db.checkpoint(patience=0) is False and log.stat().st_size > 0
        waiting = asyncio.create_task(here.memory.db.checkpoint(patience=60))
        for _ in range(5):
            async with asyncio.timeout(PATIENCE):
                await here.say("what is said meanwhile")
        assert not waiting.done()
        left(reader)
        async with asyncio.timeout(PATIENCE):
            assert await waiting is True
        assert log.stat().st_size == 0


async def test_asked_once_a_checkpoint_behind_a_reader_leaves_the_bytes_where_they_are(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        secret = await here.say(SECRET)
        await here.say("an ordinary remark")
        reader = half_read(here.memory.path)
        async with here.memory.db.transaction() as tx:
            await tx.run("UPDATE exchanges SET text = '' WHERE item = :item", {"item": secret.key})
        assert isinstance(here.memory.db, SqliteDatabase)
        await here.memory.db._writer.execute_fetchall("PRAGMA busy_timeout=0")
        await here.memory.db._writer.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        left(reader)
        assert "lyra.db-wal" in traces(tmp_path)
