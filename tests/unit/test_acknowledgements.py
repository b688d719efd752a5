"""What only takes note of a statement is told from what tells, in every language that she speaks."""

import pytest

from bot.models.offline.spoken_languages import SPOKEN
from memory.text import acknowledgements
from memory.text.acknowledgements import only_acknowledges
from tests.bench.sparing import cases


@pytest.mark.parametrize(
    ("reply", "answered", "takes_note"),
    [
        ("Good to know, thank you! 🙂", ["We fly at six."], True),
        ("OK, I’ll keep that in mind.", ["We fly at six.", "The cat stays."], True),
        ("Danke, dass du mir das erzählst.", ["Wir fliegen um sechs."], True),
        ("Good night, sleep well!", ["Good night."], True),
        ("Good to know, Ada.", ["We fly at six."], True),
        ("Good to know, Zelda.", ["We fly at six."], False),
        ("Ada.", ["We fly at six."], False),
        ("Okay.", ["We fly at six."], False),
        ("Exactly, good to know.", ["So we fly at six."], False),
        ("Ja, verstanden.", ["Dann fliegen wir um sechs."], False),
        ("Noted: six.", ["We fly early."], False),
        ("Good to know. ✈️", ["We're away."], False),
        ("Understood.", ["Do you know why? I hope so."], False),
        ("Noted.", ["¿Lo sabes"], False),
        ("Noted.", [], False),
        ("", ["We fly at six."], False),
    ],
)
def test_notice_is_taken_in_words_that_tell_nothing_and_of_statements_alone(
    reply: str, answered: list[str], takes_note: bool
) -> None:
    assert only_acknowledges(reply, answered, ["Ada"]) is takes_note


def test_of_the_sets_most_that_take_note_are_known_and_none_that_tell() -> None:
    known = {name: [only_acknowledges(case.reply, case.others[-1:]) for case in cases(name)] for name in SETS}
    assert sum(known["acknowledgements"]) >= len(known["acknowledgements"]) * 2 / 3
    assert not any(known["short_answers"])


def test_without_the_guard_that_asks_what_is_answered_some_that_tell_would_stay() -> None:
    assert any(only_acknowledges(case.reply, ["It is so."]) for case in cases("short_answers"))


def test_every_language_that_is_spoken_has_its_words() -> None:
    assert set(acknowledgements.RECEIPTS) == set(SPOKEN)


SETS = ("acknowledgements", "short_answers")
