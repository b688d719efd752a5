"""Where the conversation of a place is: it goes on while the same people may know, and begins anew when that changes."""

import asyncio
import io
import json
import random
import tempfile
from pathlib import Path

import pytest

from memory.transfer.jsonl import read_jsonl
from memory.transfer.message import Incoming
from memory.types import MOST_NAME, Domain, DomainKind, DomainRef, SessionRef
from tests.kits.memory_kit import Corner, at_home, corner
from tests.kits.size import examples


async def domain(here: Corner, name: str) -> Domain:
    """Return the domain of a channel."""
    return await here.memory.places.domain(DomainRef(DomainKind.CHANNEL, "discord", name), "UTC", 0)


async def test_a_conversation_goes_on_where_it_is(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for _ in range(3):
            assert await here.view.sessions.active("discord", "general") == SessionRef("discord", "general", 0)
        assert await here.count("active_sessions") == 1


async def test_a_conversation_from_before_is_taken_up_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await here.view.sessions.active("console", "dm") == here.session.ref
        for epoch in (1, 4):
            await here.view.sessions.get(SessionRef("console", "kitchen", epoch), "kitchen")
        assert (await here.view.sessions.active("console", "kitchen")).epoch == 4


async def test_where_others_may_know_a_new_conversation_begins_and_no_old_one_is_taken_up_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        open_, closed = await domain(here, "open"), await domain(here, "closed")
        epochs = [
            await here.memory.places.active_epoch("discord", "general", one) for one in (open_, closed, closed, open_, closed)
        ]
        assert epochs == [0, 1, 1, 2, 3]


async def test_a_place_whose_conversations_were_for_others_begins_behind_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.sessions.get(SessionRef("discord", "general", 2), "general")
        other = await domain(here, "closed")
        assert await here.memory.places.active_epoch("discord", "general", other) == 3
        assert await here.memory.places.active_epoch("matrix", "general", other) == 0, "another platform's place of that name"


async def test_a_fresh_conversation_begins_when_it_is_asked_for_and_lasts(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert (await here.view.sessions.active("console", "dm")).epoch == 0
        assert await here.view.sessions.begin("console", "dm") == SessionRef("console", "dm", 1)
        assert (await here.view.sessions.begin("console", "dm")).epoch == 2
        assert (await here.view.sessions.active("console", "dm")).epoch == 2
        fresh = await here.view.sessions.get(await here.view.sessions.active("console", "dm"), "dm")
        assert (fresh.key != here.session.key, fresh.messages) == (True, 0)


async def test_a_place_whose_name_is_a_book_is_called_by_its_beginning(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        long = "x" * 60_000
        names = [(await here.view.sessions.get(SessionRef("matrix", place), long)).name for place in ("one", "two")]
        assert names == ["x" * 199 + "…", "x" * 195 + "… (2)"]


async def test_the_name_of_a_conversation_is_as_long_as_an_import_takes_however_many_bear_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for long in ("x" * 60_000, "y" * MOST_NAME):
            names = [(await here.view.sessions.get(SessionRef("matrix", f"{long[0]}{n}"), long)).name for n in range(120)]
            assert len(set(names)) == len(names)
            for name in names:
                (read,) = read_jsonl(io.BytesIO(json.dumps({"session": name, "content": "tea"}).encode()), "UTC")
                assert isinstance(read, Incoming)
                assert read.session == name


@pytest.mark.file
async def test_a_place_that_stays_as_it_is_is_read_and_not_written(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.sessions.active("discord", "general")
        async with here.memory.db.transaction() as tx:
            await tx.run("CREATE TRIGGER unwritten BEFORE INSERT ON active_sessions BEGIN SELECT raise(ABORT, 'written'); END")
        assert (await here.view.sessions.active("discord", "general")).epoch == 0
        with pytest.raises(Exception, match="written"):
            await here.view.sessions.begin("discord", "general")


async def test_two_who_come_at_once_find_the_same_conversation(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        other = await domain(here, "closed")
        await here.view.sessions.active("discord", "general")
        found = await asyncio.gather(*(here.memory.places.active_epoch("discord", "general", other) for _ in range(5)))
        assert set(found) == {1}


async def test_the_domain_of_a_key_is_told_and_an_unknown_one_is_not_there(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await here.memory.places.refs([here.domain.key, 999]) == ({here.domain.key: here.domain.ref}, [])


async def test_a_setting_is_found_in_every_scope_that_has_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        kept = here.memory.settings
        await kept.set("server:discord:1", "everyone", "42")
        await kept.set("server:discord:2", "everyone", ["7"])
        await kept.set("server:discord:3", "zone", "UTC")
        assert await kept.everywhere("everyone") == [("server:discord:1", "42"), ("server:discord:2", ["7"])]


async def moves(folder: Path, seed: int) -> None:
    """Let a place change hands at random; no conversation is ever known to two domains."""
    chance = random.Random(seed)
    async with at_home(folder, None) as here:
        corners = [here, await corner(here.memory, here.clock, "bob"), await corner(here.memory, here.clock, "cy")]
        last: tuple[int, int] | None = None
        owners: dict[int, int] = {}
        for _ in range(30):
            who = chance.randrange(3)
            fresh = chance.random() < 0.2
            view = corners[who].view
            ref = await (view.sessions.begin if fresh else view.sessions.active)("discord", "general")
            if last == (who, ref.epoch):
                assert not fresh
            else:
                assert ref.epoch not in owners, "a conversation that ended is never taken up again"
                assert last is None or last[0] != who or fresh, "it does not end by itself"
            owners[ref.epoch] = who
            if chance.random() < 0.5:
                assert (await view.sessions.get(ref, "general")).messages == 0
            last = (who, ref.epoch)


@pytest.mark.parametrize("seed", range(examples(2)))
def test_no_conversation_is_ever_for_two_circles_to_know(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(moves(Path(folder), seed))
