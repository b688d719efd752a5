"""Holidays, weekdays, parts of the day and what is counted back to, in the words that people use, in English and German."""

import pytest

from memory.index.when.question_times import parse_question
from tests.unit.test_when import VIENNA, shown

NOW = 1_795_370_400_000_000  # Sunday, 2026-11-22 18:00 UTC

TIMES = {
    # Holidays, with and without a word before them.
    "2025-12-31": "New Year's Eve|Silvester|an Silvester|was war an Silvester?|Wie war Silvester?|how did I spend New Year's Eve?"
    "|what did I do New Year's Eve?|letztes Silvester",
    "2026-10-31": "Halloween|halloween?|an Halloween|what was Halloween like?",
    "2025-12-24 2025-12-26": "Christmas|an Weihnachten|zu Weihnachten|Wie war Weihnachten?|how was Christmas?",
    "2025-12-24": "Heiligabend|an Heiligabend|what did we do Christmas Eve",
    "2026-02-14": "how was Valentine's Day?|am Valentinstag",
    "2026-04-03": "what was Good Friday like?|an Karfreitag",
    "2026-04-03 2026-04-06": "over the Easter weekend|an Ostern|am Osterwochenende",
    "2026-01-01": "an Neujahr|on New Year's Day",
    "2026-05-24 2026-05-25": "an Pfingsten",
    "2025-12-06": "am Nikolaustag",
    "2025-12-25": "am ersten Weihnachtstag",
    "2026-05-10": "on Mother's Day|am Muttertag",
    "2026-05-25": "on Memorial Day",
    "2026-09-07": "on Labor Day",
    "2026-03-17": "on St. Patrick's Day",
    "2026-10-03": "am Tag der Deutschen Einheit",
    # Counted back.
    "2026-11-06": "three Fridays ago",
    "2026-11-13": "the Friday before last|vorletzten Freitag|what did I do Friday last week?|am Freitag letzter Woche",
    "2026-11-07 2026-11-08": "two weekends ago|the weekend before last|vorletztes Wochenende",
    "2026-11-02 2026-11-08": "vorletzte Woche|the week before last",
    "2025-06-01 2025-08-31": "two summers ago|the summer before last|vorletzten Sommer",
    "2024-12-24 2024-12-26": "two Christmases ago",
    "2026-11-20T18:00 2026-11-21T06:00": "the night before last",
    # Parts of months.
    "2026-03-01 2026-03-07": "in the first week of March|in the first week in March|in der ersten Märzwoche|in der ersten Woche im März",
    "2026-03-02": "on the first Monday of March|am ersten Montag im März",
    "2026-03-27": "the last Friday in March|letzten Freitag im März",
    "2026-08-25 2026-08-31": "die letzte Woche im August|in der letzten Augustwoche",
    "2026-08-08 2026-08-09": "the second weekend in August|am zweiten Augustwochenende",
    # Days, their parts, and from one to another.
    "2026-11-16T17:00 2026-11-17T00:00": "am Montagabend|am Montag Abend|on Monday evening",
    "2026-11-21T17:00 2026-11-22T00:00": "gestern Abend|gestern am Abend|yesterday in the evening|letzten Samstagabend",
    "2026-11-22T04:00 2026-11-22T12:00": "heute früh|heute Morgen|this morning",
    "2026-11-16 2026-11-18": "von Montag bis Mittwoch|between Monday and Wednesday",
    "2026-06-03 2026-06-05": "vom 3. bis 5. Juni|zwischen dem 3. und 5. Juni|vom 3. bis zum 5. Juni|between 3 and 5 June",
    "2026-05-23": "Was habe ich am 23. Mai gemacht?|on 5/23|on the 23rd of May|am 23.5.",
    "2026-05-01": "am ersten Mai|on the first of May",
    "2026-11-14 2026-11-15": "how was last weekend?|letztes Wochenende",
    "2026-06-01 2026-08-31": "what was the summer like?|Wie war der Sommer?",
}
NO_TIME = (
    "do you like Christmas|what did I say about Christmas?|when is Easter?|an Easter egg|a Christmas tree|9/11|what was June like?"
    "|on my first day|mein erster Tag|do I run on Fridays?|Fridays are long|what did I do up to now|in my first week in Berlin"
    "|how do I spend the Sundays?|half of 3/4 is left|Nora likes Halloween|Christmas presents"
)


@pytest.mark.parametrize(("question", "days"), [(one, days) for days, some in TIMES.items() for one in some.split("|")])
def test_a_time_is_told_in_many_words(question: str, days: str) -> None:
    window = parse_question(question, NOW, VIENNA).window
    assert (shown(window, VIENNA) if window else "") == days


@pytest.mark.parametrize("question", NO_TIME.split("|"))
def test_such_words_are_no_time_elsewhere(question: str) -> None:
    assert parse_question(question, NOW, VIENNA).window is None


def test_up_to_today_says_what_somebody_did_and_no_bound() -> None:
    window = parse_question("what have I been up to today?", NOW, VIENNA).window
    assert window and shown(window, VIENNA) == "2026-11-22"
