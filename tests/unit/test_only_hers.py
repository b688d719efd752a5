"""What Lyra said is no more certain than what people told: a reply that somebody made up is not found again as a fact."""

from pathlib import Path

import pytest

from bot.context.layers import ONLY_YOURS, InView, note_on
from bot.context.packing import Packer
from memory.index.hits import Certainty, RecallLimits
from memory.index.recall.query import asks_for_hers
from memory.index.when.values import Window
from memory.text.passages import only_asks
from tests.kits.memory_kit import Corner, among, aside, table

ONLY_HERS = "only in my own words"
TOLD = """
Farid: Ich heiße Farid und wohne seit Mai in Leipzig.
Farid: Mein Freund Karim hat mir gestern sein altes Fahrrad geschenkt.
Noor: My sister Amal got a puppy, a beagle called Biscuit.
Noor: I paid 340 euros for a second-hand oven.
"""
MADE_UP = """
Wie heißt mein Freund mit dem Fahrrad?  | Dein Freund mit dem Fahrrad ist Farid.
Was habe ich über meinen Bruder erzählt? | Du hast über deinem Bruder erzählt, dass er gestern sein altes Fahrrad geschenkt hat.
Where does my sister work?              | Your sister works as a nurse at the hospital in town.
How much did I pay for my fridge?       | You paid 500 euros for your fridge.
Where does Amal live?                   | Amal lives in Ghent.
"""
BORNE_OUT = """
Wie heißt mein Freund mit dem Fahrrad?  | Dein Freund mit dem Fahrrad heißt Karim.
What is Amal's dog called?              | Amal's dog is a beagle called Biscuit.
How much did I pay for my oven?         | You paid 340 euros for your oven. What do you bake?
"""


async def graded(here: Corner, question: str) -> dict[str, tuple[Certainty, bool]]:
    """Return how certain each message is that a question finds, and whether it is marked as hers alone."""
    hits = await here.view.recall.messages(question, 20)
    return {hit.exchange.text: (hit.certainty, ONLY_HERS in hit.why) for hit in hits}


@pytest.mark.parametrize(("question", "answer"), table(MADE_UP))
async def test_an_answer_that_nobody_told_is_weak_and_marked_as_hers(tmp_path: Path, question: str, answer: str) -> None:
    async with among(tmp_path, *TOLD.strip().splitlines()) as here:
        for line in (f"Noor: {question}", f"Lyra: {answer}"):
            await aside(here, line, place="kitchen")
        assert (await graded(here, question))[answer] == (Certainty.WEAK, True)


@pytest.mark.parametrize(("question", "answer"), table(BORNE_OUT))
async def test_an_answer_that_repeats_what_was_told_is_not_marked_and_never_sure_by_itself(
    tmp_path: Path, question: str, answer: str
) -> None:
    async with among(tmp_path, *TOLD.strip().splitlines()) as here:
        for line in (f"Noor: {question}", f"Lyra: {answer}"):
            await aside(here, line, place="kitchen")
        assert (await graded(here, question))[answer] == (Certainty.LIKELY, False)


@pytest.mark.parametrize("asked", ["Write me a poem about the sea.", "Schreib mir bitte ein Gedicht über das Meer."])
async def test_what_she_made_up_on_request_is_nobodys_fact(tmp_path: Path, asked: str) -> None:
    async with among(tmp_path, *TOLD.strip().splitlines()) as here:
        for line in (f"Noor: {asked}", "Lyra: My brother sails a yellow boat, and Biscuit steers it."):
            await aside(here, line, place="kitchen")
        found = await graded(here, "does a brother of mine sail a yellow boat?")
        assert found["My brother sails a yellow boat, and Biscuit steers it."] == (Certainty.WEAK, True)
        assert only_asks(asked) and not only_asks(f"{asked} My sister Amal loves the stormy sea.")
        assert not only_asks("Write me a poem about my sister Amal, a nurse.")


NOTES = """
Make a shopping list: milk, eggs and flour
Send the letter to Anna
Show Ben the script
Prepare a speech for Tuesday
Schreib Tom die Liste
Mach morgen eine Tabelle
"""


@pytest.mark.parametrize("note", NOTES.strip().splitlines())
def test_what_somebody_notes_for_themselves_is_no_request(note: str) -> None:
    assert not only_asks(note)


HERS = """
did you say that lavender helps against moths? | Lavender helps against moths.
what was your moth advice?                     | Lavender helps against moths.
what was your curry recipe?                    | Curry: fry onions, add coconut milk.
wie war dein Rezept für Curry?                 | Curry: fry onions, add coconut milk.
"""


async def test_what_she_advised_or_wrote_is_not_weak_where_it_is_asked_for(tmp_path: Path) -> None:
    said = (
        "Ada: what helps against moths?", "Lyra: Lavender helps against moths.",
        "Ada: what can I cook?", "Lyra: Curry: fry onions, add coconut milk.", "Ada: I like tea",
    )  # fmt: skip
    async with among(tmp_path, *said) as here:
        grades = {question: (await graded(here, question))[text] for question, text in table(HERS)}
        assert all(grade is not Certainty.WEAK and not marked for grade, marked in grades.values()), grades
        assert all(map(asks_for_hers, ("qu'est-ce que tu m'as conseillé contre ça ?", "¿qué receta de curry me recomendaste?")))
        found = await graded(here, "did you say that lavender helps against moths?")
        assert found["Lavender helps against moths."] == (Certainty.SURE, False)


@pytest.mark.parametrize("neighbour", [False, True], ids=["found", "beside what was found"])
async def test_a_model_is_told_of_her_earlier_answer_that_nobody_told_her_so(tmp_path: Path, neighbour: bool) -> None:
    async with among(tmp_path, "Ada: I have a sister") as here:
        for line in ("Ada: Where does my sister work?", "Lyra: She is a nurse.", "Ada: I paint.", "Lyra: That is good to hear."):
            await aside(here, line, place="kitchen")
        found = await here.view.recall.at_once("Where does my sister work?", RecallLimits(20, 0, 0), (), "Ada")
        if neighbour:
            found = found.narrowed([hit for hit in found.hits if hit.exchange.text.startswith("Where")])
        shown = {layer.fitted.name: layer.block for layer in Packer(InView(), (), 2000, "UTC").fill(found)}["recalled"]
        assert "only in your own words, Lyra: She is a nurse." in shown
        assert shown.count("only in your own words") == 1


@pytest.mark.parametrize("how", ["by words", "in a time", "of hers alone", "opened"])
async def test_what_a_model_looks_up_is_marked_where_only_she_said_it(tmp_path: Path, how: str) -> None:
    async with among(tmp_path, "Ada: My cat is called Turing") as here:
        since = here.clock.now() + 1
        spoken = {
            line: await aside(here, line, place="kitchen")
            for line in (
                "Ada: Where does my sister work?", "Lyra: Your sister works as a nurse.", "Ada: What is my cat called?",
                "Lyra: Your cat is called Turing.",
            )
        }  # fmt: skip
        if how == "opened":
            hits = await here.view.recall.around(spoken["Ada: What is my cat called?"].id, 2)
        else:
            within = Window(since, here.clock.now() + 1) if how == "in a time" else None
            speaker = "Lyra" if how == "of hers alone" else ""
            hits = await here.view.recall.lookup("sister work, cat called", 9, within, speaker, "Ada")
        notes = {hit.exchange.text: note_on(hit, "UTC") for hit in hits}
        assert notes["Your sister works as a nurse."] == ONLY_YOURS
        assert notes["Your cat is called Turing."] == "", "somebody told her so, if not here"
