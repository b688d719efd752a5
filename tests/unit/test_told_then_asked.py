"""A message that tells something and then asks is no mere question."""

from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.text.passages import only_asks
from tests.kits.memory_kit import at_home

TELLS = "The lighthouse keeper is called Barnaby Finch. Who might know his address?"


@pytest.mark.parametrize(
    "text",
    [
        "Who might know?",
        "Oh! Who might know?",
        "Is it he? Or is it she?",
        "Hey Lyra. Is the old ferry late?",
        "Write me a list of bridges",
    ],
)
def test_what_only_asks_tells_nothing(text: str) -> None:
    assert only_asks(text)


@pytest.mark.parametrize(
    "text",
    [
        TELLS, "The lighthouse keeper is called Barnaby Finch.", "灯台守はバーナビーという名前です。住所は?", "",
        "write on the shopping list: bananas", "Make a list: tent, stove", "Schreib Bananen auf die Einkaufsliste",
        "mach eine Liste: Zelt, Kocher",
    ],
)  # fmt: skip
def test_what_tells_something_does_not_only_ask(text: str) -> None:
    assert not only_asks(text)


async def test_what_is_told_before_a_question_is_found_for_certain_and_a_question_alone_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say(TELLS)
        await here.say("Is the ferry captain called Osgood Marsh?")
        found = [(await here.view.recall.messages(name, 1))[0].certainty for name in ("Barnaby", "Osgood")]
        assert found == [Certainty.SURE, Certainty.WEAK]
