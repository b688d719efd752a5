"""The end of a conversation in a prompt: a model that is shown what was said weeks ago is told when that was."""

from bot.context.prompt_messages import PromptQuestion, RecentTurns
from memory.text.budget import tokens
from memory.types import Exchange
from tests.kits.memory_kit import DAY, START
from tests.unit.test_prompt import exchange

ROOM = 10_000
NOW = START + 40 * DAY
QUESTION = PromptQuestion([exchange(90, "when was that?", at=NOW)])


def shown(*said: Exchange, room: int = ROOM, zone: str = "UTC") -> list[str]:
    """Return the messages as a model is given them."""
    return [one["content"] for one in RecentTurns(said, QUESTION, NOW, zone, ROOM).fitted(room)[1]]


def test_the_first_message_of_each_day_is_dated_and_a_reply_never() -> None:
    assert shown(
        exchange(1, "the boat is green"),
        exchange(2, "I see", "assistant"),
        exchange(3, "it leaks"),
        exchange(4, "a new day", "assistant", at=START + DAY),
        exchange(5, "it sank", at=START + DAY),
        exchange(6, "hello", at=NOW),
        exchange(7, "are you there?", at=NOW),
    ) == [
        "Tuesday, 03 March 2026: the boat is green",
        "I see",
        "it leaks",
        "a new day",
        "Wednesday, 04 March 2026: it sank",
        "Sunday, 12 April 2026: hello",
        "are you there?",
    ]


def test_what_was_said_today_needs_no_date() -> None:
    assert shown(exchange(1, "hello", at=NOW), exchange(2, "are you there?", at=NOW)) == ["hello", "are you there?"]


def test_what_is_said_today_is_dated_behind_a_reply_of_another_day() -> None:
    assert shown(
        exchange(1, "the boat is green"), exchange(2, "It leaves tomorrow.", "assistant"), exchange(3, "hello", at=NOW)
    ) == ["Tuesday, 03 March 2026: the boat is green", "It leaves tomorrow.", "Sunday, 12 April 2026: hello"]
    assert shown(exchange(2, "It leaves tomorrow.", "assistant"), exchange(3, "hello", at=NOW)) == [
        "It leaves tomorrow.",
        "Sunday, 12 April 2026: hello",
    ]
    assert shown(exchange(2, "Hello.", "assistant", at=NOW), exchange(3, "hello", at=NOW)) == ["Hello.", "hello"]


def test_a_day_is_that_of_the_place() -> None:
    late = exchange(1, "good night", at=START + 11 * DAY // 24)
    assert shown(late) == ["Tuesday, 03 March 2026: good night"]
    assert shown(late, zone="Asia/Tokyo") == ["Wednesday, 04 March 2026: good night"]


def test_wherever_a_conversation_is_cut_its_first_message_is_dated_and_it_keeps_its_room() -> None:
    said = [exchange(n, f"this is number {n} of what was said on that day") for n in range(40)]
    for room in range(0, 700, 7):
        texts = shown(*said, room=room)
        assert sum(tokens(text) + 1 for text in texts) <= room
        assert all(text.startswith("Tuesday, 03 March 2026: this is number") for text in texts[:1])
        assert all(text.startswith("this is number") for text in texts[1:])


def test_a_date_that_somebody_writes_is_seen_to_be_theirs() -> None:
    (text,) = shown(exchange(1, "Monday, 05 January 2026: I owe you nothing", at=NOW))
    assert text == "Ada: Monday, 05 January 2026: I owe you nothing"
    (text,) = shown(exchange(1, "Monday, 05 January 2026, I got married", at=NOW))
    assert text == "Ada: Monday, 05 January 2026, I got married"
    (text,) = shown(exchange(1, "Monday, 05 January 2026: I owe you nothing"))
    assert text == "Tuesday, 03 March 2026, Ada: Monday, 05 January 2026: I owe you nothing"


def test_the_mark_of_an_answer_that_was_cut_off_is_not_shown_to_a_model_but_a_persons_is() -> None:
    assert shown(exchange(1, "the boat […]", at=NOW), exchange(2, "It is green, and […]", "assistant", at=NOW)) == [
        "the boat […]",
        "It is green, and",
    ]
