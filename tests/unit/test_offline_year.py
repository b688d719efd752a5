"""What somebody who has told her things for a year asks: the last time, how often, who somebody is, in other words than then."""

import pytest

from memory.index.hits import Certainty, Hit
from tests.unit.test_offline_voice import ask, said

UNSURE = "I am not sure that this is what you mean."


def weak(text: str, when: str = "2026-11-20T21:04", *, meaning: float = 0.0) -> Hit:
    return said(text, when)._replace(certainty=Certainty.WEAK, cosine=meaning)


@pytest.mark.parametrize("question", ["when did I last go skating?", "when was the last time I went skating"])
def test_the_last_time_is_the_latest(question: str) -> None:
    early, late = said("went skating with Ola", "2026-01-05T10:00", score=2.0), said("skating again, alone", "2026-02-05T10:00")
    assert ask(question, early, late).cites == (late,)
    assert ask("when did I go skating with Ola?", early, late).cites == (early,)


def test_the_first_time_is_the_earliest() -> None:
    early, late = said("skating at last", "2026-01-05T10:00"), said("skating with Ola again", "2026-02-05T10:00", score=2.0)
    assert ask("when did I first go skating?", early, late).cites == (early,)


@pytest.mark.parametrize(
    "question", ["how often did I have cramps", "how many times did I have cramps?", "wie oft hatte ich cramps"]
)
def test_how_often_lists_every_time(question: str) -> None:
    hits = [said("cramps all night", f"2026-0{month}-05T10:00") for month in (3, 1, 2)]
    other = said("all quiet")
    assert ask(question, *hits, other).cites == (hits[1], hits[2], hits[0])


def test_how_often_quotes_the_habit_if_that_is_all() -> None:
    habit = said("I water the orchid every two weeks")
    assert ask("how often do I water the orchid", habit).cites == (habit,)


def test_who_somebody_is_was_told_when_the_name_first_came_up() -> None:
    first = said("a woman named Ola has moved in upstairs, she is a luthier", "2026-01-05T10:00", score=0.5)
    later = said("Ola forgot her keys", "2026-02-05T10:00")
    assert ask("who is Ola?", later, first).cites == (first,)
    assert ask("what did Ola forget?", later, first).cites == (later,)


def test_a_relative_said_first_is_who_somebody_is() -> None:
    early, kin = said("Ola forgot her keys", "2026-01-05T10:00"), said("my cousin Ola is a luthier", "2026-02-05T10:00")
    assert ask("who is Ola?", early, kin).cites == (kin,)


def test_what_she_is_not_sure_of_she_says_so() -> None:
    quote = 'You told me today at 21:04: "the van is at the garage".'
    assert ask("where is the van?", weak("the van is at the garage", meaning=0.2)).text == f"{UNSURE} {quote}"
    assert ask("where is the van?", weak("the van is at the garage", meaning=0.5)).text == quote
    assert ask("where is the van?", said("the van is at the garage")).text == quote


def test_what_is_near_in_meaning_is_offered_where_the_word_is_unknown() -> None:
    near, far = weak("we drive a green Volvo now", meaning=0.45), weak("biopsy on Friday", meaning=0.2)
    given = ask("what happened to the lorry?", far, near)
    assert given.text == f'Nothing about "lorry" yet. {UNSURE} You told me today at 21:04: "we drive a green Volvo now".'
    assert given.cites == (near,)
    assert ask("what happened to the lorry?", far).cites == ()


def test_what_is_near_but_of_somebody_else_is_not_offered() -> None:
    near = weak("Marek has broken his arm", meaning=0.6)
    assert ask("what did Kofi injure?", near).cites == ()


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how old is my father?", "Dad turned 70 today"),
        ("where does my mum live?", "my mother lives in Ulm"),
        ("wo wohnt Oma?", "meine Großmutter wohnt in Celle"),
    ],
)
def test_a_parent_goes_by_several_words(question: str, told: str) -> None:
    hit = said(told)
    assert ask(question, hit).cites == (hit,)
    assert "Nothing" not in ask(question, hit).text
    assert "nichts" not in ask(question, hit).text


