"""What people meet on Discord when something fails: one sentence, nobody's words in the log, and nothing lost."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from memory.errors import DatabaseBusy, DiskFull
from memory.store import keys
from memory.store.sqlite.database import SqliteDatabase
from memory.types import DomainKind
from tests.fakes.openai_behaviours import Drip, Status
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server, server_of
from tests.kits.discord_town import Town

CANARY = "xylophonic"

town = discord_town.town


async def test_what_cannot_be_found_is_said_in_one_sentence(town: Town) -> None:
    async with town.lyra():
        for command, given in (("summarize", {"session": "nowhere"}), ("forget", {"what": "nothing"})):
            one_sentence(await town.reads(town.ada, town.general, command, **given))


async def test_a_model_that_fails_is_told_of_in_one_sentence(town: Town) -> None:
    async with model_server() as model, town.lyra(model=model):
        await town.says(town.ada, town.general, f"The {CANARY} harbour party is on Friday.")
        model.script(Status(401, f"No {CANARY} for you"))
        told = await town.reads(town.ada, town.general, "summarize")
        assert CANARY not in one_sentence(told)


@pytest.mark.file
async def test_a_memory_that_cannot_write_is_told_of_in_one_sentence(town: Town) -> None:
    async with town.lyra() as lyra:
        await room(lyra, 1)
        told = await town.reads(town.ada, town.general, "recall", query=CANARY + " x" * 2500)
        assert told == "Lyra could not store this; use the command again in a moment."
        await room(lyra, 1 << 30)
        assert await town.reads(town.ada, town.general, "recall", query=CANARY) == f'I found nothing about "{CANARY}".'


@pytest.mark.file
async def test_nobodys_words_are_in_the_log(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    dm = await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model, 'log_level = "debug"') as lyra:
        for place in (dm, town.general):
            said = await town.says(town.ada, place, f"The {CANARY} harbour party is on Friday.")
            for command, option in (("recall", "query"), ("summarize", "session"), ("new", "name"), ("forget", "what")):
                await town.asks(town.ada, place, command, **{option: f"{CANARY} {command}"})
            found = await town.asks(town.ada, place, "recall", query=CANARY)
            await town.ada.completes(place, "recall", "query", CANARY)
            model.script(*[Status(400, f"No {CANARY}")] * 2)
            await town.says(town.ada, place, f"{CANARY}?")
            await town.asks(town.ada, place, "summarize")
            await town.asks(town.ada, place, "summarize", last=5)
            await town.asks(town.eve, town.staff, "settings", setting="time zone", value=CANARY)
            await town.uses_menu(town.ada, "Remember this", said)
            await town.presses(town.ada, found, "Forget 1")
        await room(lyra, 1)
        await town.reads(town.ada, dm, "recall", query=CANARY + " x" * 2500)
        await room(lyra, 1 << 30)
        assert any(CANARY in text for text in await lyra.kept(DomainKind.DM, town.ada.id))
        assert any(CANARY in text for text in await lyra.kept(*server_of(town.guild)))
    written = "".join(capsys.readouterr()) + logged(town)
    assert "could not be handled: DiskFull" in written and CANARY not in written


@pytest.mark.file
async def test_a_memory_that_another_process_keeps_busy_loses_nothing_and_ends_nothing(town: Town) -> None:
    async with model_server() as model:
        async with town.lyra(model) as lyra:
            await town.says(town.ada, town.general, "hello")
            asked = len(model.requests)
            model.script(Drip("You will not read this", 0.05))
            question = await town.ada.says(town.general, f"{town.server.mention} When is the harbour party?")
            await model.heard(asked + 1)
            async with held(town, lyra):
                await lyra.talk.mailboxes.drain(10)
        assert "turn.left" in logged(town)
        assert question.id not in [one.reply_to for one in town.server.world.said]
        async with town.lyra(model):
            assert (await town.answer(question)).content.endswith("When is the harbour party?")


@pytest.mark.file
async def test_what_a_busy_memory_left_is_answered_once_it_can_be_written_again(town: Town) -> None:
    """Not only at the next start: nothing may end her for months."""
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "hello")
        asked = len(model.requests)
        model.script(Drip("You will not read this", 0.05))
        question = await town.ada.says(town.general, f"{town.server.mention} When is the harbour party?")
        await model.heard(asked + 1)
        async with held(town, lyra), asyncio.timeout(PATIENCE):
            while lyra.talk.mailboxes.waiting:
                await asyncio.sleep(0.01)
            with suppress(DatabaseBusy):
                await lyra.talk.tick()
        assert "turn.left" in logged(town)
        await lyra.talk.tick()
        assert (await town.answer(question)).content.endswith("When is the harbour party?")


def logged(town: Town) -> str:
    """Return what stands in the log."""
    return (town.home / "lyra.log").read_text("utf-8")


@asynccontextmanager
async def held(town: Town, lyra: Awake) -> AsyncIterator[None]:
    """Let another process write to the memory for the block; Lyra waits for it only for a moment."""
    async with lyra.app.memory.db.transaction() as tx:
        await tx.one("PRAGMA busy_timeout = 20")
    async with await SqliteDatabase.open(town.home / "lyra.db", keys.load(town.home / "key")) as other, other.transaction() as tx:
        await tx.one("SELECT 1")
        yield


async def room(lyra: Awake, pages: int) -> None:
    """Give the memory's file no more room than that many pages, or than it has already."""
    db = lyra.app.memory.db
    async with db.transaction() as tx:
        await tx.run("CREATE TABLE IF NOT EXISTS ballast (weight BLOB)")
    async with db.transaction() as tx:
        await tx.one(f"PRAGMA max_page_count = {pages}")
    # What lies free in the file already is room as well.
    with suppress(DiskFull):
        while pages == 1:
            async with db.transaction() as tx:
                await tx.run("INSERT INTO ballast (weight) VALUES (zeroblob(2000))")


def one_sentence(text: str) -> str:
    """Return what was said, which must be short, on one line and no trace of what happened inside."""
    assert re.fullmatch(r"\S[^\n]{10,250}\.", text) and "Error" not in text and "Traceback" not in text
    return text
