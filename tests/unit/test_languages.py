"""A text is known by its language: a sentence of each, short talk in none, and nothing by a name alone."""

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.language_detection import function_words, language, languages_by_script
from memory.text.lexical import tokens
from tests.kits.size import examples
from tests.kits.tabled import tabled

SENTENCES = tabled("languages", "sentences")


def told(text: str) -> str | None:
    return language(tokens(text))


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SENTENCES.items() for text in texts])
def test_a_sentence_is_known_by_its_language(name: str, text: str) -> None:
    assert told(text) == name


def test_every_language_whose_words_can_be_stemmed_has_its_function_words() -> None:
    assert set(SENTENCES) == set(function_words()) == set(Stemmer.algorithms()) - {"porter", "dutch_porter"}
    assert all(len(words) >= 25 for words in function_words().values())
    assert all(tokens(word) == [word] for words in function_words().values() for word in words)


@pytest.mark.parametrize(
    "text",
    [
        "ok", "lol", "hello there", "hi!", "no", "yes please", "haha", "brb", "thanks", "good night", "so cute", "omg no way",
        "on it", "me too", "not now", "done and done", "wow, nice", "ok so what now", "pizza?", "see you", "la la la", "ja",
        "take a look!", "we bond over stories", "just something nice to take my mind off things", "i am so done", "",
        "Tuesday 03 March 2026 Ada: ok", "42", "https://example.org/a/b?c=d",
    ],
)  # fmt: skip
def test_short_talk_is_english_or_nothing(text: str) -> None:
    assert told(text) in (None, "english")


@pytest.mark.parametrize(
    "names",
    [
        "Ben, Kim", "Dan Jim", "Mia", "Leonardo da Vinci", "Vincent van Gogh", "Maria de la Cruz", "Jürgen Müller", "Łukasz Dąbrowski",
        "José Muñoz", "Per Olsen", "Ole", "Uma", "Sam Han", "Mai Sen", "Björn Åkesson", "Đorđe Petrović", "Ali", "Ona Ella",
    ],
)  # fmt: skip
def test_names_decide_nothing(names: str) -> None:
    assert told(names) is None
    assert told(f"{names} and I went to the sea with our friends") == "english"
    assert told(f"Gestern war ich mit {names} am Meer, und es war nicht kalt") == "german"
    assert told(f"вчера мы были на море с {names}") == "russian"


@pytest.mark.parametrize("text", ["Tuesday 03 March 2026 Ελένη: ok", "I learned the word кошка today", "my friend 山田 is here"])
def test_one_foreign_word_is_not_the_language_of_a_text(text: str) -> None:
    assert told(text) in (None, "english")


@pytest.mark.parametrize(
    "text",
    ["我的猫叫图灵，它不想吃东西", "私の猫はチューリングです", "แมวของฉันชื่อทัวริง", "내 고양이는 튜링이에요", "החתול שלי ישן על הספה והוא לא רוצה לאכול", "میری بلی صوفے پر سو رہی ہے"],
)  # fmt: skip
def test_what_cannot_be_stemmed_is_no_language(text: str) -> None:
    assert told(text) is None


@pytest.mark.parametrize(("name", "sentence"), [(name, texts[0]) for name, texts in SENTENCES.items()])
def test_the_date_and_the_speaker_before_a_sentence_do_not_hide_its_language(name: str, sentence: str) -> None:
    assert told(f"Tuesday 03 March 2026 Ada: {sentence}") == name


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from([word for texts in SENTENCES.values() for word in tokens(texts[0])]) | st.text(), max_size=30))
def test_the_order_and_the_repetition_of_words_change_nothing(words: list[str]) -> None:
    once = language(words)
    assert once is None or once in function_words()
    assert language([*reversed(words), *words]) == once


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("すし는 어디서 먹어", "korean"),
        ("漢字는 뭐라고 읽어", "korean"),
        ("昨日、寿司を食べた", "japanese"),
        ("Машаはどこ", "japanese"),
        ("我的Наташа叫什么", "chinese"),
        ("где мой كتاب", "russian"),
        ("أين Lyra", "arabic"),
    ],
)
def test_a_text_in_several_scripts_is_in_the_one_that_tells_its_language_best(text: str, name: str) -> None:
    assert languages_by_script(text)[0] == name


@pytest.mark.parametrize("text", ["where is it", "où est-il", "πού είναι", "איפה הספר"])
def test_scripts_of_several_languages_tell_none(text: str) -> None:
    assert languages_by_script(text) == []
