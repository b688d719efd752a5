"""What stands around a quote is in the language of the question, whatever language was quoted."""

import pytest

from bot.models.offline.message_kinds import MessageKind, hear
from memory.index.hits import Hit
from tests.unit.test_offline_voice import ask, said

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


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Wie heißt meine Katze nochmal?", "meine Katze heißt Minka"),
        ("wie heißt meine katze noch mal", "meine Katze heißt Minka"),
        ("Wie hieß meine Katze noch gleich?", "meine Katze heißt Minka"),
        ("Wie heißt meine Katze denn jetzt?", "meine Katze heißt Minka"),
        ("Kannst du mir nochmal sagen, wo Anna wohnt", "Anna wohnt in Linz"),
        ("Sag mir nochmal, wo Anna wohnt", "Anna wohnt in Linz"),
        ("sag mir bitte wo Anna wohnt", "Anna wohnt in Linz"),
        ("was habe ich dir über Anna erzählt?", "Anna wohnt in Linz"),
        ("was hab ich dir über Linz gesagt", "Anna wohnt in Linz"),
        ("qué te dije de Anna?", "Anna vive en Bilbao"),
        ("¿de qué color era mi coche otra vez?", "mi coche es de color rojo"),
        ("tu peux me redire où habite Anna ?", "Anna habite à Nantes"),
        ("rappelle-moi où habite Anna", "Anna habite à Nantes"),
        ("on part quand à Lisbonne", "on part à Lisbonne le 20 décembre"),
    ],
)
def test_little_words_around_a_question_are_no_part_of_what_is_asked_for(question: str, told: str) -> None:
    answer = ask(question, said(told)).text
    assert told in answer and answer.rstrip(".").endswith(("“", '"', "»"))


@pytest.mark.parametrize(
    "told", ["Sag mir Bescheid, wenn es regnet", "sag mir nicht, was es zu essen gibt", "rappelle-moi de payer Anna"]
)
def test_what_asks_to_be_told_something_later_is_no_question(told: str) -> None:
    assert hear(told).act is MessageKind.STATEMENT
