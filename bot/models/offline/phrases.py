"""The offline voice's sentences around a quote, in the languages that it speaks.

Written in English here; `localization/locale/*/LC_MESSAGES/voice.po` has the translations. `spoken_languages` chooses the
language.
"""

import re
from collections.abc import Iterable
from datetime import date, timedelta

from localization import formatting
from localization.current_language import ENGLISH, reading
from localization.sentences import VOICE, catalogue
from memory.text.quotations import ENDINGS, quoted
from memory.text.time.times import local

FORMAL = "@formal"
"""The suffix of a language's code for formal address."""

_ELISIONS = {
    "fr": ({"de": "d’"}, re.compile(r"[aeiouyhàâéèêëîïôœùûAEIOUYHÀÂÉÈÊËÎÏÔŒÙÛ]")),
    "it": ({"il": "l’", "Il": "L’", "al": "all’", "dal": "dall’", "Dal": "Dall’"}, re.compile(r"(?:8|11)\b")),
}
"""What a function word becomes before a word with such a beginning, by language: "d’Elena", "l’8 marzo"."""
_BEFORE = re.compile(r"\b(\w+) \{(\w+)\}")
_CLOSING = '»”“"」\u00a0'
_WITHOUT_SPACES = frozenset({"ja", "zh"})


class Phrases:
    """The voice's sentences in a language. Instants are microseconds UTC."""

    def __init__(self, language: str = ENGLISH) -> None:
        """Use the language of this code, `de@formal` for German with formal address."""
        self.language = language

    def framed(self, sentence: str, /, **values: str) -> str:
        """Translate a sentence, or leave it in English, and fill in its placeholders."""
        told = catalogue(self.language, VOICE).gettext(sentence)
        words, begins = _ELISIONS.get(self._code, ({}, _BEFORE))

        def elided(found: re.Match[str]) -> str:
            word, value = found.groups()
            return f"{words[word]}{{{value}}}" if word in words and begins.match(values[value]) else found[0]

        return (_BEFORE.sub(elided, told) if words else told).format_map(values)

    @property
    def nothing(self) -> str:
        """Say that nothing is known."""
        return self.framed("Nothing about that yet.")

    @property
    def someone(self) -> str:
        """The word for a person without a name."""
        return self.framed("someone")

    def introduce(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Introduce a quote: who said or asked it, and when; `own` is what the asker said."""
        told = {
            (False, False): self.framed("{who} said {when}", who=who, when=when),
            (False, True): self.framed("You told me {when}", when=when),
            (True, False): self.framed("{who} asked {when}", who=who, when=when),
            (True, True): self.framed("You asked me {when}", when=when),
        }
        told_as_well = {
            (False, False): self.framed("Also, {who} said {when}", who=who, when=when),
            (False, True): self.framed("Also, you told me {when}", when=when),
            (True, False): self.framed("Also, {who} asked {when}", who=who, when=when),
            (True, True): self.framed("Also, you asked me {when}", when=when),
        }
        return (told_as_well if also else told)[asks, own]

    def corrected(self, who: str, when: str, *, own: bool) -> str:
        """Introduce a quote of what corrects the one before: who corrected it, and when."""
        if own:
            return self.framed("You corrected that {when}", when=when)
        return self.framed("{who} corrected that {when}", who=who, when=when)

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Introduce a quote from a conversation with another assistant."""
        text = {
            (False, False): self.framed("{where}, {who} wrote {when}", where=where, who=who, when=when),
            (False, True): self.framed("{where}, you wrote {when}", where=where, when=when),
            (True, False): self.framed("{where}, {who} asked {when}", where=where, who=who, when=when),
            (True, True): self.framed("{where}, you asked {when}", where=where, when=when),
        }[asks, own]
        return self.framed("Also, {text}", text=f"{text[0].lower()}{text[1:]}") if also else text

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        """Return when something was said, relative to now: today at 21:04, on 3 March 2026 at 21:04."""
        at = f"{local(said_at, time_zone):%H:%M}"
        return self.framed("{day} at {time}", day=self.day(said_at, now, time_zone), time=at)

    def clock(self, now: int, time_zone: str) -> str:
        """Return the day of the week, the date and the time of an instant."""
        then = local(now, time_zone)
        with reading(self._code):
            return f"{formatting.weekday(then.date())}, {then:%H:%M}"

    def day(self, said_at: int, now: int, time_zone: str) -> str:
        """Return the day of an instant, relative to now: today, yesterday, on 3 March 2026."""
        then, today = local(said_at, time_zone).date(), local(now, time_zone).date()
        if then == today:
            return self.framed("today")
        if then == today - timedelta(days=1):
            return self.framed("yesterday")
        return self.framed("on {day}", day=self._date(then))

    def days(self, first: int, last: int, time_zone: str) -> str:
        """Return the days between two instants: 3 March 2026, or 3 March 2026 to 9 March 2026."""
        start, end = (self._date(local(at, time_zone).date()) for at in (first, last))
        return start if start == end else self.framed("{first} to {last}", first=start, last=end)

    def span(self, first: int, last: int, time_zone: str) -> str:
        """Like `days`, but with the name of a whole month or year."""
        start, end = (local(at, time_zone).date() for at in (first, last))
        whole = start.day == 1 and (end + timedelta(days=1)).day == 1
        if whole and (start.year, start.month) == (end.year, end.month):
            with reading(self._code):
                return formatting.month(start)
        if whole and (start.month, end.month) == (1, 12) and start.year == end.year:
            return str(start.year)
        return self.days(first, last, time_zone)

    def quoted(self, text: str) -> str:
        """Return a text in quotation marks, on one line."""
        return self.framed('"{text}"', text=quoted(text)[1:-1])

    def introduced(self, introduction: str, quote: str) -> str:
        """Return a quote after its introduction, with a full stop unless the quoted text ends with its own."""
        if quote.rstrip(_CLOSING)[-1:] in ENDINGS:
            return self.framed("{introduction}: {quote}", introduction=introduction, quote=quote)
        return self.framed("{introduction}: {quote}.", introduction=introduction, quote=quote)

    def joined(self, sentences: Iterable[str]) -> str:
        """Return sentences one after the other."""
        return ("" if self._code in _WITHOUT_SPACES else " ").join(sentences)

    def listed(self, words: Iterable[str]) -> str:
        """Return words in quotation marks, as alternatives."""
        with reading(self._code):
            return formatting.listed([self.framed('"{text}"', text=word) for word in words], alternatives=True)

    @property
    def _code(self) -> str:
        return self.language.removesuffix(FORMAL)

    def _date(self, day: date) -> str:
        with reading(self._code):
            return formatting.day(day)
