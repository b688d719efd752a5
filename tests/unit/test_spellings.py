"""Other spellings of the words of a question, mistyped ones too, and none where another name or word would be meant."""

import pytest

from bot.models.offline.question_analysis import as_meant
from memory.text.lexical import tokens
from memory.text.word_forms.spellings import may_be_mistyped, other_spellings, single_typos
from tests.kits.memory_kit import table

OTHERS = """
ask Jürgen             | jürgen: juergen
ask Juergen            | juergen: jürgen
Juergen's key          | juergen's: jürgen
Mueller and Schaefer   | mueller: müller, schaefer: schäfer
Søren Łukasz           | søren: soeren soren, łukasz: lukasz
is the wi-fi on        | wi: wifi, fi: wifi
Anne‑Marie             | anne: annemarie, marie: annemarie
a state-of-the-art one | state: stateoftheart, of: stateoftheart, the: stateoftheart, art: stateoftheart
"""
NONE = """
Michael Rafael Samuel Joel Noel Zoe Chloe Sue
Bauer Feuer Quelle Neuer Straße
juergen poet duel does
2024-05-03 or 3-4 or -x- or a - b
"""


@pytest.mark.parametrize(("text", "others"), table(OTHERS))
def test_a_word_has_the_spellings_in_which_it_may_have_been_typed(text: str, others: str) -> None:
    found = other_spellings(text, tokens(text))
    assert {word: " ".join(sorted(forms)) for word, forms in found.items()} == dict(
        one.split(": ") for one in others.split(", ") if one
    )


@pytest.mark.parametrize("text", NONE.strip().splitlines())
def test_what_is_another_name_or_word_is_no_other_spelling(text: str) -> None:
    assert other_spellings(text, tokens(text)) == {}


SLIPS = """
orthodntist | orthodontist
excercise   | exercise
calender    | calendar
dentits     | dentist
regenschrim | regenschirm
fahrradd    | fahrrad
lader       | ladder
papppe      | pappe
pupy        | puppy
"""
NO_SLIPS = """
quilt  | guilt
seller | cellar
plain  | explain
diary  | dairy
coat   | goat
boots  | boats
"""


@pytest.mark.parametrize(("typed", "meant"), table(SLIPS))
def test_a_mistyped_word_may_mean_what_is_one_slip_away(typed: str, meant: str) -> None:
    assert meant in single_typos(typed)
    assert typed not in single_typos(typed)


@pytest.mark.parametrize(("typed", "other"), table(NO_SLIPS))
def test_a_word_with_another_first_letter_or_two_other_letters_is_not_meant(typed: str, other: str) -> None:
    assert other not in single_typos(typed)


@pytest.mark.parametrize(("word", "may"), [("dentits", True), ("dog", False), ("2o25kg1", False), ("ha" * 11, False)])
def test_a_word_that_is_short_long_or_no_word_is_taken_as_it_is(word: str, *, may: bool) -> None:
    assert may_be_mistyped(word) is may


SAID = ["The greenhouse needs a new pane.", "Der Regenschirm steht im Flur.", "I like the desert at night."]
READ = """
what does the greenhose need?   | what does the greenhouse need?
Where is the GREENHOSE?         | Where is the greenhouse?
Wo steht der Regenschrim?       | Wo steht der regenschirm?
where is the new greenhouse?    | where is the new greenhouse?
what grows in the greenery?     | what grows in the greenery?
who broke the plane?            | who broke the plane?
"""


@pytest.mark.parametrize(("asked", "meant"), table(READ))
def test_a_mistyped_word_is_read_as_what_was_said(asked: str, meant: str) -> None:
    assert as_meant(asked, SAID) == meant
