"""The outbox: what is to go out is frozen under its key, goes out once, and holds its words no longer than it must."""

from pathlib import Path

import pytest

from memory.errors import MemoryFailure
from memory.journal.journal import Event, Part
from memory.types import DomainKind, DomainRef
from memory.view.view import Answer
from tests.kits.memory_kit import DAY, Corner, at_home, corner
from tests.unit.test_journal import reply


async def left(here: Corner) -> list[tuple[str, str, str]]:
    """Return key, state and text of every part."""
    rows = await here.memory.db.all("SELECT key, state, text FROM outbox ORDER BY id")
    return [(row["key"], row["state"], row["text"]) for row in rows]


async def left_over(here: Corner, place: str, question: str) -> str | None:
    """Return the key of the preview that a question at a place was left with."""
    journal = here.memory.journal
    await journal.accept("console", [Event(question, place, "asked")])
    (key,) = [heard.key for heard in await journal.unfinished("console", place) if heard.event.event_id == question]
    return (await journal.open_events([key])).previews.get(key)


async def test_a_part_that_was_being_sent_when_she_died_may_have_arrived(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.view.notices.queue(here.session, [Part("k1", "one"), Part("k2", "two"), Part("k3", "three")], [])
        one, two, _ = await journal.take("console", "dm")
        assert not one.unsure
        await journal.sent(one.row, "remote 1")
        await journal.again([two.row])
        rest = await journal.take("console", "dm")
        assert [(o.part.key, o.unsure) for o in rest] == [("k2", False), ("k3", True)]
        assert await journal.take("console", "elsewhere") == []


async def test_words_of_a_reply_are_blanked_a_while_after_they_were_sent_and_those_of_a_notice_at_once(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.reply("one", [(await here.say("hello")).key], parts=[Part("k1", "one")])
        await here.view.notices.queue(here.session, [Part("k2", "two"), Part("k3", "three")], [])
        first, second, _ = await journal.take("console", "dm")
        for sent in (first, second):
            await journal.sent(sent.row)
        await journal.blank(here.clock.now())
        here.clock.forward(DAY)
        assert [text for _key, _state, text in await left(here)] == ["one", "", "three"]
        await journal.blank(here.clock.now())
        assert [text for _key, _state, text in await left(here)] == ["", "", "three"]


async def test_a_part_is_queued_once_under_its_key(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for text in ("first", "second"):
            await here.view.notices.queue(here.session, [Part("k1", text)], [])
        assert [o.part.text for o in await here.memory.journal.take("console", "dm")] == ["first"]


async def test_a_part_keeps_what_it_changes_and_what_can_be_pressed_under_it(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.view.notices.queue(
            here.session, [Part("k1", "one", actions='[{"label": "more"}]'), Part("k2", "two")], [], "q1"
        )
        one, two = await journal.take("console", "dm")
        assert (one.part, one.first, one.answers) == (Part("k1", "one", actions='[{"label": "more"}]'), True, "q1")
        assert (two.first, two.since, two.target_remote) == (False, here.clock.now(), "")
        await journal.sent(one.row, "remote 1")
        await here.view.notices.queue(here.session, [Part("k3", "uno", "edit", "k1"), Part("k4", "", "delete", "k2")], [])
        _, edit, removal = await journal.take("console", "dm")
        assert (edit.part, edit.target_remote) == (Part("k3", "uno", "edit", "k1"), "remote 1")
        assert (removal.part.operation, removal.target_remote) == ("delete", ""), "nobody knows whether it arrived"


async def test_a_reply_answers_the_question_it_was_asked(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        asked = await here.say("one", source="e1")
        answer = Answer(reply(source="reply:e1"), [], [], [Part("k1", "hello")], [asked], asked.source_id)
        stored = await here.view.answer(here.session, answer)
        assert [o.answers for o in await here.memory.journal.take("console", "dm")] == ["e1"]
        edges = await here.memory.db.all("SELECT child, parent, cited, answered FROM lineage")
        assert stored and [tuple(row[c] for c in ("child", "parent", "cited", "answered")) for row in edges] == [
            (stored.exchange.key, asked.key, 1, 1)
        ]


async def test_a_preview_goes_out_by_its_key_and_never_with_what_was_left_over(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.view.preview(here.session, Part("p1", "hel"), "q1")
        assert await journal.waiting("console") == [], "the answer that follows takes its place"
        assert await journal.take("console", "dm") == []
        (shown,) = await journal.take("console", "dm", ["p1"])
        assert (shown.part.operation, shown.answers, shown.unsure) == ("preview", "q1", False)
        assert await journal.take("console", "dm") == [], "not even while it is unknown whether it arrived"
        await journal.sent(shown.row, "remote 1")
        await here.view.notices.queue(here.session, [Part("k1", "hello", "edit", "p1")], [], "q1")
        (edit,) = await journal.take("console", "dm")
        assert (edit.part.target, edit.target_remote) == ("p1", "remote 1")


async def test_the_preview_of_a_question_is_found_until_something_took_its_place(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        assert await left_over(here, "dm", "q1") is None
        for key in ("p1", "p2"):
            await here.view.preview(here.session, Part(key, "hel"), "q1")
        await here.view.preview(here.session, Part("p3", "hel"), "q2")
        assert await left_over(here, "dm", "q1") == "p2", "the newest"
        await here.view.preview(here.session, Part("p4", "hel"), "q4")
        assert await left_over(here, "elsewhere", "q4") is None
        await here.view.notices.queue(here.session, [Part("k1", "hello", "edit", "p2")], [], "q1")
        assert await left_over(here, "dm", "q1") == "p1"
        await here.view.notices.queue(here.session, [Part("k2", "", "delete", "p1")], [])
        assert await left_over(here, "dm", "q1") is None
        edit = next(row for row in await journal.take("console", "dm") if row.part.key == "k1")
        await journal.cancel([edit.row])
        assert await left_over(here, "dm", "q1") == "p2", "what will never go out has finished nothing"
        (shown,) = await journal.take("console", "dm", ["p2"])
        await journal.cancel([shown.row])
        assert await left_over(here, "dm", "q1") is None
        assert await left_over(here, "dm", "q2") == "p3"


async def test_a_part_that_will_never_go_out_holds_no_words_and_what_arrived_stays_sent(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.view.notices.queue(here.session, [Part("k1", "one", actions="[]"), Part("k2", "two"), Part("k3", "three")], [])
        one, two, three = await journal.take("console", "dm")
        await journal.sent(two.row)
        await journal.again([three.row])
        await journal.cancel([one.row, two.row, three.row])
        assert await left(here) == [("k1", "cancelled", ""), ("k2", "sent", ""), ("k3", "cancelled", "")]
        assert await here.memory.db.all("SELECT id FROM outbox WHERE actions <> ''") == []
        assert await journal.take("console", "dm") == []


async def test_the_places_that_parts_wait_for_are_named_the_longest_wait_first(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        garden = await here.view.sessions.get(await here.view.sessions.active("console", "garden"), "garden")
        for session, key in ((garden, "k1"), (here.session, "k2"), (garden, "k3")):
            await here.view.notices.queue(session, [Part(key, "hello")], [])
        assert await journal.waiting("console") == ["garden", "dm"]
        for row in await journal.take("console", "garden"):
            await journal.sent(row.row)
        assert await journal.waiting("console") == ["dm"]
        await journal.take("console", "dm")
        assert await journal.waiting("console") == ["dm"], "it may have arrived or not"
        assert await journal.waiting("matrix") == []


async def test_a_preview_that_nothing_followed_is_given_up_after_a_while(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        for key in ("p1", "p2", "p3"):
            await here.view.preview(here.session, Part(key, key), key)
        (sent,) = await journal.take("console", "dm", ["p1"])
        await journal.sent(sent.row, "remote 1")
        await journal.take("console", "dm", ["p2"])
        await journal.blank(here.clock.now())
        assert [text for _, _, text in await left(here)] == ["p1", "p2", "p3"]
        here.clock.forward(DAY)
        await journal.blank(here.clock.now())
        assert await left(here) == [("p1", "sent", ""), ("p2", "cancelled", ""), ("p3", "cancelled", "")]
        assert await left_over(here, "dm", "p1") == "p1", "it stands where it was sent"


@pytest.mark.parametrize("forgotten", ["the question", "something else here"])
async def test_of_an_answer_under_way_a_preview_keeps_no_words_when_something_is_forgotten(
    tmp_path: Path, forgotten: str
) -> None:
    async with at_home(tmp_path) as here:
        asked, other = await here.say("what is it called?", source="q1"), await here.say("Xerxes")
        await here.view.preview(here.session, Part("p1", "It is called Xer"), "q1")
        receipt = await here.view.forget_message((asked if forgotten == "the question" else other).id)
        assert (receipt.messages, receipt.replies, receipt.digests) == (1, 0, 0)
        assert await left(here) == [("p1", "cancelled", "")]
        assert await here.memory.journal.take("console", "dm", ["p1"]) == []


async def test_what_takes_a_message_away_goes_out_whatever_is_forgotten_meanwhile(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        secret = await here.say("Xerxes")
        await here.view.notices.queue(here.session, [Part("k1", "", "delete", "p1"), Part("k2", "Xerxes")], [])
        await here.view.forget_message(secret.id)
        assert [row.part.key for row in await here.memory.journal.take("console", "dm")] == ["k1"]


async def test_first_contact_is_made_once_in_the_life_of_a_domain(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        garden = await here.view.sessions.get(await here.view.sessions.active("console", "garden"), "garden")
        assert await here.view.notices.greet(here.session, [Part("k1", "I am Lyra.")])
        assert not await here.view.notices.greet(here.session, [Part("k2", "I am Lyra.")])
        assert not await here.view.notices.greet(garden, [Part("k3", "I am Lyra.")])
        assert [key for key, _, _ in await left(here)] == ["k1"]
        (row,) = await here.memory.db.all("SELECT scope, key, value FROM settings")
        assert "ada" not in row["scope"] and row["key"] == "greeted"


async def test_a_greeting_that_cannot_be_queued_is_not_counted(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        with pytest.raises(MemoryFailure):
            await here.view.notices.greet(here.session, [Part("k1", "I am Lyra.", "shout")])
        assert await here.count("settings") == 0
        assert await here.view.notices.greet(here.session, [Part("k1", "I am Lyra.")])


async def test_the_preview_of_a_forgotten_question_goes_even_where_others_may_know_now(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        bob = await corner(here.memory, here.clock, "bob")
        asked = await here.say("what is it called?", source="q1")
        for key, answers in (("p1", "q1"), ("p2", "q2")):
            await bob.view.preview(bob.session, Part(key, "It is called Xer"), answers)
        await here.view.forget_message(asked.id)
        assert await left(here) == [("p1", "cancelled", ""), ("p2", "pending", "It is called Xer")]


@pytest.mark.usefixtures("store")
async def test_a_preview_is_taken_back_under_the_question_it_answers(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        for key in ("p1", "p2"):
            await here.view.preview(here.session, Part(key, "hel"), f"q{key}")
            (shown,) = await journal.take("console", "dm", [key])
            await journal.sent(shown.row, f"remote {key}")
        assert [row.part.key for row in await journal.previews("console")] == ["p1", "p2"]
        for _ in range(2):
            await journal.take_back("p1", "k1")
        assert [row.part.key for row in await journal.previews("console")] == ["p2"]
        (removal,) = await journal.take("console", "dm")
        assert (removal.part.operation, removal.target_remote, removal.answers, removal.first) == (
            "delete",
            "remote p1",
            "qp1",
            True,
        )
        here.clock.forward(8 * DAY)
        assert await journal.previews("console") == [], "what is old is nobody's any more"


async def test_an_answer_that_must_not_go_out_takes_its_preview_away_instead(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        journal = here.memory.journal
        await here.view.notices.queue(here.session, [Part("k1", "hello", "edit", "p1", actions="[]"), Part("k2", "more")], [])
        edit, _ = await journal.take("console", "dm")
        await journal.remove(edit.row)
        assert await left(here) == [("k1", "attempting", ""), ("k2", "attempting", "more")]
        again, _ = await journal.take("console", "dm")
        assert again.part == Part("k1", "", "delete", "p1")


async def test_a_part_for_several_readers_names_what_was_read_beside_home(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        found = [await here.memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", name), "UTC", 0) for name in ("new", "old")]
        view = here.memory.view(found[0], found[1:])
        session = await view.sessions.get(await view.sessions.active("matrix", "new"), "new")
        await view.notices.queue(session, [Part("k1", "hello")], [])
        (part,) = await here.memory.journal.take("matrix", "new")
        assert (part.domain, part.also) == (found[0].key, (found[1].key,))
        await here.memory.view(here.domain, found).notices.queue(here.session, [Part("k2", "hello")], [])
        (part,) = await here.memory.journal.take("console", "dm")
        assert part.also == (), "who is alone is asked about at every turn"
