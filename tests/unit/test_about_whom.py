"""Of whom a message tells is read from it and from the one before, however that is written."""

from time import process_time

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
