"""The offline voice's sentences around a quote, in the languages that it speaks.

Written in English here; `localization/locale/*/LC_MESSAGES/voice.po` has the translations. `spoken_languages` chooses the
language.
"""

from datetime import date, timedelta

from bot.models.offline.date_texts import local_time
from bot.models.offline.sentence_splitting import quoted
from localization import formatting
from localization.current_language import ENGLISH, reading
from localization.sentences import VOICE, catalogue

FORMAL = "@formal"
"""The suffix of a language's code for formal address."""


def framed(sentence: str, language: str, /, **values: str) -> str:
    """Translate a sentence of the voice into a language, or leave it in English, and fill in its placeholders."""
    return catalogue(language, VOICE).gettext(sentence).format_map(values)


class Phrases:
    """The voice's sentences in a language. Instants are microseconds UTC; an unknown time zone counts as UTC."""

    def __init__(self, language: str = ENGLISH) -> None:
        """Use the language of this code, `de@formal` for German with formal address."""
        self.language = language

    @property
    def kept(self) -> str:
        """Say that something is stored."""
        return framed("Kept.", self.language)

    @property
    def unkept(self) -> str:
        """Say that something was heard off the record."""
        return framed("Heard, and not kept.", self.language)

    @property
    def thanks(self) -> str:
        """Answer thanks."""
        return framed("You are welcome.", self.language)

    @property
    def not_read(self) -> str:
        """Say that a file came that she cannot read."""
        return framed("I kept that it came, but not what is in it: that I cannot read or hear.", self.language)

    @property
    def no_model(self) -> str:
        """Say what she is without a connected model."""
        return framed("I am Lyra, and no model is connected: I keep, find and summarize what you tell me.", self.language)

    @property
    def too_long(self) -> str:
        """Say why an answer comes without the model that is connected."""
        return framed("This is too long for my model even at its shortest, so I answer without it.", self.language)

    @property
    def nothing(self) -> str:
        """Say that nothing is known."""
        return framed("Nothing about that yet.", self.language)

    @property
    def asker(self) -> str:
        """The heading of what is known of the asker."""
        return framed("What I know of you:", self.language)

    @property
    def that(self) -> str:
        """The heading of any other list."""
        return framed("What I have of that:", self.language)

    @property
    def among(self) -> str:
        """The addition to a heading that there is more than the list shows."""
        return framed(", among other things", self.language)

    @property
    def someone(self) -> str:
        """The word for a person without a name."""
        return framed("someone", self.language)

    @property
    def to(self) -> str:
        """The word between two days."""
        return framed(" to ", self.language)

    def hello(self, name: str) -> str:
        """Greet somebody, '' for no name."""
        return framed("Hello, {name}.", self.language, name=name) if name else framed("Hello.", self.language)

    def goodbye(self, name: str) -> str:
        """Say goodbye to somebody."""
        return framed("Goodbye, {name}.", self.language, name=name) if name else framed("Goodbye.", self.language)

    def lacking(self, words: list[str]) -> str:
        """Say that nothing is known of these words."""
        return framed("Nothing about {words} yet.", self.language, words=self._listed(words))

    def not_yours(self, words: list[str]) -> str:
        """Say that the asker said nothing of these words of themself, although somebody else did."""
        return framed("Nothing about {words} from you yet.", self.language, words=self._listed(words))

    def without_answer(self, words: list[str]) -> str:
        """Say that something is known of these words, but no answer."""
        return framed(
            "I kept something about {words}, but found no answer in it; the command recall looks for more.",
            self.language,
            words=self._listed(words),
        )

    def nothing_from(self, when: str) -> str:
        """Say that nothing was said at a time."""
        first, between, last = when.partition(self.to)
        if between:
            return framed("Nothing from {first} to {last} yet.", self.language, first=first, last=last)
        return framed("Nothing from {when} yet.", self.language, when=when)

    def nothing_until(self, when: str) -> str:
        """Say that nothing was said before a day."""
        return framed("Nothing until {when} yet.", self.language, when=when)

    def also(self, text: str) -> str:
        """Introduce a further sentence."""
        return framed("Also, {text}", self.language, text=text)

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Introduce a quote: who said or asked it, and when; `own` is what the asker said."""
        match asks, own, also:
            case False, True, False:
                text = framed("You told me {when}", self.language, when=when)
            case True, True, False:
                text = framed("You asked me {when}", self.language, when=when)
            case False, True, True:
                text = framed("Also, you told me {when}", self.language, when=when)
            case True, True, True:
                text = framed("Also, you asked me {when}", self.language, when=when)
            case False, False, False:
                text = framed("{who} said {when}", self.language, who=who, when=when)
            case True, False, False:
                text = framed("{who} asked {when}", self.language, who=who, when=when)
            case False, False, True:
                text = framed("Also, {who} said {when}", self.language, who=who, when=when)
            case _:
                text = framed("Also, {who} asked {when}", self.language, who=who, when=when)
        return text

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Introduce a quote from a conversation with another assistant."""
        match asks, own:
            case False, True:
                text = framed("{where}, you wrote {when}", self.language, where=where, when=when)
            case True, True:
                text = framed("{where}, you asked {when}", self.language, where=where, when=when)
            case False, False:
                text = framed("{where}, {who} wrote {when}", self.language, where=where, who=who, when=when)
            case _:
                text = framed("{where}, {who} asked {when}", self.language, where=where, who=who, when=when)
        return self.also(f"{text[0].lower()}{text[1:]}") if also else text

    def imported(self, session: str, assistant: str) -> str:
        """Name the conversation with another assistant."""
        return framed("In {session}, imported from {assistant}", self.language, session=session, assistant=assistant)

    def on(self, day: str, *, several: bool) -> str:
        """Return the heading of a day, or of several."""
        return framed("From {day}", self.language, day=day) if several else framed("On {day}", self.language, day=day)

    def around(self, day: str) -> str:
        """Return the heading of what is near a day."""
        return framed("Around {day}:", self.language, day=day)

    def by(self, name: str) -> str:
        """Return the heading of what somebody said."""
        return framed("{name} said:", self.language, name=name)

    def about(self, what: str) -> str:
        """Return the heading of what is known of something."""
        return framed("About {what}:", self.language, what=what)

    def told(self, day: str) -> str:
        """Say on which day something was said that refers to another time."""
        return framed("told on {day}", self.language, day=day)

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        """Return when something was said, relative to now: today at 21:04, on 3 March 2026 at 21:04."""
        at = f"{local_time(said_at, time_zone):%H:%M}"
        return framed("{day} at {time}", self.language, day=self.day(said_at, now, time_zone), time=at)

    def day(self, said_at: int, now: int, time_zone: str) -> str:
        """Return the day of an instant, relative to now: today, yesterday, on 3 March 2026."""
        then, today = local_time(said_at, time_zone).date(), local_time(now, time_zone).date()
        if then == today:
            return framed("today", self.language)
        if then == today - timedelta(days=1):
            return framed("yesterday", self.language)
        return framed("on {day}", self.language, day=self._date(then))

    def days(self, first: int, last: int, time_zone: str) -> str:
        """Return the days between two instants: 3 March 2026, or 3 March 2026 to 9 March 2026."""
        start, end = (self._date(local_time(at, time_zone).date()) for at in (first, last))
        return start if start == end else f"{start}{self.to}{end}"

    def span(self, first: int, last: int, time_zone: str) -> str:
        """Like `days`, but with the name of a whole month or year."""
        start, end = (local_time(at, time_zone).date() for at in (first, last))
        whole = start.day == 1 and (end + timedelta(days=1)).day == 1
        if whole and (start.year, start.month) == (end.year, end.month):
            with reading(self._code):
                return formatting.month(start)
        if whole and (start.month, end.month) == (1, 12) and start.year == end.year:
            return str(start.year)
        return self.days(first, last, time_zone)

    def quoted(self, text: str) -> str:
        """Return a text in quotation marks, on one line."""
        return self._marked(quoted(text)[1:-1])

    @property
    def _code(self) -> str:
        return self.language.removesuffix(FORMAL)

    def _date(self, day: date) -> str:
        with reading(self._code):
            return formatting.day(day)

    def _marked(self, text: str) -> str:
        return framed('"{text}"', self.language, text=text)

    def _listed(self, words: list[str]) -> str:
        with reading(self._code):
            return formatting.listed([self._marked(word) for word in words], alternatives=True)
