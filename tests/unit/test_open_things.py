"""What somebody announced is taken up again once its day is over: where a conversation begins anew, by one reply, once."""

from datetime import date
from pathlib import Path

import pytest

from memory.text.told.announcements import coming
from memory.types import MINUTE, DomainKind, Exchange, Identity, Kind, NewExchange
from memory.view.view import Answer
from tests.kits.ladder_kit import PAIRS, Teller, climbed
from tests.kits.long_talk import request
from tests.kits.memory_kit import DAY, HOUR, Corner, among, at_home, corner, table
from tests.kits.tabled import tabled

TUESDAY = date(2026, 3, 3)
TITLE = "To take up again, once, if it fits what is said now:\n> "
EXAM = "my exam is on Friday"

ANNOUNCED = tabled("open_things", "announced")
NOTHING = """
my exam was on Friday
is the exam on Friday?
I have been there three days ago
my exam was scheduled for Friday
it rained on Friday
I go climbing every Friday
my cat is grey
I have two cats
"""


@pytest.mark.parametrize(("text", "day"), table(ANNOUNCED))
def test_what_is_announced_has_its_day(text: str, day: str) -> None:
    assert coming(text, TUESDAY) == date.fromisoformat(day)


def test_a_day_that_only_the_next_year_has_is_in_that_year() -> None:
    assert coming("my party is on February 29", date(2027, 12, 1)) == date(2028, 2, 29)


@pytest.mark.parametrize("text", NOTHING.strip().splitlines())
def test_what_is_over_or_comes_again_and_again_is_not_announced(text: str) -> None:
    assert coming(text, TUESDAY) is None


async def opened_with(here: Corner, text: str = "hello") -> str:
    """Say something, answer it as a turn does, and return what the model was told to take up again, '' for nothing."""
    asked = await here.say(text)
    given = await request(here, asked)
    reply = NewExchange(Kind.REPLY, "I see.", f"to {asked.source_id}", here.clock.now() + 1, "Lyra", "assistant")
    await here.view.answer(here.session, Answer(reply, {asked.key}, (), (), [asked], seen=given.seen, raised=given.raised))
    return str(given.messages[-1]["content"]).partition(TITLE)[2].partition("\n\n")[0]


