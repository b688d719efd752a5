"""The journal: what was heard is committed before any work, and an answer with all that it finishes, or not at all."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from memory.errors import MemoryFailure
from memory.journal.inbox import Inbox
from memory.journal.journal import Event, InboxEvent, Part
from memory.types import Kind, NewExchange
from memory.view.view import Answer
from tests.kits.memory_kit import Corner, at_home

EVENTS = [Event("e1", "dm", "one"), Event("e2", "dm", "two"), Event("e3", "elsewhere", "three")]


def reply(text: str = "hello", source: str = "r1") -> NewExchange:
    """Return a reply to be stored."""
    return NewExchange(Kind.REPLY, text, source, 1, "Lyra", "assistant")


async def states(here: Corner) -> list[tuple[str, str, str]]:
    """Return id, state and payload of every event."""
    rows = await here.memory.db.all("SELECT event_id, state, payload FROM inbox ORDER BY id")
    return [(row["event_id"], row["state"], row["payload"]) for row in rows]


async def test_an_event_is_heard_once_and_the_cursors_move_with_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        assert await journal.cursors("matrix") == {}
        assert [h.event for h in await journal.accept("matrix", EVENTS[:2], {"sync": "c1", "room": "r1"})] == EVENTS[:2]
        assert await journal.cursors("matrix") == {"sync": "c1", "room": "r1"}
        assert [h.event for h in await journal.accept("matrix", EVENTS, {"sync": "c2"})] == EVENTS[2:]
        assert await journal.cursors("matrix") == {"sync": "c2", "room": "r1"}, "the others stay where they were"
        assert [h.event for h in await journal.accept("discord", EVENTS[:1])] == EVENTS[:1], "ids are a platform's own"
        assert await journal.cursors("discord") == {}


async def test_a_cursor_moves_alone_where_there_was_nothing_to_keep(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await journal.accept("matrix", EVENTS, {"sync": "c1"})
        await journal.move("matrix", {"sync": "c2"})
        assert await journal.cursors("matrix") == {"sync": "c2"}
        assert [h.event for h in await journal.unfinished("matrix")] == EVENTS


BAD_EVENT, BAD_CURSOR = Event("e9", "dm", None), {"sync": None}  # type: ignore[arg-type]


async def accepted_in_part(journal: Inbox) -> list[str]:
    """Offer events and cursors of which one cannot be kept; return what is kept of them all the same."""
    await journal.accept("matrix", EVENTS[:1], {"sync": "c1"})
    with pytest.raises(MemoryFailure):
        await journal.accept("matrix", [EVENTS[1], BAD_EVENT], {"sync": "c2"})
    with pytest.raises(MemoryFailure):
        await journal.accept("matrix", [EVENTS[2]], BAD_CURSOR)  # type: ignore[arg-type]
    kept = [heard.event.event_id for heard in await journal.unfinished("matrix") if heard.event != EVENTS[0]]
    return [*kept, *(value for value in (await journal.cursors("matrix")).values() if value != "c1")]


class CursorApart(Inbox):
    """The twin that moves the cursor in a transaction of its own."""

    async def accept(self, platform: str, events: Sequence[Event], cursors: Mapping[str, str] = {}) -> list[InboxEvent]:
        fresh = await super().accept(platform, events)
        await self.move(platform, cursors)
        return fresh


async def test_events_and_cursors_are_committed_together_or_not_at_all(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await accepted_in_part(here.memory.journal) == []


async def test_with_a_transaction_of_its_own_the_cursor_may_stay_behind_what_was_heard(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        assert await accepted_in_part(CursorApart(here.memory.db, here.clock)) == ["e3"]


async def test_an_event_that_waits_is_answered_with_the_words_it_has_now(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        first, second, third = await journal.accept("console", EVENTS)
        await journal.hold([second.key], "no model")
        await journal.drop([third.key])
        assert await journal.replace("console", "e1", "uno") and await journal.replace("console", "e2", "due")
        assert await journal.open_payloads([first.key, second.key, third.key]) == {first.key: "uno", second.key: "due"}
        assert not await journal.replace("console", "e3", "tre"), "it is done"
        assert not await journal.replace("matrix", "e1", "tre") and not await journal.replace("console", "e9", "tre")
        assert await states(here) == [("e1", "new", "uno"), ("e2", "held", "due"), ("e3", "done", "")]


async def test_the_places_that_wait_for_another_try_are_named_the_longest_wait_first(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        first, second, third = await journal.accept("console", EVENTS)
        assert await journal.held_places("console") == {}
        for heard in (third, second, first):
            await journal.hold([heard.key], "no model")
        assert list((await journal.held_places("console")).items()) == [("dm", {"no model"}), ("elsewhere", {"no model"})]
        assert await journal.held_places("matrix") == {}


async def test_what_waits_for_its_answer_is_found_again_oldest_first(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        first, second, third = await journal.accept("console", EVENTS)
        assert await journal.unfinished("console") == [first, second, third]
        assert await journal.unfinished("console", "elsewhere") == [third]
        assert await journal.unfinished("matrix") == []
        await journal.drop([second.key])
        assert [h.event for h in await journal.unfinished("console", "dm")] == EVENTS[:1]
        assert ("e2", "done", "") in await states(here), "its words are not kept"


async def test_after_its_last_try_an_event_is_parked(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        first, second, _ = await journal.accept("console", EVENTS)
        for tries in (1, 2):
            await journal.hold([first.key], "no model", 3)
            assert [h.tries for h in await journal.unfinished("console", "dm")] == [tries, 0]
            assert (await journal.open_events([], "console", "dm")).held == {first.key: first.event.event_id}
        await journal.hold([first.key], "no model", 3)
        assert await journal.parked() == 1 and (await journal.open_events([], "console", "dm")).held == {}
        assert [h.key for h in await journal.unfinished("console", "dm")] == [second.key]
        for _ in range(10):
            await journal.hold([second.key], "no model")
        assert (await journal.open_events([], "console", "dm")).held == {second.key: second.event.event_id}, (
            "without a limit it waits for good"
        )


async def test_a_reply_is_stored_with_its_sources_its_parts_and_the_end_of_what_it_answers(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        (heard,) = await here.memory.journal.accept("console", EVENTS[:1])
        asked = await here.say("one", source="e1")
        parts = [Part("k1", "hel"), Part("k2", "lo", "edit")]
        stored = await here.view.answer(here.session, Answer(reply(), [asked.key], [heard.key], parts))
        assert stored and await here.memory.journal.unfinished("console") == []
        assert await states(here) == [("e1", "done", "")]
        edges = await here.memory.db.all("SELECT child, parent, cited FROM lineage")
        assert [(row["child"], row["parent"], row["cited"]) for row in edges] == [(stored.exchange.key, asked.key, 1)]
        assert stored.first is not None
        follows = await here.memory.journal.sent(stored.first.row, then="k2")
        assert [(o.part, o.place, o.domain, o.answers, o.unsure) for o in (stored.first, *follows)] == [
            (part, "dm", here.domain.key, "r1", False) for part in parts
        ]
        again = await here.view.answer(here.session, Answer(reply("otherwise"), [asked.key], [heard.key], parts))
        assert again is None and await here.count("outbox") == 2 and await here.count("exchanges") == 2


@pytest.mark.parametrize("parts", [[Part("k1", "hel"), Part("k2", "lo", "shout")]], ids=["the last part cannot be stored"])
async def test_of_an_answer_that_cannot_be_stored_whole_nothing_is_stored(tmp_path: Path, parts: list[Part]) -> None:
    async with at_home(tmp_path) as here:
        (heard,) = await here.memory.journal.accept("console", EVENTS[:1])
        asked = await here.say("one", source="e1")
        with pytest.raises(MemoryFailure):
            await here.view.answer(here.session, Answer(reply(), [asked.key], [heard.key], parts))
        assert await here.count("exchanges") == 1 and await here.count("outbox") == 0 and await here.count("lineage") == 0
        assert [h.event for h in await here.memory.journal.unfinished("console")] == EVENTS[:1]
        assert await here.found("hello") == []
