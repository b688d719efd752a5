"""Names are told from other words by how they are written, in every script that has capitals."""

import pytest

from memory.dream.sensing import contradictions
from memory.text.told.named_things import spelled_names
from memory.types import Statement


def facts(*texts: str) -> list[Statement]:
    """Return facts that stand."""
    return [Statement(n, str(n), "profile", "", "said", text, "w", 0, 0, 0) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Yesterday we met Ada. Then it rained.", {"ada"}),
        ("That is Bob’s boat, Carla said", {"bob", "carla"}),
        ("живёт в Граце", {"граце"}),
        ("Ада любит чай", set()),
        ("עדה אוהבת תה", set()),
        ("we saw Ältere and ältere", {"ältere"}),
    ],
)
def test_names_are_written_large_within_a_sentence(text: str, found: set[str]) -> None:
    assert spelled_names(text) == found


@pytest.mark.parametrize(
    ("one", "other"), [("Ada is Bob's sister", "Ada is Carl's sister"), ("Ада живёт в Граце", "Ада живёт в Вене")]
)
def test_facts_that_differ_in_a_name_do_not_fit_together(one: str, other: str) -> None:
    assert len(contradictions(facts(one, other), 4)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ада любит чай", "Ада любит кофе"),
        ("עדה אוהבת תה", "עדה אוהבת קפה"),
        ("Η Άδα αγαπά τσάι", "Η Άδα αγαπά καφέ"),
        ("Ada mag ältere Hunde", "Ada mag üppige Hunde"),
    ],
)
def test_facts_that_differ_in_other_words_do(one: str, other: str) -> None:
    assert contradictions(facts(one, other), 4) == []
