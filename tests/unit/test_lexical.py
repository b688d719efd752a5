"""Words become terms in the language of their text: inflected forms meet, names stay names, and English stays as it was."""

import re
import unicodedata
from hashlib import blake2b

import pytest
import Stemmer
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.text import lexical
from memory.text.language_detection import function_words, language
from memory.text.lexical import STOP_WORDS, Terms, compatible, key_words, query_terms, stem, term, tokens
from tests.kits.size import examples
from tests.kits.tabled import tabled

INFLECTED = tabled("lexical", "inflected")


def indexed(text: str, fallback: str = "english") -> Terms:
    """Return what a text is found by."""
    return lexical.indexed(tokens(text), fallback)


def finds(question: str, text: str, *languages: str) -> set[str]:
    """Return the words of a question that find a text."""
    held = set(indexed(text).counts)
    return {word for word, hashes in query_terms(question, languages).items() if held.intersection(hashes)}


@pytest.mark.parametrize(("name", "text", "asked", "written"), INFLECTED)
def test_a_word_is_found_in_another_form(name: str, text: str, asked: str, written: str) -> None:
    assert indexed(text).language == language(tokens(text)) == name
    assert written in tokens(text)
    assert finds(asked, text, "english", name)
    assert finds(written, text, "english", name)


@pytest.mark.parametrize(("question", "text"), tabled("lexical", "names"))
def test_a_name_is_found_whatever_the_language_of_text_and_question(question: str, text: str) -> None:
    name = next(w for w in tokens(question) if w in ("ben", "anna", "kim", "turing", "μαρία", "łukasz", "mia", "रवि"))
    assert name in finds(question, text, "english", indexed(text).language)


@pytest.mark.parametrize("text", ["Tuesday 03 March 2026 Ada: Docker läuft nicht auf der Maschine, und ich weiß nicht warum",
                                  "Docker 2026 у меня не работает и я не знаю что делать"])  # fmt: skip
def test_numbers_and_words_of_another_script_need_no_language(text: str) -> None:
    assert "2026" in finds("2026", text, "english")
    assert finds("docker", text, "english", "german") == {"docker"}


@pytest.mark.parametrize(("question", "text"), tabled("lexical", "scripts"))
def test_every_script_is_found(question: str, text: str) -> None:
    assert finds(question, text, "english", indexed(text).language)


def test_words_with_signs_around_their_letters_stay_whole() -> None:
    assert tokens("मेरी बिल्ली।") == ["मेरी", "बिल्ली"]
    assert tokens("என் பூனை, আমার বিড়াল") == ["என்", "பூனை", "আমার", "বিড়াল"]
    assert tokens("שָׁלוֹם־רב كِتَابٌ") == ["שָׁלוֹם", "רב", "كِتَابٌ"]
    assert tokens("کتاب‌ها co\u00adoperate") == ["کتابها", "cooperate"]
    assert tokens("İstanbul’da") == ["istanbul'da"]
    assert tokens("1️⃣ ❤️") == ["1"]


def test_text_without_spaces_is_cut_into_pairs_and_characters() -> None:
    assert tokens("我的猫") == ["我的", "的猫", "我", "的", "猫"]
    assert tokens("ที่นี่") == ["ที่นี่", "ที่", "นี่"]
    assert tokens("고양이는 개가 3월") == ["고양이는", "고양", "양이", "이는", "개가", "개", "3", "월"]


def test_no_sign_of_a_living_script_cuts_a_word() -> None:
    beyond = re.compile("VARIATION SELECTOR|MONGOLIAN")
    signs = [sign for sign in map(chr, range(0x10000)) if unicodedata.category(sign) in ("Mn", "Mc")]
    living = [sign for sign in signs if not beyond.search(unicodedata.name(sign)) and not "\u20d0" <= sign <= "\u20ff"]
    lost = [sign for sign in living if tokens(f"ab{sign}cd") == ["ab", "cd"] and f"ก{sign}" not in tokens(f"ก{sign}ก")]
    assert [hex(ord(sign)) for sign in lost] == []


