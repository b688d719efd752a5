"""Which of two messages takes the place of the other."""

import pytest

from memory.text.told.claims import asks_for_older, claims, superseded
from memory.text.told.correction_wordings import correction
from memory.text.told.named_values import Correctable
from memory.text.told.replacements import replaces


def replaced(older: str, newer: str, asked: str = "") -> bool:
    return superseded(claims(older), claims(newer), frozenset(asked.split()))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Graz", "I live in Linz"),
        ("I live in Graz", "I've moved to Linz"),
        ("Ich wohne in Graz", "Seit Mai wohne ich in Linz"),
        ("I live in Graz", "Ich bin nach Linz gezogen"),
        ("The gate code is 7781", "They changed the gate code to 3345"),
        ("Der Kurs ist am Montag", "Sie haben den Kurs auf Mittwoch verlegt"),
        ("My favourite band is Mogwai", "My favourite band isn't Mogwai any more"),
        ("My girlfriend is Lena", "I broke up with Lena, my girlfriend is Pia now"),
        ("I weigh 82 kilos", "I weigh 77 kilos now"),
        ("I like liquorice", "I no longer like liquorice"),
        ("I like liquorice", "I don't like liquorice any more"),
        ("Our landlord is Mr Okafor", "We got a new landlord last week"),
    ],
)
def test_a_later_message_takes_the_place_of_an_older_one_that_says_the_same_of_the_same(older: str, newer: str) -> None:
    assert replaced(older, newer)
    assert claims(newer).supersedes


@pytest.mark.parametrize(
    "text", ["I have a cat", "My cat is sick", "I also work as a waiter", "Where do I live now?", "Good morning"]
)
def test_what_tells_of_no_change_and_of_nothing_that_is_only_once_need_not_be_compared(text: str) -> None:
    assert not claims(text).supersedes


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I have a cat", "I have a dog"),
        ("I have a cat", "I have a dog now"),
        ("I have a cat", "I have a new dog"),
        ("Ich habe eine Katze", "Ich habe jetzt auch einen Hund"),
        ("I like tea", "I like coffee now"),
        ("I live in Graz", "My sister lives in Linz"),
        ("My sister lives in Bergen", "My brother lives in Oslo"),
        ("I live in Graz", "I lived in Linz when I was a child"),
        ("I live in Graz", "I live with two cats now"),
        ("I live in Graz", "Where do I live now?"),
        ("I work as a baker", "I work in Graz"),
        ("My cat is black", "My cat is sick"),
        ("My doctor is Dr Hill", "My doctor says that I should eat less salt now"),
        ("I live in Graz", "I moved the sofa"),
        ("I live in Graz", "Before I moved I lived in Linz"),
        ("I work as a baker", "I also work as a waiter"),
        ("My meeting is at 5", "My other meeting is at 6"),
        ("Mein Termin ist um 5", "Mein anderer Termin ist um 6"),
    ],
)
def test_what_holds_at_the_same_time_or_of_somebody_else_takes_no_place(older: str, newer: str) -> None:
    assert not replaced(older, newer)


def test_who_looks_for_the_older_value_by_its_name_wants_the_older() -> None:
    assert not replaced("I live in Graz", "I live in Linz", "graz")
    assert replaced("I live in Graz", "I live in Linz", "live linz")


@pytest.mark.parametrize(
    ("question", "older"),
    [
        ("Where did I live before?", True),
        ("What was my old number?", True),
        ("Wo habe ich früher gewohnt?", True),
        ("Was war meine alte Nummer?", True),
        ("How old is my cat?", False),
        ("Where do I live?", False),
        ("What is my last name?", False),
        ("Wie alt ist meine Katze?", False),
    ],
)
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


@pytest.mark.parametrize(
    "text",
    [
        "I drive a Fiat",
        "I'm used to cold water",
        "She got used to the noise",
        "Salt is used to melt the ice",
        "I used to drive a Saab, now it's a Fiat",
        "Früher als sonst war ich im Büro",
        "Ich stehe früher auf",
        "Where did I use to live, and what did I formerly do?",
    ],
)
def test_what_tells_how_it_is_or_of_a_change_is_not_past(text: str) -> None:
    assert not claims(text).past


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("the wifi password is bluebird7", "new wifi: redfox9"),
        ("mi número es 555 01", "nuevo número: 555 77"),
        ("I live at Oak Lane 12", "we're at the new flat now, Elm Street 4"),
        ("my niece Mia is six", "Mia's turned 7"),
        ("I have soy milk in my tea", "I've switched to oat milk"),
        ("my boss is called Dave", "he's not my boss any more, Priya is"),
        ("I work at a flower shop", "I quit the flower shop and started at the archive"),
        ("ma fille Léa a 8 ans", "Léa a eu 9 ans hier"),
    ],
)
def test_what_changed_is_told_in_words_of_its_own(older: str, newer: str) -> None:
    assert replaces(older, newer) and not replaces(newer, older)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("my sister's phone number is 555 01", "new phone number: 555 77"),
        ("I live at Oak Lane 12", "my parents moved to Elm Street 4"),
        ("I live at Oak Lane 12", "we moved the sofa to Elm Street 4"),
        ("I live at Oak Lane 12", "we may have moved by May, the new flat is in Elm Street"),
        ("my niece Mia is 6", "Tom's turned 7"),
        ("my boss is called Dave", "Ben is not my dentist any more, Priya is"),
        ("I drive a Skoda", "have you sold the Skoda, by now?"),
        ("I drive a Skoda", "my uncle sold the Skoda he had, he has a Kia now"),
        ("I have soy milk in my tea", "I want to switch to oat milk"),
        ("I have a cat called Mio", "new cat too: Luna"),
    ],
)
def test_what_changed_for_somebody_or_something_else_takes_no_place(older: str, newer: str) -> None:
    assert not replaces(older, newer)


@pytest.mark.parametrize(
    "text",
    [
        "actually I like it",
        "no wait, I'll come too",
        "ok, at 6 then",
        "sorry about Friday",
        "sorry, I was on the phone for 2 hours",
        "sorry, I'm late on Tuesday",
        "actually today is Friday",
        "wait, is it 5",
        "wait, 2 more weeks to go!",
        "no, Friday is fine with me",
        "forget that Tom comes on Friday",
        "oublie pas samedi",
        "kann nicht schlafen",
        "no quiero ir el sábado",
        "at 6?",
        "it's 6 already",
    ],
)
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
the dinner has been moved to Friday
I had to move the dinner to Friday
ach nein, um sechs
ich meinte Freitag
en fait c'est à 18 h
je voulais dire vendredi
mejor dicho, a las seis
perdón, el viernes""".splitlines(),
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
