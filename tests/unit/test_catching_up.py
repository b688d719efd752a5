"""Progress of what is embedded: a line now and then where nobody watches a terminal."""

import pytest

from bot.cli.importing import Told


def test_progress_is_told_now_and_then_and_less_and_less_often(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with Told(lambda: now) as told:
        assert str(told) == "Nothing is embedded yet."
        for done in range(32, 2001, 32):
            now += 0.5
            told(done, 2000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["Embedded 128 of 2,000.", "Embedded 384 of 2,000.", "Embedded 896 of 2,000.", "Embedded 1,920 of 2,000."]


def test_what_is_quick_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with Told(lambda: 1.0) as told:
        told(500, 500)
    assert capsys.readouterr().err == ""
