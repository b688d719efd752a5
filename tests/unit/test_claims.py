"""Which of two messages takes the place of the other."""

import pytest

from memory.text.told.claims import asks_for_older, claims, superseded
from memory.text.told.correction_wordings import correction
from memory.text.told.named_values import Correctable
from memory.text.told.replacements import replaces
from tests.kits.tabled import tabled


def replaced(older: str, newer: str, asked: str = "") -> bool:
    return superseded(claims(older), claims(newer), frozenset(asked.split()))


@pytest.mark.parametrize(("older", "newer"), tabled("claims", "later"))
def test_a_later_message_takes_the_place_of_an_older_one_that_says_the_same_of_the_same(older: str, newer: str) -> None:
    assert replaced(older, newer)
    assert claims(newer).supersedes


@pytest.mark.parametrize(
    "text", ["I have a cat", "My cat is sick", "I also work as a waiter", "Where do I live now?", "Good morning"]
)
def test_what_tells_of_no_change_and_of_nothing_that_is_only_once_need_not_be_compared(text: str) -> None:
    assert not claims(text).supersedes


@pytest.mark.parametrize(("older", "newer"), tabled("claims", "same_time"))
def test_what_holds_at_the_same_time_or_of_somebody_else_takes_no_place(older: str, newer: str) -> None:
    assert not replaced(older, newer)


def test_who_looks_for_the_older_value_by_its_name_wants_the_older() -> None:
    assert not replaced("I live in Graz", "I live in Linz", "graz")
    assert replaced("I live in Graz", "I live in Linz", "live linz")


@pytest.mark.parametrize(("question", "older"), tabled("claims", "held_before"))
def test_a_question_may_ask_for_what_held_before(question: str, older: bool) -> None:
    assert asks_for_older(question) is older


@pytest.mark.parametrize(
    "text",
    [
        "I used to drive a Saab",
        "Formerly Mr Bolt cut my hair.",
        "Früher hieß unsere Katze Pauline.",
        "Damals pflegte Opa den Garten.",
        "Autrefois je fréquentais le café du port.",
    ],
)
def test_what_only_tells_how_it_was_is_past(text: str) -> None:
    assert claims(text).past


@pytest.mark.parametrize("text", tabled("claims", "not_past"))
def test_what_tells_how_it_is_or_of_a_change_is_not_past(text: str) -> None:
    assert not claims(text).past


@pytest.mark.parametrize(("older", "newer"), tabled("claims", "changed"))
def test_what_changed_is_told_in_words_of_its_own(older: str, newer: str) -> None:
    assert replaces(older, newer) and not replaces(newer, older)


@pytest.mark.parametrize(("older", "newer"), tabled("claims", "changed_for_others"))
def test_what_changed_for_somebody_or_something_else_takes_no_place(older: str, newer: str) -> None:
    assert not replaces(older, newer)


@pytest.mark.parametrize("text", tabled("claims", "corrects_nothing"))
def test_what_begins_like_a_correction_may_correct_nothing(text: str) -> None:
    found = correction(text)
    assert found is None or not found.is_of(Correctable("dinner with Tom is on Thursday at 7"))


@pytest.mark.parametrize(
    "text",
    """no, 6
no wait, at 6
sorry, half past six
it's at 6, sorry
6 not 7
not at 7, at 6
I meant Friday
make it 6
oops, Friday at six
I'm sorry, I meant Friday
Oops! I meant Friday
the dinner has been moved to Friday
I had to move the dinner to Friday
ach nein, um sechs
ich meinte Freitag
Entschuldigung, ich meinte Freitag
Tut mir leid, ich meinte Freitag
en fait c'est à 18 h
je voulais dire vendredi
désolé, je voulais dire vendredi
mejor dicho, a las seis
perdón, el viernes
lo siento, quise decir el viernes""".splitlines(),
)
def test_a_correction_needs_no_word_of_what_it_corrects(text: str) -> None:
    found = correction(text)
    assert found
    assert found.is_of(Correctable("dinner with Tom is on Thursday at 7"))
    assert not found.is_of(Correctable("I fed the cat in the garden"))


@pytest.mark.parametrize(
    "text", ["Ada moved to Graz in 2020", "my sister Ottilie has moved to 4 Mill Lane", "Ada's moved to Graz in May"]
)
def test_somebody_who_moved_house_put_no_number_or_day_right(text: str) -> None:
    found = correction(text)
    assert found is None or not any(
        found.is_of(Correctable(told)) for told in ("Ada is 30", "my sister Ottilie is 8", "Ada comes in June")
    )
