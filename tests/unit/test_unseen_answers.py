"""Answers whose words had to go before anybody could read them."""

from pathlib import Path

import pytest

from memory.journal.journal import Part, UnseenAnswer
from tests.kits.memory_kit import Corner, at_home

PLACE = "dm"


async def unseen(here: Corner) -> list[UnseenAnswer]:
    return await here.memory.journal.unseen_answers("console", 0)


async def answered(here: Corner, key: str, *, waits: bool) -> str:
    """Answer a question from what was said, in two parts; the first waits to be sent, or is under way. Return the id of what was said."""
    secret = await here.say("the parrot is called Xerxes")
    await here.reply("It is Xerxes.", [secret.key], parts=[Part(key, "It is"), Part(f"{key} 2", "Xerxes.")])
    if waits:
        rows = await here.memory.db.all("SELECT id FROM outbox WHERE key = :key", {"key": key})
        await here.memory.journal.again([row["id"] for row in rows])
    return secret.id


@pytest.mark.parametrize("waits", [True, False], ids=["waiting", "under way"])
async def test_what_goes_before_it_arrived_is_unseen_until_something_else_is_said_there(tmp_path: Path, waits: bool) -> None:
    async with at_home(tmp_path) as here:
        secret = await answered(here, "one", waits=waits)
        assert await unseen(here) == []
        await here.view.forget_message(secret)
        (lost,) = await unseen(here)
        assert (lost.key, lost.domain, lost.place) == ("one", here.domain.key, PLACE)
        assert await here.memory.journal.unseen_answers("discord", 0) == []
        assert await here.memory.journal.unseen_answers("console", here.clock.now() + 1) == [], "too old by then"
        await here.view.notices.queue(here.session, [Part("told", "I answer nothing here.")], (), lost.question)
        assert await unseen(here) == []


async def test_what_arrived_before_its_words_went_was_seen(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await answered(here, "one", waits=False)
        (row,) = await here.memory.db.all("SELECT id FROM outbox WHERE key = 'one'")
        await here.memory.journal.sent(row["id"], "post", "one 2")
        await here.view.forget_message(secret)
        assert await unseen(here) == []
