"""Lines on a screen are cut between words, and go on under where their words began."""

import pytest

from adapters.console.rendering import wrapped

RECEIPT = '    ada, on 1 June 2024 at 08:00, in "kitchen" · sure · same words: rye'
HELP = "  /recall QUERY    look for what was said, with who said it and when"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 20, ["one two three"]),
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 5, ["one ", "two"]),
        ("12. rye bread on Sundays, rolls on Mondays", 26, ["12. rye bread on Sundays,", "    rolls on Mondays"]),
        (RECEIPT, 40, ["    ada, on 1 June 2024 at 08:00, in", '    "kitchen" · sure · same words: rye']),
        (HELP, 44, ["  /recall QUERY    look for what was said,", "                   with who said it and when"]),
        (HELP, 30, ["  /recall QUERY    look for", "  what was said, with who said", "  it and when"]),
        ("a\n\n  b c", 80, ["a", "", "  b c"]),
        ("see http://127.0.0.1:1234/aaaaaaaaaaaaaaaa", 12, ["see", "http://127.0.0.1:1234/aaaaaaaaaaaaaaaa"]),
        ("日本 日本 日本", 9, ["日本 日本", "日本"]),
        ("", 10, [""]),
    ],
)
def test_a_line_is_cut_where_a_reader_would(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width).split("\n") == lines
