"""What was kept for as long as it may be goes by itself: messages with all that was made of them, or what was made alone."""

from pathlib import Path

import pytest

from tests.kits.lyra_kit import Home, jsonl
from tests.kits.pages import holding

SAID = [f"The lighthouse has {n} zanzibar windows." for n in range(24)]
MOMENT = 1e-7
"""A time in days that is over as soon as it began."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine with a conversation that has its gists."""
    home = Home(tmp_path).begun()
    rows = [{"session": "tower", "content": text, "created_at": "2026-01-05T10:00:00"} for text in SAID]
    (home.folder / "tower.jsonl").write_text(jsonl(*rows), "utf-8")
    home.lyra("import", "tower.jsonl")
    home.lyra("summarize", "--all")
    assert len(summaries(home)) > 0
    return home


def summaries(home: Home) -> list[dict[str, object]]:
    """Return the gists and summaries that there are."""
    return home.lyra("memory", "summaries", "--json").rows


@pytest.mark.parametrize("days", [MOMENT, 3])
def test_messages_go_with_everything_made_of_them_once_their_time_is_over(home: Home, days: float) -> None:
    home.configure(f"[retention]\nmessages = {days}\n")
    assert home.lyra("status").code == 0
    over = days == MOMENT
    assert (len(home.export()), summaries(home) == []) == ((0, True) if over else (24, False))
    assert (holding(home.path, bytes.fromhex(home.key.read_text("ascii")), "zanzibar") == []) is over
    again = home.lyra("import", "tower.jsonl")
    assert ("had been forgotten" in again.out) is over


@pytest.mark.first
@pytest.mark.parametrize("days", [MOMENT, 3])
def test_gists_go_alone_and_are_not_made_again(home: Home, days: float) -> None:
    home.configure(f"[retention]\ngists = {days}\n")
    assert home.lyra("status").code == 0
    assert (summaries(home) == []) is (days == MOMENT)
    home.configure("")
    home.lyra("summarize", "--all")
    assert (summaries(home) == []) is (days == MOMENT)
    assert len(home.export()) == 24 and home.lyra("recall", "zanzibar").out.count("lighthouse") == 5
