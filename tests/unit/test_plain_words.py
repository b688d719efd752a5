"""Plain words that only a command does: at a terminal they are offered as that command."""

import pytest

from adapters.console.plain_words import asks_for_reminder, offered

MEANT = {
    "/forget last": [
        "forget that",
        "Forget it!",
        "please delete what I just said.",
        "erase my last message",
        "Vergiss das bitte",
    ],
    "/forget all": ["forget everything", "delete all I told you", "vergiss alles, was ich dir gesagt habe"],
    "/summarize": [
        "summarize",
        "Summarise this, please"[:14],
        "sum up our conversation",
        "sum it up",
        "fass unser Gespräch zusammen",
    ],
}
NOT_MEANT = [
    "forget that I asked about the wedding, what is new?", "I always forget that", "forget about him", "do you forget that?",
    "summarize the book Dune for me", "in sum, it was fine", "delete the file from my disk", "vergiss nicht, das Licht auszumachen",
]  # fmt: skip


@pytest.mark.parametrize(("line", "text"), [(line, text) for line, texts in MEANT.items() for text in texts])
def test_a_command_is_offered(line: str, text: str) -> None:
    offer = offered(text, "/")
    assert offer and offer.line == line


@pytest.mark.parametrize("text", NOT_MEANT)
def test_what_is_something_else_is_left_alone(text: str) -> None:
    assert offered(text, "/") is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [("remind me to call Ana", True), ("Erinnere mich an den Termin", True), ("you remind me of my aunt", False)],
)
def test_a_reminder_is_asked_for(text: str, asks: bool) -> None:
    assert asks_for_reminder(text) is asks
