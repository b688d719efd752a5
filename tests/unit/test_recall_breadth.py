"""What asks for several things finds them in many conversations; what asks for a summary finds what was answered as well."""

from pathlib import Path

import numpy as np
import pytest

from memory.index.recall import query as understanding
from memory.index.recall.breadth import Breadth, breadth, names_listed
from memory.text.language_detection import language
from memory.text.lexical import tokens
from tests.kits.memory_kit import HOUR, BagOfWords, Corner, among, aside, at_home, corner

ONE_EVENING = [f"{('Ada', 'Cleo')[n % 2]}: Ben's books on sailing stand on shelf {n}" for n in range(12)]
ELSEWHERE = [f"Ada: Ben was given a few of his books by {who} in hospital" for who in ("Ann", "Dan", "Eva")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Which books has Ben read?", Breadth.LIST),
        ("Where has Ben been camping?", Breadth.LIST),
        ("Welche Bücher hat Ben gelesen?", Breadth.LIST),
        ("Wo war Ben überall?", Breadth.LIST),
        ("¿Cuáles son los libros que tiene Ben?", Breadth.LIST),
        ("Quels livres est-ce que Ben a lus ?", Breadth.LIST),
        ("In which order did we paint the rooms?", Breadth.ORDER),
        ("In welcher Reihenfolge haben wir die Zimmer gestrichen?", Breadth.ORDER),
        ("Can you sum up what we said about the boat?", Breadth.WHOLE),
        ("Give me a summary of how the garden came about, in order", Breadth.WHOLE),
        ("Fasse bitte zusammen, was wir über das Boot gesagt haben", Breadth.WHOLE),
        ("Peux-tu me faire un résumé de ce que nous avons dit du bateau ?", Breadth.WHOLE),
        ("Hazme un resumen de lo que dijimos del barco", Breadth.WHOLE),
        ("What book did Ben read?", Breadth.ONE),
        ("What does Ben do in order to sleep?", Breadth.ONE),
        ("Where did Ben go?", Breadth.ONE),
        ("Welches Buch hat Ben gelesen?", Breadth.ONE),
        ("What is this?", Breadth.ONE),
    ],
)
def test_how_much_is_asked_for(text: str, wanted: Breadth) -> None:
    assert breadth(text, language(tokens(text)) or "english") is wanted


@pytest.mark.parametrize("spread", [True, False])
async def test_several_things_are_found_in_the_conversations_in_which_they_were_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spread: bool
) -> None:
    if not spread:
        monkeypatch.setattr(understanding, "breadth", lambda text, language: Breadth.ONE)
    async with among(tmp_path) as here:
        for said in ONE_EVENING:
            await aside(here, said, place="that evening")
        for said in ELSEWHERE:
            await aside(here, said)
        found = await here.found("Which books has Ben got?", 10)
        assert (sum("was given" in text for text in found) == len(ELSEWHERE)) is spread
        assert found == (await here.found("Which books has Ben got?", 16))[:10], "a longer list begins with the shorter one"


async def boat(here: Corner) -> None:
    """Say some things of a boat and one of a cat, each answered."""
    for n, (said, answered) in enumerate(
        [("the boat leaks", "put tar into it"), ("the cat is ill", "keep it warm"), ("the boat is slow", "scrape it clean")]
    ):
        here.clock.forward(7 * HOUR * (n + 1))
        await here.say(said)
        await here.reply(answered, [])


async def test_a_summary_rests_on_what_was_said_and_on_what_was_answered(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await boat(here)
        found = await here.found("Sum up what I told you about the boat", 4)
        assert [found[n : n + 2] for n in (0, 2)] in (
            [["the boat leaks", "put tar into it"], ["the boat is slow", "scrape it clean"]],
            [["the boat is slow", "scrape it clean"], ["the boat leaks", "put tar into it"]],
        )
        assert (await here.found("How is the boat?", 2)) != found[:2], "only where a summary is asked for"


async def test_no_reply_comes_along_that_was_left_out(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await boat(here)
        hits = await here.view.recall.messages("Sum up what I told you about the boat", 6)
        (tar,) = (hit.exchange for hit in hits if hit.exchange.text == "put tar into it")
        left = await here.view.recall.messages("Sum up what I told you about the boat", 6, exclude=[tar.key])
        assert tar.text not in [hit.exchange.text for hit in left]


async def test_the_theme_of_what_was_found_first_finds_more_of_it(tmp_path: Path) -> None:
    meanings = {"hull": "keel", "mast": "keel", "rudder": "keel"}
    async with at_home(tmp_path, embedder=BagOfWords(meanings=meanings, dimension=8192)) as here:
        for n in range(12):
            await (await corner(here.memory, here.clock, place=f"p{n}")).say(f"remarks on gardens {n}", source=f"s{n}")
        for n, text in enumerate(("my boat needs a new keel", "we bent the rudder", "they mended a mast")):
            await (await corner(here.memory, here.clock, place=f"b{n}")).say(text, source=f"b{n}")
        await here.view.embed()
        assert await here.found("How is my boat?") == ["my boat needs a new keel"]
        hits = await here.view.recall.messages("In which order did I tell of my boat?", 3)
        assert {hit.exchange.text for hit in hits} == {"my boat needs a new keel", "we bent the rudder", "they mended a mast"}
        assert np.isclose(hits[1].cosine or 0.0, 0, atol=0.1), "how near it is, is told by the question"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what do Ada, Bob and Eve bring?", 3),
        ("are Dr Amsel, Dr Krug, Dr Weiss, and Dr Halm any good?", 4),
        ("kommen Ida, Karl oder Öznur zum Essen?", 3),
        ("when did Ada and Bob meet?", 0),
        ("did I buy milk, bread and butter?", 0),
        ("Hello, what did Bob, my brother, say?", 0),
    ],
)
def test_names_are_counted_where_a_question_lists_several(text: str, names: int) -> None:
    assert names_listed(text) == names