def test_stop_words_of_the_language_of_a_question_are_not_asked_for() -> None:
    assert list(query_terms("Wo ist die Katze von meiner Schwester?", ["german"])) == ["katze", "meiner", "schwester"]
    assert list(query_terms("what is the name of my cat?", ["english", "german"])) == ["name", "cat"]
    assert list(query_terms("¿Dónde está mi gato?", ["spanish"])) == ["gato"]
    assert list(query_terms("What was that?", ["english"])) == ["what", "was", "that"]
    assert list(query_terms("Wo bist du?", ["german"])) == ["wo", "bist", "du"]
    assert query_terms("", ["english"]) == query_terms("?!", ["english"]) == {}


def test_a_question_asks_in_every_language_once() -> None:
    asked = query_terms("Bücher 2026", ["english", "german", "german", "french"])
    assert asked["bücher"] == [term(stem("bücher", name), name) for name in ("english", "german", "french")]
    assert asked["2026"] == [term("2026")]


def test_the_fallback_is_taken_where_nothing_tells() -> None:
    assert indexed("Bücher!").language == "english"
    assert indexed("Bücher!", "german") == Terms({term("buch", "german"): 1}, "german")
    told = indexed("Ich habe Bücher und du nicht", "french")
    assert (told.language, sum(told.counts.values())) == ("german", 1)


ENGLISH = "Ada's cats weren't sleeping in the café at 21:04 on 3 March, they'd run; the naïve cat (cat!) ran"


def test_english_is_what_it_was() -> None:
    words = "ada's cats sleeping café 21 04 3 march run naïve cat cat ran".split()
    assert [word for word in tokens(ENGLISH) if word not in STOP_WORDS] == words
    plain = [w.removesuffix("'s").replace("é", "e").replace("ï", "i") for w in words]
    stems = [Stemmer.Stemmer("english").stemWord(word) for word in plain]
    assert list(key_words(ENGLISH).items()) == list(dict(zip(words, stems, strict=True)).items())
    hashed = [int.from_bytes(blake2b(stemmed.encode(), digest_size=8).digest(), "big") for stemmed in stems]
    assert [term(stemmed) for stemmed in stems] == hashed
    read = indexed(ENGLISH)
    assert read.language == language(tokens(ENGLISH)) == "english"
    assert list(read.counts.items()) == [(one, hashed.count(one)) for one in sorted(set(hashed))]


def test_the_same_stem_of_two_languages_is_two_terms() -> None:
    assert len({term("hand"), term("hand", "german"), term("hand", "dutch")}) == 3
    assert term("hand", "german") == int.from_bytes(blake2b(b"german\0hand", digest_size=8).digest(), "big")
    assert term("hand", "klingon") == term("hand") and stem("hands", "klingon") == "hand"


scraps = st.sampled_from(
    [
        "\ud800",
        "\0",
        "\u200d",
        "\u0307",
        "İ",
        "ﬁ",
        "ß",
        "'",
        "’s",
        "한",
        "แม่",
        "猫",
        "कि",
        "שָׁ",
        "\U0001f600",
        "ǰ",
        "ΐ",
        "ﷺ",
        "l'",
        "ª",
        " ",
    ]
)
texts = st.one_of(
    st.text(max_size=40), st.lists(scraps | st.characters() | st.text("aeé'bcn ", max_size=6), max_size=20).map("".join)
)


@settings(max_examples=examples(80))
@given(texts, st.sampled_from(sorted(function_words())), texts)
@example("\ud800\0\u0345", "turkish", "\ud800")
def test_nothing_raises_and_every_word_of_a_text_finds_it(text: str, fallback: str, word: str) -> None:
    read = indexed(text, fallback)
    held = set(read.counts)
    empty = STOP_WORDS if read.language == "english" else function_words()[read.language]
    for one in tokens(text):
        if one not in empty:
            asked = query_terms(one, [read.language])
            assert held.intersection(hashed for hashes in asked.values() for hashed in hashes), one
    assert query_terms(text, []).keys() == query_terms(text, [fallback, "english"]).keys()
    assert 0 <= term(stem(word, fallback), fallback) < 2**64 and 0 <= term(word, fallback) < 2**64


def test_signs_that_stand_for_sentences_make_no_text_too_long_to_be_looked_at_in_one_go() -> None:
    for much in ("ﷺ" * 60_000, "ﷺﷻ" * 30_000, "ﷺ " * 30_000):
        assert len(compatible(much)) <= 10 * len(much)
    assert tokens("ﷺ") == ["صلى", "الله", "عليه", "وسلم"] and tokens("ﷺ ﷲ") == [*tokens("ﷺ"), *tokens("ﷲ")]
