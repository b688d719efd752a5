"""Without a model, names are known in all their forms, what is known of somebody is listed, and further languages are heard: tests/sets/tongues."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bot.models.offline.message_kinds import MessageKind, hear
from bot.models.offline.phrases import Phrases
from bot.models.offline.spoken_languages import SPOKEN, detect_language, spoken_language
from memory.text.word_forms.name_forms import declined
from tests.kits.lyra_kit import REPO
from tests.kits.memory_kit import Clock, corner, opened, said, utc
from tests.unit.test_told_later import answer

SET = REPO / "tests" / "sets" / "tongues"
NOW = utc("2026-11-26T20:00")
A_DAY = 86_400_000_000
QUOTED = re.compile('["„«“”「]\u00a0?([^"„«“”»「」]+?)\u00a0?["“”»」]')
DANISH_AND_NORWEGIAN = {"da", "nb"}


def rows(name: str) -> list[dict[str, Any]]:
    """Return the lines of a file of the set."""
    return [json.loads(line) for line in (SET / f"{name}.jsonl").read_text("utf-8").splitlines()]


async def answers(folder: Path, told: Sequence[str], questions: Sequence[str]) -> list[str]:
    """Return what she answers to questions, each on its own, where all this was told before."""
    clock = Clock(NOW)
    async with opened(folder / "lyra.db", None, clock=clock) as memory:
        here = await corner(memory, clock)
        await here.view.say(here.session, [said(text, str(n), NOW - 3 * A_DAY * (n + 1)) for n, text in enumerate(told)])
        return [await answer(here, question) for question in questions]


@pytest.mark.parametrize("row", rows("about"), ids=lambda row: row["language"])
async def test_who_asks_what_is_known_of_somebody_is_told_all_of_it_and_nothing_of_others(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    *of_elena, of_another = row["told"]
    for question, told in zip(row["questions"], await answers(tmp_path, row["told"], row["questions"]), strict=True):
        assert all(one in told for one in of_elena) and of_another not in told, question


async def test_what_is_known_is_headed_with_the_name_as_it_was_said(tmp_path: Path) -> None:
    told = ["Elena mieszka w Gdyni", "Elena nie lubi oliwek"]
    (polish,) = await answers(tmp_path, told, ["co wiesz o Elenie?"])
    assert polish.startswith("O Elenie – oto, co wiem:\n- ")


async def test_somebody_told_of_under_one_form_of_a_name_is_found_under_another(tmp_path: Path) -> None:
    by_language: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows("names"):
        if row["same"]:
            by_language[row["language"]].append(row)
    quoted, known = 0, 0
    for language, some in by_language.items():
        found = await answers(tmp_path / language, [row["told"] for row in some], [row["question"] for row in some])
        for row, told in zip(some, found, strict=True):
            lacking = {one.casefold() for one in QUOTED.findall(told)}
            names = {word for word in re.findall(r"\w+", row["question"])[1:] if word[0].isupper()}
            quoted += row["told"].rstrip(".。") in told
            known += row["told"].rstrip(".。") in told or lacking.isdisjoint(name.casefold() for name in names)
    print(f"quoted {quoted}, known {known} of 60")
    assert quoted >= 42 and known >= 58


def test_languages_that_decline_no_names_add_no_forms_of_them() -> None:
    assert not any(declined("elena", tongue) for tongue in ("english", "german", "french", "spanish", ""))


@pytest.mark.parametrize(
    ("name", "tongue", "form"),
    [("marek", "polish", "markowi"), ("tomku", "polish", "tomek"), ("елене", "russian", "елена"), ("льва", "russian", "лев"),
     ("elena'nın", "turkish", "elena"), ("zeynebe", "turkish", "zeynep"), ("لمريم", "arabic", "مريم"), ("janě", "czech", "jana")],
)  # fmt: skip
def test_a_name_is_known_in_its_cases_with_what_changes_before_the_ending(name: str, tongue: str, form: str) -> None:
    assert form in declined(name, tongue)


async def test_a_turkish_name_that_a_question_begins_with_is_not_answered_with_what_another_does(tmp_path: Path) -> None:
    (told,) = await answers(tmp_path, ["Alina denizi seviyor."], ["Burak neyi seviyor?"])
    assert "Burak" in told


@pytest.mark.parametrize("row", rows("further"), ids=lambda row: row["language"])
async def test_speakers_of_further_languages_are_heard_and_answered_in_no_language_but_theirs_or_english(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    said_so = [*row["told"], *row["others"]]
    assert all(hear(one).act is MessageKind.QUESTION for one in row["questions"])
    assert all(hear(one).act is MessageKind.STATEMENT for one in said_so)
    assert hear(row["thanks"]).act is MessageKind.THANKS and hear(row["farewell"]).act is MessageKind.FAREWELL
    languages = {SPOKEN.get(spoken_language(one), "") for one in [*said_so, *row["questions"]]}
    assert languages <= {"", row["language"]}
    found = await answers(tmp_path, said_so, row["questions"])
    assert sum(told in one for told, one in zip(row["told"], found, strict=True)) >= 5


def test_questions_in_further_languages_that_the_rule_was_not_made_by_are_mostly_heard_and_statements_mostly_kept() -> None:
    questions = [one for row in rows("further_later") for one in row["questions"]]
    statements = [one for row in rows("further_later") for one in row["others"]]
    assert sum(hear(one).act is MessageKind.QUESTION for one in questions) >= 42
    assert sum(hear(one).act is MessageKind.QUESTION for one in statements) <= 2


@pytest.mark.parametrize(
    ("text", "language"),
    [("Мене звати Оксана і я живу у Львові", "ukrainian"), ("де я живу", "ukrainian"), ("Меня зовут Оксана", "russian"),
     ("kde bydlím", "czech"), ("gdzie mieszkam", "polish"), ("celý den pršelo", "czech"), ("var bor jag", "swedish"), ("waar woon ik", "dutch")],
)  # fmt: skip
def test_languages_that_are_written_alike_are_told_apart(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("language", "sentence", "values", "said_so"),
    [
        ("it", "Around {day}:", {"day": "8 marzo 2026"}, "Intorno all’8 marzo 2026:"),
        ("it", "On {day}", {"day": "11 marzo 2026"}, "L’11 marzo 2026"),
        ("it", "On {day}", {"day": "18 marzo 2026"}, "Il 18 marzo 2026"),
        ("fr", "About {what}:", {"what": "Elena"}, "À propos d’Elena\u00a0:"),
        ("fr", "About {what}:", {"what": "Marc"}, "À propos de Marc\u00a0:"),
    ],
)
def test_little_words_are_elided_before_vowels_and_the_eighth(
    language: str, sentence: str, values: dict[str, str], said_so: str
) -> None:
    assert Phrases(language).framed(sentence, **values) == said_so


def test_the_first_of_a_month_is_written_as_each_language_does() -> None:
    first = utc("2026-03-01T12:00")
    told = [Phrases(code).day(first, NOW, "UTC") for code in ("fr", "it", "pt", "es")]
    assert told == ["le 1er mars 2026", "il 1º marzo 2026", "em 1º de março de 2026", "el 1 de marzo de 2026"]


def test_what_a_french_quote_ends_with_ends_its_sentence() -> None:
    phrases = Phrases("fr")
    assert phrases.introduced("Tu m’as dit", phrases.quoted("Il pleut.")) == "Tu m’as dit\u00a0: «\u00a0Il pleut.\u00a0»"
    assert phrases.introduced("Tu m’as dit", phrases.quoted("il pleut")) == "Tu m’as dit\u00a0: «\u00a0il pleut\u00a0»."
