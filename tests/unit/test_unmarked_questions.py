"""Questions that are typed without their mark, and statements that begin with the same words."""

import json
from itertools import product
from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.text.unmarked_questions import opens_like_a_question
from tests.kits.memory_kit import at_home

SETS = Path(__file__).parents[1] / "sets" / "asked"


@pytest.mark.parametrize(
    ("name", "heard", "mistaken"),
    [
        ("unmarked", 80, 3),
        ("unmarked_unseen", 55, 3),
        ("unmarked_romance", 68, 1),
        ("unmarked_romance_later", 28, 1),
        ("unmarked_further", 127, 3),
        ("unmarked_further_unseen", 118, 1),
        ("typed", 112, 0),
        ("typed_unseen", 58, 3),
    ],
)
def test_most_questions_are_heard_without_their_mark_and_few_statements_are_taken_for_one(
    name: str, heard: int, mistaken: int
) -> None:
    every = [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text().splitlines()]
    taken = {
        asks: [one["text"] for one in every if one["asks"] is asks and opens_like_a_question(one["text"])]
        for asks in (True, False)
    }
    print(f"{name}: {len(taken[True])} heard, taken for questions: {taken[False]}")
    assert len(taken[True]) >= heard
    assert len(taken[False]) <= mistaken


def test_no_little_words_in_whatever_order_are_too_few_to_be_read() -> None:
    little = ("in", "an", "für", "was", "wie", "hast", "ich", "the", "shed")
    heard = [opens_like_a_question(" ".join(words)) for n in range(5) for words in product(little, repeat=n)]
    assert not all(heard)


@pytest.mark.parametrize("question", ["which neighbour plays the trumpet", "wer spielt oben eigentlich Trompete"])
async def test_what_was_asked_before_without_a_mark_is_no_certain_answer(tmp_path: Path, question: str) -> None:
    async with at_home(tmp_path) as here:
        await here.say(question)
        assert (await here.view.recall.messages(question, 1))[0].certainty is Certainty.WEAK


async def test_what_was_told_is_certain_where_the_question_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("the neighbour who plays the trumpet is Walter")
        assert (await here.view.recall.messages("which neighbour plays the trumpet", 1))[0].certainty is Certainty.SURE


@pytest.mark.parametrize(
    "told",
    [
        "can you believe it, Nadia sold the boat",
        "can you imagine, the school got a pool",
        "would you believe that Egon paints",
        "who would have thought that beetroot works in a cake",
        "who knew that Ruben juggles",
        "who'd have thought that Ruben juggles",
        "did I tell you that the roof leaks",
        "did you know that Ruben has a twin",
        "have you heard that the bakery closes",
        "how many times have I told Egon to close the gate",
        "is it just me or does the kitchen smell",
        "weißt du was, Egon hat gekündigt",
        "kannst du dir vorstellen, Nadia malt jetzt",
        "wer hätte gedacht, dass Egon tanzt",
    ],
)
async def test_what_asks_in_form_only_is_kept_as_told(tmp_path: Path, told: str) -> None:
    assert not opens_like_a_question(told)
    async with at_home(tmp_path) as here:
        await here.say(told)
        assert (await here.view.recall.messages(told.split()[-1], 1))[0].certainty is not Certainty.WEAK


@pytest.mark.parametrize(
    "question",
    [
        "can you tell me what Nadia sold",
        "did I tell you about the roof",
        "did I tell you where Egon works",
        "do you know what Ruben does",
        "who knew about the roof",
        "how often did I tell you about the roof",
        "how often have I asked about the roof",
        "why won't Egon come on Sunday",
        "won't the bus go on Sundays",
        "weißt du was über Egon",
        "hat Nadia noch den alten Hund",
        "spielt Ruben noch Schach",
        "was blühte im Hochbeet",
        "where'd I meet Nadia",
        "wieviel hab ich für das Rad bezahlt",
        "was mach ich morgen",
        "wann is mein termin",
        "kannst du mir sagen wann der zahnarzt ist",
        "hab ich am freitag was vor",
        "hatte ich schon mal masern",
        "gibts was neues von egon",
        "who'd you say fixes bikes",
        "wie heißt nadias hund",
        "was für ein bike hab ich",
    ],
)
def test_what_is_like_it_still_asks(question: str) -> None:
    assert opens_like_a_question(question)


@pytest.mark.parametrize(
    "looked_up",
    [
        "bike lock combination",
        "Nadia's birthday",
        "my library card number",
        "address of the tax office",
        "recipe for plum cake",
        "case number of the stolen van",
        "name of the plumber",
        "size of the dining room table",
        "PIN for the old tablet",
        "tool shed code",
        "the code for the garage",
        "Telefonnummer von Egon",
        "WLAN-Passwort im Ferienhaus",
        "Egons Adresse",
        "Rezept für Pflaumenkuchen",
    ],
)
async def test_a_detail_that_is_only_named_is_looked_up_and_hides_nothing(tmp_path: Path, looked_up: str) -> None:
    assert opens_like_a_question(looked_up)
    async with at_home(tmp_path) as here:
        await here.say(looked_up)
        assert (await here.view.recall.messages(looked_up, 1))[0].certainty is Certainty.WEAK


@pytest.mark.parametrize(
    "told",
    [
        "bike lock combination 7714",
        "changed the garage code",
        "lost my library card number",
        "new phone number",
        "the code for the garage changed",
        "the name of my boat is Otter",
        "the code for the garage works",
        "the recipe for plum cake needs rum",
        "die Adresse vom Arzt stimmt",
        "happy birthday",
        "surprise birthday",
        "Rezept von Egon gefunden",
        "bedtime reading",
        "a recipe for plum cake",
        "love the recipe for plum cake",
        "need a new address",
        "Nadia's birthday today",
        "recipe for plum cake: plums, flour, butter",
        "neue Adresse",
        "Egons Geburtstag war schön",
        "macht Spaß mit den Kindern",
        "was heute im Garten passierte",
        "kommt Montag wieder",
        "was für ein Tag",
        "hab ich gestern endlich gekauft",
        "kann ich nur empfehlen",
        "muss ich noch bezahlen",
        "hätte ich nie gedacht",
        "wollte ich nur sagen",
        "hatte ich lange nicht mehr",
        "hab ich dir erzählt dass Egon kommt",
        "was für ein Idiot der Egon",
        "cos I was late",
        "Comment added to the page",
        "Comment on the PR yesterday",
        "I fixed the C comment",
        "Comment section was fun to read",
    ],
)
def test_a_note_is_no_look_up(told: str) -> None:
    assert not opens_like_a_question(told)
