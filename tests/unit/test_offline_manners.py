"""Without a model she follows how somebody wants to be talked to as far as she can: name, language, length, form of address."""

from pathlib import Path

import pytest

from bot.models.offline.voice import Manner, VoiceQuestion, manner
from memory.index.hits import Hit
from memory.types import Exchange, Kind
from tests.kits.memory_kit import Corner, at_home, utc

NOW = utc("2026-03-03T12:00:00")


async def wished(here: Corner, *texts: str) -> Manner:
    """Return how Ada is answered after she said something."""
    said = [await here.say(text) for text in (*texts, "what now?")]
    return manner(await here.view.digests.wanted_by(said[-1:]))


def said(text: str, minutes: int = 0) -> Hit:
    at = NOW - (60 + minutes) * 60_000_000
    return Hit(Exchange(minutes + 1, "x", 1, 1, Kind.SAID, "user", "Ada", text, "s", at, at), "home", 1.0, ("words",))


def answer(text: str, how: Manner, *hits: Hit) -> str:
    return VoiceQuestion(text, "Ada", NOW, "UTC", how).answer(hits, lambda stem: True).text


async def test_who_wants_another_name_is_greeted_by_it_until_that_is_taken_back(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        how = await wished(here, "call me Captain")
        assert answer("hello", how) == "Hello, Captain." and answer("bye", how) == "Goodbye, Captain."
        assert [one.text for one in how.rests_on] == ['Ada wants to be called "Captain".']
        assert answer("hello", await wished(here, "stop calling me Captain")) == "Hello, Ada."


async def test_an_answer_follows_the_wish_for_a_name_where_it_says_the_name(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        how = await wished(here, "call me Captain", "keep it short")
        name, short = 'Ada wants to be called "Captain".', "Ada wants short answers."
        followed = {text: {one.text for one in how.followed_in(text)} for text in ("Hello, Captain.", "Kept.")}
        assert followed == {"Hello, Captain.": {name, short}, "Kept.": {short}}


async def test_the_language_that_is_wished_frames_the_answer_and_not_the_quote(tmp_path: Path) -> None:
    cat = said("my cat is called Turing")
    async with at_home(tmp_path) as here:
        how = await wished(here, "answer in German")
        assert answer("what is my cat called?", how, cat) == "Du hast mir heute um 11:00 gesagt: „my cat is called Turing“."
        assert answer("hello", how) == "Hallo, Ada." and answer("thanks", how) == "Gern geschehen."
        how = await wished(here, "siezen Sie mich bitte")
        assert answer("what is my cat called?", how, cat).startswith("Sie haben mir heute um 11:00 gesagt:")
        how = await wished(here, "back to English please")
        katze = said("meine Katze heißt Turing")
        assert answer("Wie heißt meine Katze?", how, katze) == 'You told me today at 11:00: "meine Katze heißt Turing".'


@pytest.mark.parametrize(
    ("text", "framed"),
    [
        ("hallo", "Hallo, Ada."), ("danke", "Gern geschehen."), ("tschüss", "Bis bald, Ada."), ("Gute Nacht", "Bis bald, Ada."),
        ("Meine Katze heißt Turing", "Gemerkt."), ("my cat is called Turing", "Kept."), ("hello", "Hello, Ada."),
    ],
)  # fmt: skip
def test_without_a_wish_the_answer_is_framed_in_the_language_of_the_message(text: str, framed: str) -> None:
    assert answer(text, Manner()) == framed


async def test_short_answers_are_short_without_a_model(tmp_path: Path) -> None:
    books = [
        said(f"I read the book {name} about ships " + "and the sea " * 30, n)
        for n, name in enumerate(("Anna", "Bela", "Cora", "Dune", "Emma"))
    ]
    async with at_home(tmp_path) as here:
        whole, brief = answer("which books have I read?", Manner(), *books), await wished(here, "keep it short")
        short = answer("which books have I read?", brief, *books)
        assert len(whole.splitlines()) > len(short.splitlines()) == 4
        assert len(max(short.splitlines(), key=len)) < 160 < len(max(whole.splitlines(), key=len))


@pytest.mark.parametrize(
    "text", ["Wie geht es dir?", "Wie geht's?", "Was machst du?", "Hallo Lyra, wie geht es dir?", "Hallo, wie geht's?"]
)
def test_who_asks_how_she_is_in_german_hears_what_she_is(text: str) -> None:
    assert answer(text, Manner()).startswith("Ich bin Lyra, und kein Modell ist verbunden")
    assert answer("Wie geht es meiner Schwester?", Manner()) != answer(text, Manner())
