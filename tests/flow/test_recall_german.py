"""A German question finds what was told with another form of its verb, a compound of its noun, or an s that the stemmer leaves."""

from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.index.recall.unknown_words import likelier_by_compounds
from tests.kits.memory_kit import among, at_home, table
from tests.unit.test_offline_voice import ask, said

TOLD = """
Wo singt Mira?                 | Mira: Ich singe seit Januar im Kirchenchor
Wohin zieht Jonas?             | Jonas: Wir ziehen im Oktober nach Leipzig
Was hat Jonas gekauft?         | Jonas: Heute kaufe ich endlich das Lastenrad
Wer sammelt Briefmarken?       | Mira: Meine Onkel sammeln alte Briefmarken aus Ungarn
Was kostet das Zelt?           | Ada: Das Zelt hat 200 Euro gekostet
Was hast du vom Zug gesehen?   | Ada: Ich sehe vom Zug aus immer die alte Burg
Was trank Jonas auf der Feier? | Jonas: Auf der Feier trinke ich nur Holundersaft
Was liest Mira im Urlaub?      | Mira: Im Urlaub lese ich den Zauberberg
"""


async def test_a_german_verb_is_found_in_its_other_forms_and_not_weak(tmp_path: Path) -> None:
    cases = table(TOLD)
    async with among(
        tmp_path, *(told for _, told in cases), "Ada: Das Wetter ist heute wieder schlecht", "Mira: Bis später"
    ) as here:
        found = {asked: (await here.view.recall.messages(asked, 1))[:1] for asked, _ in cases}
    seen = {asked: [hit.exchange.text for hit in hits if hit.certainty is not Certainty.WEAK] for asked, hits in found.items()}
    assert seen == {asked: [told.partition(": ")[2]] for asked, told in cases}


def test_without_a_model_she_quotes_what_was_told_with_another_form_of_the_verb() -> None:
    given = ask(
        "Wer verlor den Schlüssel und wo wurde gekocht?", said("Ich habe gestern beim Baden etwas verloren", speaker="Bo")
    )
    assert "gestern beim Baden etwas verloren" in given.text
    assert ask("Wer kocht am Sonntag?", said("Bo will kochen")).text == "Du hast mir heute um 21:04 gesagt: „Bo will kochen“."


COMPOUNDS = """
Wann muss ich zum Zahnarzt?          | Mein Zahnarzttermin ist am 14. März um halb neun
Wo habe ich die Geschenke versteckt? | Die Weihnachtsgeschenke liegen im Kellerschrank hinter den Farbdosen
"""


@pytest.mark.parametrize(("question", "told"), table(COMPOUNDS))
def test_without_a_model_she_quotes_a_near_message_with_a_compound_of_the_word(question: str, told: str) -> None:
    assert f"„{told}“" in ask(question, said(told), said("Die Zahnbürste ist neu", speaker="Bo")).text
    assert "Bo" not in ask(question, said("Die Zahnbürste ist neu", speaker="Bo")).text


@pytest.mark.parametrize(("question", "told"), table(COMPOUNDS))
@pytest.mark.parametrize(("cosine", "certainty"), [(0.40, Certainty.LIKELY), (0.20, Certainty.WEAK)])
def test_a_word_in_a_compound_makes_a_near_message_likely(question: str, told: str, cosine: float, certainty: Certainty) -> None:
    weak = said(told)._replace(cosine=cosine, certainty=Certainty.WEAK)
    assert likelier_by_compounds(question, {1: weak})[1].certainty is certainty
    assert likelier_by_compounds(question, {1: weak, 2: said(f"Ja, {question}")})[1] is weak


def test_small_talk_of_whom_the_question_names_is_not_quoted_beside_an_answer() -> None:
    small_talk = said("haha, true", speaker="Mira")._replace(cosine=0.20, certainty=Certainty.WEAK)
    given = ask("Was hat sich Mira gebrochen?", said("Ich habe mir das Handgelenk gebrochen", speaker="Jonas"), small_talk)
    assert "Handgelenk" in given.text and "haha" not in given.text


@pytest.mark.parametrize("question", ["Was macht Emil?", "Was macht mein Bruder?", "Was tut Emil?"])
def test_asked_what_somebody_does_she_tells_what_she_has_of_them(question: str) -> None:
    assert "singt im Chor" in ask(question, said("Mein Bruder Emil singt im Chor")).text


OWNED = "Omas Geburtstag war schön, wir hatten viele Gäste"


@pytest.mark.parametrize(
    ("told", "asked"), [(OWNED, "Oma"), ("Oma wird im Sommer neunzig und freut sich", "wann ist Omas Geburtstag?")]
)
async def test_a_genitive_and_its_name_find_one_another(tmp_path: Path, told: str, asked: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(told)
        await here.say("wir haben heute die Hecke geschnitten und es war sehr warm")
        found = await here.view.recall.messages(asked, 2)
        assert found[0].exchange.text == told
        assert any("oma" in why for why in found[0].why)


async def test_what_is_told_of_somebody_in_the_genitive_is_forgotten_with_them(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(OWNED)
        await here.say("wir haben heute die Hecke geschnitten und es war sehr warm")
        assert [one.text for one in (await here.view.selecting.select("Oma", None)).messages] == [OWNED]


async def test_the_past_of_a_verb_is_found_by_its_ing(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("I swam in the lido today")
        await here.say("the ferry was late")
        found = await here.view.recall.messages("when did I last go swimming", 2)
        assert (found[0].exchange.text, "words: swimming" in found[0].why) == ("I swam in the lido today", True)
