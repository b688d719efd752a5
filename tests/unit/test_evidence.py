"""A digest may not say a name or a number that what it cites does not hold."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.derive.checks.evidence import Evidence
from memory.derive.drafting import supported
from memory.derive.entries import parse
from memory.ports import Entry, Source, Task
from memory.text import numbers
from memory.text.time import dates
from tests.kits.steps import steps
from tests.kits.tabled import tabled

AT = "2026-11-20T21:04+01:00"  # a Friday


def said(text: str, speaker: str = "Ada", said_at: str = AT) -> Source:
    return Source("m1", speaker, said_at, text)


def unsupported(sentence: str, cited: Sequence[Source]) -> list[str]:
    """Return what a sentence says beyond its sources."""
    return list(Evidence().judge(sentence, cited).missing)


@pytest.mark.parametrize(("sentence", "heard"), tabled("evidence", "names"))
def test_names_that_the_sources_hold(sentence: str, heard: str) -> None:
    assert unsupported(sentence, [said(heard)]) == []


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Ada met Bo in Rome.", ["Bo", "Rome"]),
        ("Bo Miller met Ada.", ["Bo", "Miller"]),
        ("Ada works for NASA with Bo, and Bo likes it.", ["NASA", "Bo"]),
        ("Ada's friend Dr. Smith called.", ["Smith"]),
        ('Ada praised the book "Dune".', ["Dune"]),
        ("Ada bought an iPhone.", ["iPhone"]),
    ],
)
def test_names_that_nobody_said(sentence: str, missing: list[str]) -> None:
    assert unsupported(sentence, [said("we met and it was nice")]) == missing


@pytest.mark.parametrize(("sentence", "heard"), tabled("evidence", "numbers"))
def test_numbers_that_the_sources_hold(sentence: str, heard: str) -> None:
    assert unsupported(sentence, [said(heard)]) == []


@pytest.mark.parametrize(
    ("sentence", "heard", "missing"),
    [
        ("Ada has two cats.", "I have 3 cats", ["two"]),
        ("Ada has 30 cats.", "I have 3 cats", ["30"]),
        ("It cost 10k.", "10 of them", ["10k"]),
        ("It cost 10.", "a lot", ["10"]),
        ("It is 3.5.", "3 or 5", ["3.5"]),
        ("It is at 9:30 pm.", "at 8:30", ["9:30 pm"]),
        ("20 cats came.", "cats came", ["20"]),
    ],
)
def test_numbers_that_nobody_said(sentence: str, heard: str, missing: list[str]) -> None:
    assert unsupported(sentence, [said(heard)]) == missing


@pytest.mark.parametrize(("sentence", "heard"), tabled("evidence", "dates"))
def test_dates_come_from_when_it_was_said(sentence: str, heard: str) -> None:
    assert unsupported(sentence, [said(heard)]) == []


@pytest.mark.parametrize(
    ("sentence", "heard", "missing"),
    [
        ("On 19 November 2026 Ada fell.", "I fell", ["19 November 2026"]),
        ("On 5 May 2026 Ada fell.", "I fell yesterday", ["5 May 2026"]),
        ("In 2019 Ada fell.", "I fell", ["2019"]),
        ("At 21:05 Ada fell.", "I fell", ["21:05"]),
        ("Ada has 14 cats.", "I counted them yesterday", ["14"]),
        ("On 2026-12-15 Ada flies.", "I fly on March 15th", ["2026-12-15"]),
    ],
)
def test_dates_that_follow_from_nothing(sentence: str, heard: str, missing: list[str]) -> None:
    assert unsupported(sentence, [said(heard)]) == missing


def test_two_people_may_be_counted() -> None:
    sources = [said("hello"), said("hi", "Bo")]
    assert unsupported("Ada and Bo met, and the two laughed.", sources) == []
    assert unsupported("Ada has two cats.", sources) == ["two"]


def test_all_cited_sources_count_together_and_digests_have_no_speaker() -> None:
    sources = [said("Ada moved to Rome.", ""), said("Bo has 3 dogs.", "", "")]
    assert unsupported("Ada moved to Rome, Bo has three dogs.", sources) == []


def test_without_sources_nothing_is_held() -> None:
    assert unsupported("Then Ada left for Rome with 3 cats.", []) == ["Ada", "Rome", "3"]


@pytest.mark.parametrize("said_at", ["", "garbage", "2026-99-99T00:00", "0001-01-01T00:00", "9999-12-31T23:59"])
def test_an_odd_date_holds_nothing_and_raises_nothing(said_at: str) -> None:
    assert unsupported("Ada fell 3 times.", [said("yesterday, 9999 years ago", said_at=said_at)]) == ["3"]


@given(st.text(), st.text(), st.sampled_from(["", AT]))
def test_a_copy_of_the_source_says_nothing_new(text: str, speaker: str, said_at: str) -> None:
    assert unsupported(text, [said(text, speaker, said_at)]) == []


PIECES = st.sampled_from(
    "Ada Bo Rome May 3 20 1,000 21:04 9 pm two hundred and 5.11.2026 10k 2026-11-20 November 2026 2:1 3.11.2 8th . , - \n yesterday"
    " three weeks million 1'000 März".split(" ")
)


@given(st.lists(PIECES, min_size=1), st.sampled_from(["", AT]))
def test_a_copy_of_figures_and_names_says_nothing_new(pieces: list[str], said_at: str) -> None:
    text = " ".join(pieces)
    assert unsupported(text, [said(text, "Ada", said_at)]) == []


def test_the_turkish_i_is_read_like_any_other() -> None:
    assert unsupported("sıx or SİX on 3 Aprıl in İzmir", [said("six on 3 april in izmir")]) == []


def test_words_that_multiply_without_end_are_stopped() -> None:
    text = "two hundred million " * 5000
    assert unsupported(text, [said(text)]) == []


@given(st.integers(min_value=2100, max_value=10**9))
def test_a_number_nobody_said_is_found(number: int) -> None:
    assert unsupported(f"It cost {number:,}.", [said("it cost something last week")]) == [f"{number:,}"]


@given(st.text(), st.lists(st.tuples(st.text(), st.text())))
def test_any_text_can_be_checked(sentence: str, heard: list[tuple[str, str]]) -> None:
    assert all(isinstance(word, str) for word in unsupported(sentence, [said(t, s) for t, s in heard]))


NUMBERED = (
    "3 March 2026 march. 8th of de mai ſeptember one hundred and twenty-one dozen 3/4/2026 2026-03-04 12.3.2026 K dec2019 x3 3x"
)
texts = st.lists(st.sampled_from([*NUMBERED.split(), " ", " ", "\n", "-", ".", "a", "İ", "é"])).map("".join)


@given(texts)
def test_what_is_looked_for_place_by_place_is_what_one_search_finds(text: str) -> None:
    for pattern, beginning in ((dates.written_date(), dates.DATE_BEGINNING), (numbers.in_words(), numbers.COUNTED_BEGINNING)):
        found = [match.span() for match in dates.matches(pattern, beginning, text)]
        assert found == [match.span() for match in pattern.finditer(text)]
    blank = dates.blanked(text, (one.span() for one in dates.matches(dates.written_date(), dates.DATE_BEGINNING, text)))
    assert blank == dates.written_date().sub(lambda date: re.sub(r"(?s).", ";", date[0]), text)


@given(st.lists(st.tuples(texts, st.sampled_from(["Ada", "Bo Miller"])), max_size=3), texts)
def test_sources_that_were_read_before_hold_what_they_held_then(heard: list[tuple[str, str]], sentence: str) -> None:
    sources = [Source(f"m{n}", speaker, AT, text) for n, (text, speaker) in enumerate(heard)]
    evidence = Evidence()
    for some in (sources, sources[:1], [], sources):
        assert list(evidence.judge(sentence, some).missing) == unsupported(sentence, some)


@pytest.mark.parametrize("once", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
def test_a_source_is_read_once_however_many_sentences_cite_it(once: bool) -> None:
    source = said("On Friday two weeks ago Ada paid 1,200 euros. " * 100)

    def check(sentences: int) -> None:
        evidence = Evidence()
        for _ in range(sentences):
            (evidence if once else Evidence()).judge("Ada paid 1,200 euros.", [source])

    assert (steps(lambda: check(10)) < 2 * steps(lambda: check(1))) is once


def test_a_message_of_single_letters_alone_is_checked_in_the_steps_of_its_length() -> None:
    def check(letters: int) -> None:
        text = "e " * letters
        supported([Entry(f"Ada said: {text}", ("m1",))], Task("gist", (said(text),)))

    # Eight times the letters take eight times the steps, or sixty-four times where every letter is held against every other.
    few = steps(lambda: check(50))
    assert steps(lambda: check(400), warm=True) < 10 * few


GERMAN = [
    Source(f"m{n}", who, f"2026-09-15T19:{n:02}+02:00", text)
    for n, (who, text) in enumerate(tabled("german_gists", "said"), start=1)
]


@pytest.mark.parametrize(
    ("line", "stays"),
    [*((one, True) for one in tabled("german_gists", "told")), *((one, False) for one in tabled("german_gists", "untold"))],
)
def test_a_german_noun_is_no_name_that_was_made_up_but_names_and_things_that_nobody_spoke_of_are(line: str, stays: bool) -> None:
    entries = parse(line, [one.label for one in GERMAN])
    assert bool(supported(entries, Task("gist", tuple(GERMAN)))[0]) is stays
