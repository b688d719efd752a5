"""Sentences are said in the language of whoever reads them, with numbers, dates and spans of time as that language has them."""

import asyncio
from datetime import date, timedelta

import pytest

from bot.web.page_context import preferred_language
from localization.current_language import current, language_code, of_environment, reading
from localization.formatting import ago, day, listed, month
from localization.numerals import compact, number, signed
from localization.sentences import Explained, _, lazy, lazy_plural, ngettext, told
from tests.kits.tabled import tabled


def messages(n: int) -> str:
    return ngettext("{n} message", "{n} messages", n)


async def answered(code: str, turns: int, at_once: asyncio.Barrier) -> list[str]:
    """Answer somebody in a language, again and again, while somebody else is answered beside."""
    heard = []
    with reading(code):
        for turn in range(turns):
            await at_once.wait()
            heard.append(f"{messages(turn)} {_('just now')}")
    return heard


async def test_two_people_are_answered_at_once_each_in_their_language() -> None:
    at_once = asyncio.Barrier(2)
    english, german = await asyncio.gather(answered("en", 3, at_once), answered("de", 3, at_once))
    assert english == ["0 messages just now", "1 message just now", "2 messages just now"]
    assert german == ["0 Nachrichten gerade eben", "1 Nachricht gerade eben", "2 Nachrichten gerade eben"]
    assert current() == "en"


async def test_what_is_begun_for_somebody_goes_on_in_their_language() -> None:
    async def later() -> str:
        await asyncio.sleep(0)
        return _("Kept.")

    with reading("de"):
        task = asyncio.create_task(later())
    assert (await task, _("Kept.")) == ("Behalten.", "Kept.")


def test_an_error_is_english_for_the_log_and_in_the_readers_language_for_the_reader() -> None:
    inner = Explained(lazy("it is not JSON"))
    error = Explained("{who} sent something that is no answer: {fault}.", who="llama", fault=inner)
    with reading("de"):
        assert str(error) == "llama sent something that is no answer: it is not JSON."
        assert told(error) == "llama hat etwas geschickt, das keine Antwort ist: sie ist kein JSON."
    assert told(error) == str(error)
    assert told(ValueError("as it is")) == "as it is"


def test_what_is_kept_for_later_is_said_when_it_is_read() -> None:
    kept = lazy_plural("Kept: {n} message from {place}.", "Kept: {n} messages from {place}.", 1200, place="home")
    assert str(kept) == "Kept: 1,200 messages from home."
    with reading("de"):
        assert str(kept) == "Behalten: 1.200 Nachrichten aus home."
    with reading("fr"):
        assert str(lazy("Kept.")) == "Kept.", "what is not translated is English"


SPANS = [
    (timedelta(seconds=-5), "just now", "gerade eben"),
    (timedelta(seconds=59), "just now", "gerade eben"),
    (timedelta(minutes=1), "1 minute ago", "vor 1 Minute"),
    (timedelta(minutes=59), "59 minutes ago", "vor 59 Minuten"),
    (timedelta(hours=23, minutes=59), "23 hours ago", "vor 23 Stunden"),
    (timedelta(days=1), "1 day ago", "vor 1 Tag"),
    (timedelta(days=4), "4 days ago", "vor 4 Tagen"),
    (timedelta(days=59), "59 days ago", "vor 59 Tagen"),
    (timedelta(days=60), "2 months ago", "vor 2 Monaten"),
    (timedelta(days=729), "24 months ago", "vor 24 Monaten"),
    (timedelta(days=731), "2 years ago", "vor 2 Jahren"),
]


@pytest.mark.parametrize(("span", "english", "german"), SPANS, ids=[one[1] for one in SPANS])
def test_how_long_ago_something_was(span: timedelta, english: str, german: str) -> None:
    assert ago(span) == english
    with reading("de"):
        assert ago(span) == german


def test_days_months_numbers_and_lists_are_as_the_language_has_them() -> None:
    def said() -> list[str]:
        then = date(2026, 3, 4)
        return [
            day(then), month(then), number(1200), number(7), number(1234.5, digits=2), signed(0.5, 1), signed(-0.5, 1),
            listed(["Ada", "Ben", "Cem"]), listed(["here", "there"], alternatives=True), listed([]),
        ]  # fmt: skip

    assert said() == [
        "4 March 2026", "March 2026", "1,200", "7", "1,234.50", "+0.5", "-0.5", "Ada, Ben and Cem", "here or there", "",
    ]  # fmt: skip
    with reading("de"):
        assert said() == [
            "4. März 2026", "März 2026", "1.200", "7", "1.234,50", "+0,5", "-0,5", "Ada, Ben und Cem", "here oder there", "",
        ]  # fmt: skip


@pytest.mark.parametrize(("name", "code"), tabled("localization", "languages"))
def test_a_language_is_known_by_its_names(name: str, code: str) -> None:
    assert language_code(name) == code


def test_the_environment_names_a_language_as_every_program_has_it() -> None:
    assert of_environment({"LANG": "de_AT.UTF-8"}) == "de"
    assert of_environment({"LC_ALL": "C", "LANG": "de_AT.UTF-8"}) == "en"
    assert of_environment({"LC_ALL": "", "LC_MESSAGES": "de_DE", "LANG": "en_US"}) == "de"
    assert of_environment({}) == "en"


@pytest.mark.parametrize(
    ("header", "code"),
    [("de", "de"), ("fr-FR, de-AT;q=0.8, en;q=0.5", "de"), ("de;q=0.3, en", "en"), ("de;q=0, fr", ""), ("de;q=x", ""), ("", "")],
)
def test_a_browser_asks_for_languages_in_an_order(header: str, code: str) -> None:
    assert preferred_language(header) == code


def test_a_large_number_is_short_where_a_language_has_a_word_for_it_and_in_groups_elsewhere() -> None:
    assert [compact(n) for n in (120, 50_000, 1_500_000)] == ["120", "50K", "2M"]
    with reading("de"):
        assert [compact(n) for n in (120, 50_000)] == ["120", "50.000"] and compact(1_500_000).endswith("Mio.")