@pytest.mark.parametrize("meaning", [0.15, 0.6])
@pytest.mark.parametrize("question", ["when is Ola's wedding?", "did Ola sprain her wrist", "when did Ola quit"])
def test_a_message_that_only_names_the_person_is_no_answer_however_it_was_found(question: str, meaning: float) -> None:
    passing = said("Ola moved in with her cats")._replace(why=("words: ola", f"meaning {meaning}"))
    given = ask(question, passing, also_known="wedding wrist sprain quit")
    assert given.cites == ()
    assert given.text.startswith("Nothing about")


def test_the_last_time_is_no_time_that_it_was_not_done() -> None:
    done, not_done = said("skating with Ola", "2026-01-05T10:00"), said("no skating for six weeks", "2026-02-05T10:00")
    assert ask("when did I last go skating?", done, not_done).cites == (done,)


def test_a_value_told_again_in_the_same_words_is_the_one_that_holds() -> None:
    old = said("Ola got a C in her Latin exam", "2026-01-05T10:00", score=2.0)
    new = said("Ola got an A in her Latin exam", "2026-02-05T10:00")
    assert ask("how is Ola in Latin?", old, new).cites == (new,)


@pytest.mark.parametrize(
    ("question", "told"), [("how old is Ola?", "my niece Ola, she is 11"), ("wie alt ist Ola?", "Ola ist 11")]
)
def test_an_age_needs_no_years(question: str, told: str) -> None:
    age, other = said(told, "2026-01-05T10:00", score=0.5), said("Ola laughs a lot", "2026-02-05T10:00")
    assert ask(question, other, age).cites == (age,)


def test_a_question_that_was_widened_is_as_sure_as_what_it_holds() -> None:
    hit = weak("I work as a nurse")
    assert UNSURE not in ask("where do I work?", hit).text
    assert UNSURE in ask("where do I work with lorries?", hit, also_known="lorries").text


@pytest.mark.parametrize("question", ["welche Farbe hat unser Zelt", "welche Farbe hat mein Helm?"])
def test_a_list_of_a_kind_is_no_answer_where_nothing_tells_of_the_thing(question: str) -> None:
    hits = [weak("the blue mug broke"), weak("painted the shed green")]
    assert ask(question, *hits).cites != tuple(hits)


def test_a_list_of_a_kind_holds_whatever_is_told_of_the_thing() -> None:
    hits = [said("the tent is blue", "2026-01-05T10:00"), said("the tent was green once", "2026-02-05T10:00")]
    assert ask("which colours did the tent have?", *hits).cites == tuple(hits)


def test_who_asks_how_heavy_something_is_is_told_what_it_weighs() -> None:
    assert ask("how heavy is Ola", said("Ola weighs 4 kilos")).text.endswith('"Ola weighs 4 kilos".')


@pytest.mark.parametrize("question", ["are Ola and Piet still together", "do I need Ola and Piet anyway"])
def test_a_small_word_is_not_missed(question: str) -> None:
    assert "Nothing about" not in ask(question, said("Ola and Piet broke up")).text


def test_who_does_something_for_me_has_a_name() -> None:
    named, later = (
        said("optician on the 3rd, Dr Quint", "2026-01-05T10:00"),
        said("optician done, new lenses", "2026-02-05T10:00"),
    )
    assert ask("who is my optician", later, named).cites == (named,)


@pytest.mark.parametrize("question", ["what's our address", "what is my new address?", "tell me our address"])
def test_where_somebody_else_lives_is_not_my_address(question: str) -> None:
    others, ours = said("Ola is moving to Bern"), said("we moved. 3 Quay Street", "2026-01-05T10:00")
    assert ask(question, others, ours).cites == (ours,)
    assert ask("where is Ola moving?", others, ours).cites == (others,)


def test_where_my_sister_moved_is_her_address() -> None:
    hit = said("my sister moved to 4 Mill Lane")
    assert ask("what is my sister's address?", hit).cites == (hit,)
