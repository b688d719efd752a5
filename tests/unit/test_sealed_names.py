"""The name of a conversation stands in none of its keys, also in a memory from when it did, and all that was kept is found."""

from pathlib import Path

import pytest

from memory.journal.journal import Event, Part
from memory.places import named_conversations
from memory.tiers.messages import storing
from memory.types import Imported, Kind, NewExchange, SessionRef
from tests.kits.fresh import holding
from tests.kits.memory_kit import START, Clock, Corner, corner, opened

NAME = "quixotic-zanzibar"
BEFORE = f'["", "ada", "{NAME}"]'
SCOPE = f"place:console:{BEFORE}"
TOLD = "the vault opens with seven turns"


def traces(folder: Path) -> list[str]:
    """Return which files and tables hold the name."""
    return holding(folder / "lyra.db", "zanzibar")


async def an_earlier_memory(folder: Path) -> tuple[str, str]:
    """Make a memory as earlier versions left it, with a question that waits; return the ids of session and message."""
    clock, path = Clock(), folder / "lyra.db"
    async with opened(path, None, clock=clock) as memory:
        here = await corner(memory, clock, place=BEFORE)
        await memory.places.rename(here.session, here.domain, NAME)
        await memory.places.begin("console", BEFORE, here.domain)
        said = await here.say(TOLD, source="d1")
        await here.reply("I know.", [said.key], parts=[Part("p1", "I know.")])
        await memory.journal.accept("console", [Event("e1", BEFORE, '{"text": "well?"}')])
        await memory.settings.set(SCOPE, "incognito", "on")
        async with memory.db.transaction() as tx:
            await tx.run("DELETE FROM install WHERE key = 'sealed_threads'")
    return here.session.id, said.id


async def offered(here: Corner, text: str, source: str) -> storing.StoringOutcome:
    """Import a message under the name of the conversation, as `lyra import` does."""
    new = NewExchange(Kind.SAID, text, source, START, "Ada", imported=Imported(place=BEFORE))
    return await here.view.say(here.session, [new])


@pytest.mark.usefixtures("store")
async def test_an_earlier_memory_goes_on_and_its_names_go_when_they_are_forgotten(tmp_path: Path) -> None:
    session_id, said_id = await an_earlier_memory(tmp_path)
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, clock=clock) as memory:
        place = f'["", "ada", "{named_conversations.thread(memory.places.seal, "ada", NAME)}"]'
        here = await corner(memory, clock, place=place)
        assert (here.session.id, here.session.name) == (session_id, NAME)
        assert said_id in [message.id async for _, message in here.view.messages.all()]
        assert [one.event.event_id for one in await memory.journal.unfinished("console", place)] == ["e1"]
        assert await memory.journal.waiting("console") == [place]
        assert await memory.settings.get(SCOPE.replace(BEFORE, place), "incognito") == "on"
        assert await memory.places.active_epoch("console", place, here.domain) == 1
        assert (await offered(here, TOLD, "d1")).known == 1
        await here.view.forget_session(here.session)
        assert traces(tmp_path) == [], "while it is open, with its log"
        assert (await offered(here, TOLD, "d1")).forgotten == 1
        assert traces(tmp_path) == []
    assert traces(tmp_path) == [], "after it was closed"


async def test_with_the_name_in_the_key_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_conversations, "thread", lambda seal, person, name: name)
    await an_earlier_memory(tmp_path)
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, clock=clock) as memory:
        here = await corner(memory, clock, place=BEFORE)
        await here.view.forget_session(here.session)
        assert traces(tmp_path) != []


async def test_a_memory_is_asked_for_such_names_once(tmp_path: Path) -> None:
    await an_earlier_memory(tmp_path)
    clock = Clock()
    for _ in range(2):
        async with opened(tmp_path / "lyra.db", None, clock=clock) as memory:
            again = named_conversations.thread(
                memory.places.seal, "ada", named_conversations.thread(memory.places.seal, "ada", NAME)
            )
            assert await memory.db.one("SELECT id FROM sessions WHERE place LIKE :place", {"place": f"%{again}%"}) is None
            sealed = SessionRef("console", f'["", "ada", "{named_conversations.thread(memory.places.seal, "ada", NAME)}"]')
            assert (await (await corner(memory, clock, place=sealed.place)).view.sessions.find(NAME)).ref == sealed
