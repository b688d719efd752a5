"""`lyra memory` a page at a time: at a terminal by itself, elsewhere where a page is asked for."""

from pathlib import Path

import pytest

from tests.kits.lyra_kit import Home, jsonl, one_sentence
from tests.kits.lyra_terminal import Terminal

TALKS = jsonl(
    *(
        {"session": f"talk {n}", "content": f"Boat number {n} is blue, said line {line}.", "id": f"{n}-{line}"}
        for n in range(23)
        for line in range(4)
    )
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with 23 summaries."""
    home = Home(Path(tmp_path_factory.mktemp("paged")))
    assert home.lyra("import", "-", given=TALKS).code == 0
    assert home.lyra("summarize", "--all").code == 0
    return home


def headings(text: str) -> list[str]:
    """Return the lines that begin an entry."""
    return [line for line in text.splitlines() if line.startswith("talk ")]


def test_the_pages_are_the_whole_in_order(home: Home) -> None:
    whole = headings(home.lyra("memory").out)
    first, second = (home.lyra("memory", "--page", page).out for page in ("1", "2"))
    assert len(whole) == 23 and headings(first) + headings(second) == whole and len(headings(first)) == 20
    assert first.splitlines()[-1] == "Page 1 of 2; --page 2 shows the next, --all everything."
    assert second.splitlines()[-1] == "Page 2 of 2; --all shows everything."
    assert one_sentence(home.lyra("memory", "--page", "3")) == "There are only 2 pages of that."


def test_at_a_terminal_one_page_is_shown_unless_all_is_asked_for(home: Home) -> None:
    with Terminal(home, command="memory") as terminal:
        assert terminal.end() == 0
        assert terminal.lines[-1].startswith("Page 1 of 2; ")
    with Terminal(home, "--all", command="memory") as terminal:
        assert terminal.end() == 0
        assert not any(line.startswith("Page ") for line in terminal.lines)