async def test_it_is_taken_up_once_its_day_is_over_and_the_talk_begins_anew_and_not_twice(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        here.clock.forward(DAY)
        assert not await opened_with(here)
        here.clock.forward(3 * DAY)
        assert await opened_with(here) == f"Tuesday, 03 March 2026, Ada: {EXAM}"
        assert not await opened_with(here)
        here.clock.forward(DAY)
        assert not await opened_with(here)


async def test_in_the_middle_of_a_talk_and_long_after_nothing_is_taken_up(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        here.clock.forward(4 * DAY)
        snow = await here.say("it snows", at=here.clock.now() - HOUR)
        await here.reply("It does!", [snow.key])
        assert not await opened_with(here)
        here.clock.forward(30 * DAY)
        assert not await opened_with(here)


async def test_a_question_that_was_not_answered_takes_nothing_up_and_the_next_one_does(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        here.clock.forward(4 * DAY)
        failing = await request(here, await here.say("hello again"))
        assert TITLE in str(failing.messages[-1]["content"])
        here.clock.forward(HOUR)
        await here.reply("Hello, Ada.", [(await here.say("are you there?")).key], echo=True)
        assert EXAM in await opened_with(here, "and now?"), "the voice that speaks without a model takes nothing up"
        assert not await opened_with(here, "good")


async def test_where_others_go_on_talking_nothing_is_taken_up(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.SERVER) as here:

        async def says(name: str, text: str) -> Exchange:
            here.clock.forward(MINUTE)
            new = NewExchange(Kind.SAID, text, f"{here.clock.now()}", here.clock.now(), name, "user", Identity("console", name))
            return (await here.view.say(here.session, [new])).stored[0]

        await says("Ada", EXAM)
        here.clock.forward(4 * DAY)
        await says("Ada", "good morning")
        await says("Bob", "good morning to you")
        assert TITLE not in str((await request(here, await says("Ada", "and Lyra?"))).messages[-1]["content"])


async def test_it_goes_with_its_message_and_is_open_again_when_the_reply_is_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        said = await here.say(EXAM)
        here.clock.forward(4 * DAY)
        assert await opened_with(here)
        (reply,) = [one async for _, one in here.view.messages.all() if one.kind is Kind.REPLY]
        await here.view.forget_message(reply.id)
        here.clock.forward(DAY)
        assert await opened_with(here)
        await here.view.forget_message(said.id)
        assert await here.count("announced") == await here.count("raised") == 0


async def test_only_one_thing_and_only_ones_own_is_taken_up_in_one_place(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.SERVER) as here:

        async def says(name: str, text: str) -> Exchange:
            new = NewExchange(Kind.SAID, text, f"{name}{text}", here.clock.now(), name, "user", Identity("console", name))
            return (await here.view.say(here.session, [new])).stored[0]

        for name, text in (("Ada", EXAM), ("Ada", "the move is on Thursday"), ("Bob", "my operation is tomorrow")):
            await says(name, text)
        here.clock.forward(5 * DAY)
        for name, own in (("Bob", "operation"), ("Ada", "exam")):
            shown = str((await request(here, await says(name, "hello"))).messages[-1]["content"]).partition(TITLE)[2]
            assert own in shown and len(shown.partition("\n\n")[0].splitlines()) == 1
            here.clock.forward(DAY)
        elsewhere = await corner(here.memory, here.clock)
        assert TITLE not in str((await request(elsewhere, await elsewhere.say("hello"))).messages)


async def test_what_the_narrative_left_open_is_taken_up_where_nothing_was_announced(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for n in range(4):
            await here.say(f"Ada wonders whether boat {n} floats")
            await here.say(f"Ada asks for sail {n}")
        writer = Teller()
        await climbed(here, writer)
        async with here.memory.db.transaction() as tx:
            await tx.run("UPDATE statements SET kind = 'callback' WHERE tier = 'narrative'")
        here.clock.forward(DAY)
        first = await opened_with(here)
        here.clock.forward(DAY)
        second = await opened_with(here)
        assert first and second and first != second
        given = await request(here, await here.say("and now?"))
        assert "To take up again" not in str(given.messages[0]["content"])


CALLED_OFF = """
my exam on Friday was cancelled
my exam is off
They called off the exam because the teacher is ill
I don't have an exam on Friday any more
it is cancelled
the exam was postponed
"""


@pytest.mark.parametrize("later", CALLED_OFF.strip().splitlines())
async def test_what_is_called_off_is_not_taken_up_unless_that_is_forgotten(tmp_path: Path, later: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        said = await here.say(later)
        here.clock.forward(5 * DAY)
        assert not await opened_with(here)
        await here.view.forget_message(said.id)
        here.clock.forward(DAY)
        assert await opened_with(here) == f"Tuesday, 03 March 2026, Ada: {EXAM}"


async def test_what_is_called_off_in_german_is_not_taken_up(tmp_path: Path) -> None:
    for n, later in enumerate(("Meine Prüfung am Freitag fällt aus", "die Prüfung wurde abgesagt", "Freitag fällt aus")):
        async with at_home(tmp_path / str(n)) as here:
            await here.say("Am Freitag habe ich Prüfung")
            await here.say(later)
            here.clock.forward(5 * DAY)
            assert not await opened_with(here)


MOVED = """
sorry, my exam is on Monday, not on Friday
my exam on Friday was moved to Monday
my exam is on Monday
the exam has been postponed from Friday to Monday
Meine exam wurde von Freitag auf Montag verschoben
"""


@pytest.mark.parametrize("later", MOVED.strip().splitlines())
async def test_what_is_moved_is_taken_up_once_and_after_its_new_day(tmp_path: Path, later: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        await here.say(later)
        here.clock.forward(4 * DAY)
        assert not await opened_with(here)
        here.clock.forward(4 * DAY)
        assert await opened_with(here) == f"Tuesday, 03 March 2026, Ada: {later}"
        here.clock.forward(DAY)
        assert not await opened_with(here)


async def test_what_was_told_again_or_how_it_was_is_not_taken_up_twice(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        await here.say("I am so nervous, my maths exam is on Friday")
        here.clock.forward(4 * DAY)
        assert "nervous" in await opened_with(here)
        here.clock.forward(DAY)
        assert not await opened_with(here)
        await here.say("the dentist is on Wednesday")
        here.clock.forward(5 * DAY)
        await here.say("I was at the dentist, it hurt")
        here.clock.forward(DAY)
        assert not await opened_with(here)


OTHERS = """
my dentist appointment on Friday was cancelled
I hope my exam is cancelled
what if the exam is cancelled?
the exam wasn't cancelled
I have a concert on Monday
Ben cancelled dinner on Friday
"""


@pytest.mark.parametrize("later", OTHERS.strip().splitlines())
async def test_what_becomes_of_something_else_or_is_only_wondered_about_ends_nothing(tmp_path: Path, later: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(EXAM)
        await here.say(later)
        here.clock.forward(4 * DAY)
        assert await opened_with(here) == f"Tuesday, 03 March 2026, Ada: {EXAM}"


async def test_somebody_elses_exam_is_not_called_off_by_ones_own(tmp_path: Path) -> None:
    async with among(tmp_path, kind=DomainKind.SERVER) as here:
        for name, text in (("Ada", EXAM), ("Bob", "my exam is on Friday as well"), ("Bob", "my exam was cancelled")):
            new = NewExchange(Kind.SAID, text, f"{name}{text}", here.clock.now(), name, "user", Identity("console", name))
            await here.view.say(here.session, [new])
        row = await here.memory.db.all("SELECT whose FROM announced WHERE item NOT IN (SELECT item FROM raised)")
        assert len(row) == 1
        shown = await here.memory.db.all(
            "SELECT e.speaker FROM announced a JOIN exchanges e USING (item) JOIN raised r USING (item)"
        )
        assert [one["speaker"] for one in shown] == ["Bob"]
