"""Markdown as the terminal and the page show it: whatever its marks, showing an answer holds up nobody."""

import io
from collections.abc import Callable
from functools import partial

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from adapters.console.rendering import markdown
from bot.web.page_context import prose
from tests.kits.steps import steps

HOSTILE = ["[", "[(", "![", "[a](", "[*a ", "**a ", "_a", "~~a", "<", "&", "\\", "``` "]
_LONG = 20_000
_MOST = 1_000_000
"""Some 50 ms."""


def on_screen(text: str) -> str:
    screen = Console(file=io.StringIO(), width=80)
    with screen.capture() as shown:
        screen.print(markdown(text))
    return shown.get()


@pytest.mark.parametrize("show", [markdown, prose])
@pytest.mark.parametrize("piece", HOSTILE)
def test_texts_of_marks_alone_are_shown_without_much_work(show: Callable[[str], object], piece: str) -> None:
    assert steps(partial(show, (piece * _LONG)[:_LONG])) < _MOST


@pytest.mark.torture
def test_read_as_markdown_they_would_take_it() -> None:
    assert steps(partial(MarkdownIt("commonmark").render, ("**a " * _LONG)[:_LONG])) > _MOST


def test_they_are_shown_whole_and_as_they_are_written() -> None:
    text = "<b> *so* [it](https://example.org) & on\n" * 600
    assert on_screen(text).split() == text.split()
    assert "<b>" not in prose(text)
    assert prose(text).unescape() == f"<pre>{text}</pre>"


def test_a_long_answer_with_the_usual_marks_keeps_its_form() -> None:
    text = "**Bold** and *more*, see [it](https://example.org).\n\n" + "plain words " * 4_000
    assert "**" not in on_screen(text)
    assert "<strong>Bold</strong>" in prose(text)
