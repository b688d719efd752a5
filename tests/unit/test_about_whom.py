"""Of whom a message tells is read from it and from the one before, however that is written."""

from time import process_time

import pytest

from memory.index.hits import Certainty, Hit
from memory.index.recall.about_whom import apart_from_others
from memory.types import Exchange, Kind


def said(key: int, speaker: str, text: str) -> Exchange:
    """Return a message."""
    return Exchange(key, str(key), 1, 1, Kind.SAID, "user", speaker, text, "s", key, key)


def test_a_message_with_a_long_row_of_blanks_before_keeps_nobody_waiting() -> None:
    hits = {
        2: Hit(said(2, "Ada", "He is allergic to nuts."), "main", 1.0, (), said(1, "Eve", f"Tom{' ' * 30_000}is ill.")),
        4: Hit(said(4, "Ben", "I am allergic to cats."), "main", 1.0, ()),
    }
    began = process_time()
    apart = apart_from_others("What is Ben allergic to?", hits)
    assert process_time() - began < 1
    assert apart[4].certainty is not Certainty.WEAK


@pytest.mark.parametrize(
    ("question", "text", "weak"),
    [
        ("where did I put my snow tyres?", "Winter tires are in the basement behind the skis.", False),
        ("where do I keep my bike lamps?", "Bicycle lights hang on the hook by the door.", False),
        ("where do I have the towels for my visitors?", "Guest linens live on the top shelf.", False),
        ("when do I begin to swim again?", "Crawl courses start in the first week of May.", False),
        ("what do I have to paint?", "Garden benches need a new coat, so says the shop for garden things.", False),
        ("what do I use for the accounts?", "Ledger pages, one a month. A ledger is quicker than the computer.", False),
        ("where did I put my snow tyres?", "Winston stores tires in the basement behind the skis.", True),
        ("where do I keep my bike lamps?", "Beatrix keeps lights on the hook by the door.", True),
        ("what do I have to paint?", "Gordon paints benches in the garden.", True),
        ("when do I begin to swim again?", "Carla has courses in the first week of May.", True),
    ],
)
def test_what_begins_with_a_thing_of_two_words_is_told_of_nobody_else(question: str, text: str, weak: bool) -> None:
    apart = apart_from_others(question, {1: Hit(said(1, "Ada", text), "main", 1.0, ())})
    assert (apart[1].certainty is Certainty.WEAK) is weak


@pytest.mark.parametrize(
    ("question", "text", "weak"),
    [
        ("married", "Paul gets married in June.", False),
        ("painted the kitchen", "Tom painted the kitchen yellow.", False),
        ("have I painted the kitchen?", "Tom painted the kitchen yellow.", True),
    ],
)
def test_a_word_alone_asks_about_anybody(question: str, text: str, weak: bool) -> None:
    apart = apart_from_others(question, {1: Hit(said(1, "Ada", text), "main", 1.0, ())})
    assert (apart[1].certainty is Certainty.WEAK) is weak
