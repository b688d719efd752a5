"""Windows of time as people and models write them: a day, a month, a year, or words."""

import re
from datetime import date

from memory.index.when.question_times import parse_question
from memory.index.when.values import Window

_MONTH = re.compile(r"(\d{4})-(\d\d?)")
_YEAR = re.compile(r"\d{4}")
_FIRST_YEAR = 1000
"""The first year that is written with four digits: "January 1" is a day."""
_MOST = 100


def parse_window(text: str, now: int, time_zone: str) -> Window | None:
    """Return the window that a text means at an instant (microseconds UTC) in a time zone; None if it is no time."""
    if month := _MONTH.fullmatch(text):
        text = (
            f"{date(int(month[1]), int(month[2]), 1):%B %Y}" if 1 <= int(month[2]) <= 12 and int(month[1]) >= _FIRST_YEAR else ""
        )
    elif _YEAR.fullmatch(text):
        text = f"in {text}"
    return parse_question(text[:_MOST], now, time_zone).window
