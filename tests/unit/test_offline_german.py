"""Without a model: what stands around a quote is in the language of the question, and what is told of the asker and of people."""

import pytest

from bot.models.offline.message_kinds import MessageKind, hear, topic
from memory.index.hits import Certainty, Hit
from tests.kits.tabled import tabled
from tests.unit.test_offline_voice import NO_MODEL, ask, said

YESTERDAY = said("we met Bo", "2026-11-19T20:00")
MAY = said("ein neues Rad gekauft", "2025-05-14T10:00")
LAKE = said("we walked to the lake", "2025-05-17T10:00")


@pytest.mark.parametrize(
    ("question", "hits", "answer"),
    [
        ("Wo wohnt Eva?", [said("Eva wohnt in Bonn", "2026-03-03T21:04")], 'Du hast mir am 3. März 2026 um 21:04 gesagt: „Eva wohnt in Bonn“.'),
        ("Wo schläft die Katze?", [said("die Katze schläft auf dem Sofa", "2026-11-19T09:10", "Bo")],
         'Bo hat gestern um 09:10 gesagt: „die Katze schläft auf dem Sofa“.'),
        ("Wo wohne ich?", [said("Ich wohne in Linz", "2026-03-03T21:04"), said("Ich bin nach Graz gezogen", "2026-11-19T20:00")],
         'Du hast mir gestern um 20:00 gesagt: „Ich bin nach Graz gezogen“.'),
        ("Wer ist Olga?", [], 'Noch nichts über „Olga“.'),
        ("Wie heißen Olga und Hannes?", [], 'Noch nichts über „Olga“ oder „Hannes“.'),
        ("Was habe ich gestern gemacht?", [YESTERDAY], 'Am 19. November 2026:\n- 19. November 2026: „we met Bo“'),
        ("Was war im Mai 2025?", [MAY, LAKE],
         'Vom 1. Mai 2025 bis 31. Mai 2025:\n- 14. Mai 2025: „ein neues Rad gekauft“\n- 17. Mai 2025: „we walked to the lake“'),
        ("Was war im Mai 2025?", [], "Aus der Zeit vom 1. Mai 2025 bis 31. Mai 2025 noch nichts."),
        ("Was habe ich an Silvester gemacht?", [], "Vom 31. Dezember 2025 noch nichts."),
        ("Was hat Bo gesagt?", [said("the rain is back", speaker="Bo"), said("I fell ill", speaker="Bo")],
         'Bo hat gesagt:\n- 20. November 2026: „the rain is back“\n- 20. November 2026: „I fell ill“'),
        ("What did I do yesterday?", [YESTERDAY], 'On 19 November 2026:\n- 19 November 2026: "we met Bo"'),
    ],
)  # fmt: skip
def test_a_question_is_answered_in_its_language(question: str, hits: list[Hit], answer: str) -> None:
    assert ask(question, *hits).text == answer


def test_a_second_answer_goes_on_in_the_same_language() -> None:
    given = ask("Wo wohnt Eva und wie heißt mein Hund?", said("Eva wohnt in Bonn"), said("mein Hund heißt Bello", speaker="Bo"))
    assert given.text.startswith("Du hast mir heute um 21:04 gesagt: „Eva wohnt in Bonn“.")
    assert given.text.endswith("Außerdem hat Bo heute um 21:04 gesagt: „mein Hund heißt Bello“.")


def test_what_was_told_to_another_assistant_is_told_so_in_the_same_language() -> None:
    hit = said("der Zug nach Graz fährt um neun", "2026-03-03T10:00")
    other = hit.exchange._replace(speaker="Claude", role="assistant", text="Gut.")
    given = ask("Wann fährt der Zug nach Graz?", hit._replace(session="Reise", after=other))
    assert (
        given.text
        == "Im Gespräch „Reise“, importiert aus Claude, hast du am 3. März 2026 geschrieben: „der Zug nach Graz fährt um neun“."
    )


@pytest.mark.parametrize(("question", "told"), tabled("offline", "little_words"))
def test_little_words_around_a_question_are_no_part_of_what_is_asked_for(question: str, told: str) -> None:
    answer = ask(question, said(told)).text
    assert told in answer and answer.rstrip(".").endswith(("“", '"', "»"))


@pytest.mark.parametrize(
    "told", ["Sag mir Bescheid, wenn es regnet", "sag mir nicht, was es zu essen gibt", "rappelle-moi de payer Anna"]
)
def test_what_asks_to_be_told_something_later_is_no_question(told: str) -> None:
    assert hear(told).act is MessageKind.STATEMENT


CALLED = said("Call me Adi, please.")
HUSBAND = said("My husband Torben is away until March.", "2026-10-02T08:00")
BACK = said("Torben is back. He brought a hat.", "2026-10-29T22:00")


@pytest.mark.parametrize("question", ["what is my name?", "What am I called?", "Wie heiße ich?", "do you know my name?"])
def test_who_said_what_they_are_called_is_told(question: str) -> None:
    assert "Call me Adi" in ask(question, CALLED, HUSBAND).text


