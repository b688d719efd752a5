"""Progress of long work: a line now and then where nobody watches a terminal, with how fast it goes and how long it takes."""

import pytest

from adapters.console.progress_bar import ProgressBar, lasting


def test_progress_is_told_now_and_then_and_less_and_less_often(capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    with ProgressBar("Embedded", lambda: now) as told:
        assert told.so_far == "Embedded nothing yet."
        for done in range(32, 2001, 32):
            now += 0.5
            told(done, 2000)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "Embedded 128 of 2",
        "Embedded 384 of 2",
        "Embedded 896 of 2",
        "Embedded 1",
    ]
    assert lines[2] == "Embedded 896 of 2,000, 62 a second, 18 seconds left."


def test_what_is_quick_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar("Embedded", lambda: 1.0) as told:
        told(500, 500)
    assert capsys.readouterr().err == ""


def test_where_the_end_is_not_known_the_pace_is_told_alone() -> None:
    now = 0.0
    with ProgressBar("Imported lines:", lambda: now) as told:
        now = 10.0
        told(5000)
        assert str(told) == "Imported lines: 5,000, 500 a second."


def test_what_was_done_before_says_nothing_of_the_pace() -> None:
    now = 0.0
    with ProgressBar("Summarized", lambda: now) as told:
        told(1000, 1020)
        now = 60.0
        told(1010, 1020)
        assert str(told) == "Summarized 1,010 of 1,020, 10 a minute, 60 seconds left."


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 second"), (89, "89 seconds"), (200, "3 minutes"), (7500, "2 hours 5 minutes"), (7200, "2 hours")],
)
def test_a_span_is_told_in_words(seconds: float, said: str) -> None:
    assert lasting(seconds) == said