def test_who_only_introduced_themselves_is_told_that() -> None:
    assert "I'm Ada, and" in ask("what is my name?", HUSBAND, said("Hi, I'm Ada, and I teach.")).text


@pytest.mark.parametrize("question", ["do you like me?", "don't you love me?"])
def test_what_she_feels_is_not_made_up(question: str) -> None:
    assert ask(question, said("I don't like oysters")).text == NO_MODEL


def test_who_somebody_is_is_told_by_whose_they_are() -> None:
    assert "My husband Torben" in ask("who is Torben?", BACK, HUSBAND).text


@pytest.mark.parametrize(
    ("question", "lacks"),
    [("how tall is Torben?", "tall"), ("what is Torben allergic to?", "allergic"), ("Wie alt ist Torben?", "alt")],
)
def test_what_was_never_said_of_a_person_is_admitted_instead_of_quoting_something_else(question: str, lacks: str) -> None:
    answer = ask(question, BACK, HUSBAND).text
    assert lacks in answer and "Torben is" not in answer


def test_what_another_does_is_no_answer_about_oneself() -> None:
    assert "dogs" not in ask("what am I afraid of?", said("Espen is afraid of dogs")).text
    assert "dogs" in ask("what is Espen afraid of?", said("Espen is afraid of dogs")).text


def test_a_compound_is_answered_by_its_words() -> None:
    answer = ask("Wo liegt der Kellerschlüssel?", said("Der Schlüssel für den Keller liegt unter dem Blumentopf.")).text
    assert "Blumentopf" in answer and "nichts" not in answer


def test_a_note_too_short_to_tell_its_language_answers_by_a_part_of_its_word() -> None:
    note = said("Zahnarzttermin am Donnerstag um 10")
    assert "um 10" in ask("wann muss ich zum Zahnarzt?", note).text
    assert "Fireplace" not in ask("when was the fire?", said("Fireplace fixed Thursday")).text


@pytest.mark.parametrize("question", ["Was weißt du über {}?", "Que sais-tu de {} ?", "¿Qué sabes de {}?", "Wer ist {}?"])
@pytest.mark.parametrize("name", ["Luis", "Hans", "Mia", "Dan"])
def test_a_name_that_is_a_little_word_of_some_language_is_a_name(question: str, name: str) -> None:
    told = f"{name} tanzt"
    assert told in ask(question.format(name), said(told), said("Egon malt")).text


def test_little_words_are_no_names() -> None:
    asked = ["Wo ist Ihre Mutter?", "où est son chien ?", "come sta mia madre?", "Was haben Sie von mir?"]
    assert [set(topic(one).admit.values()) for one in asked] == [{"Mutter"}, {"chien"}, {"sta", "madre"}, set()]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("where do I work?", "my brother works at the post office"),
        ("Where do I live?", "my little sister Anna lives in Linz"),
        ("Wo wohne ich?", "meine Schwester Anna wohnt in Linz"),
        ("Wo arbeite ich?", "Mein Bruder arbeitet bei der Post"),
        ("où j'habite déjà ?", "ma soeur Anna habite à Nantes"),
        ("où est-ce que je travaille ?", "mon frère travaille à la poste"),
    ],
)
def test_what_my_family_does_is_no_answer_about_me(question: str, told: str) -> None:
    assert told not in ask(question, said(told)).text


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("où habite mon frère ?", "mon frère habite à Paris", "ma sœur habite à Lyon"),
        ("où habite ma sœur ?", "ma sœur habite à Lyon", "mon frère habite à Paris"),
        ("¿dónde vive mi hermano?", "mi hermano vive en Madrid", "my sister lives in Bern"),
    ],
)
def test_who_asks_of_a_brother_is_not_told_of_a_sister(question: str, answer: str, other: str) -> None:
    for told in ([answer, other], [other, answer]):
        text = ask(question, *map(said, told)).text
        assert answer in text
        assert other not in text


def test_a_message_told_anew_with_one_word_changed_is_the_answer_though_it_is_less_surely_found() -> None:
    first, anew = (
        said("mi hermano vive en Madrid", score=1.78),
        said("No, mi hermano vive en Sevilla", "2026-11-20T21:05", score=1.77),
    )
    anew = anew._replace(certainty=Certainty.WEAK)
    assert "Sevilla" in ask("¿dónde vive mi hermano?", first, anew).text


@pytest.mark.parametrize(("question", "told"), tabled("offline", "my_family"))
def test_what_concerns_me_too_or_is_asked_of_my_family_is_told(question: str, told: str) -> None:
    assert told in ask(question, said(told)).text


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where do I live?", "where does my sister live?"),
        ("Wo wohne ich?", "wo wohnt meine Schwester nochmal?"),
        ("où j'habite ?", "tu peux me redire où habite ma soeur ?"),
    ],
)
def test_what_i_asked_about_my_family_is_no_answer_about_me(question: str, asked: str) -> None:
    assert asked not in ask(question, said(asked)).text


def test_an_earlier_question_of_mine_that_says_more_is_told() -> None:
    assert "clinic" in ask("When do I have my appointment?", said("do I have my appointment at the clinic?")).text
