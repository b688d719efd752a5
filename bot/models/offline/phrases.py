"""What frames a quote where no model answers: the sentences of the voice, in the languages that it has them in.

Written in English here; `localization/locale/*/LC_MESSAGES/voice.po` has the others. `spoken_languages` chooses.
"""

from datetime import date, timedelta

from bot.models.offline.date_texts import local_time
from bot.models.offline.sentences import quoted
from localization import calendar
from localization.catalogues import VOICE, catalogue
from localization.languages import ENGLISH, reading

FORMAL = "@formal"
"""Behind a language's code: its sentences for somebody who wants to be addressed formally."""


def framed(sentence: str, language: str, /, **values: str) -> str:
    """Return a sentence of the voice in a language, by its code, English where there is none, with its gaps filled in."""
    return catalogue(language, VOICE).gettext(sentence).format_map(values)


class Phrases:
    """The voice's sentences in a language. Instants are microseconds UTC; an unknown time zone counts as UTC."""

    def __init__(self, language: str = ENGLISH) -> None:
        """Speak the language of this code, `de@formal` for one that addresses people formally."""
        self.language = language

    @property
    def kept(self) -> str:
        """Say that something is kept."""
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
        """Say what she is where no model is connected."""
        return framed("I am Lyra, and no model is connected: I keep, find and summarize what you tell me.", self.language)

    @property
    def nothing(self) -> str:
        """Say that nothing is known."""
        return framed("Nothing about that yet.", self.language)

    @property
    def asker(self) -> str:
        """Head a list of what is known of the one who is answered."""
        return framed("What I know of you:", self.language)

    @property
    def that(self) -> str:
        """Head a list of anything else."""
        return framed("What I have of that:", self.language)

    @property
    def among(self) -> str:
        """Say behind a heading that there is more than the list has."""
        return framed(", among other things", self.language)

    @property
    def someone(self) -> str:
        """Name somebody without a name."""
        return framed("someone", self.language)

    @property
    def to(self) -> str:
        """Return what stands between two days."""
        return framed(" to ", self.language)

    def hello(self, name: str) -> str:
        """Greet somebody, '' for no name."""
        return framed("Hello, {name}.", self.language, name=name) if name else framed("Hello.", self.language)

    def goodbye(self, name: str) -> str:
        """Take leave of somebody."""
        return framed("Goodbye, {name}.", self.language, name=name) if name else framed("Goodbye.", self.language)

    def lacking(self, words: list[str]) -> str:
        """Say of what nothing is known."""
        return framed("Nothing about {words} yet.", self.language, words=self._listed(words))

    def not_yours(self, words: list[str]) -> str:
        """Say of what the one who is answered told nothing, where somebody else did of themself."""
        return framed("Nothing about {words} from you yet.", self.language, words=self._listed(words))

    def without_answer(self, words: list[str]) -> str:
        """Say of what something is known that answers nothing."""
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
        """Say something beside what was said before."""
        return framed("Also, {text}", self.language, text=text)

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Begin a quote: who said it, or asked it, and when; `own` is what the one who is answered said."""
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
        """Begin a quote of what was said to another assistant."""
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
        """Say where something was said to another assistant."""
        return framed("In {session}, imported from {assistant}", self.language, session=session, assistant=assistant)

    def on(self, day: str, *, several: bool) -> str:
        """Head a list of a day, or of several."""
        return framed("From {day}", self.language, day=day) if several else framed("On {day}", self.language, day=day)

    def around(self, day: str) -> str:
        """Head a list of what lies around a day."""
        return framed("Around {day}:", self.language, day=day)

    def by(self, name: str) -> str:
        """Head a list of what somebody said."""
        return framed("{name} said:", self.language, name=name)

    def about(self, what: str) -> str:
        """Head a list of what is known of something."""
        return framed("About {what}:", self.language, what=what)

    def told(self, day: str) -> str:
        """Say on which day something was told that was at another time."""
        return framed("told on {day}", self.language, day=day)

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        """Return when something was said as seen from now: today at 21:04, on 3 March 2026 at 21:04."""
        at = f"{local_time(said_at, time_zone):%H:%M}"
        return framed("{day} at {time}", self.language, day=self.day(said_at, now, time_zone), time=at)

    def day(self, said_at: int, now: int, time_zone: str) -> str:
        """Return the day of an instant as seen from now: today, yesterday, on 3 March 2026."""
        then, today = local_time(said_at, time_zone).date(), local_time(now, time_zone).date()
        if then == today:
            return framed("today", self.language)
        if then == today - timedelta(days=1):
            return framed("yesterday", self.language)
        return framed("on {day}", self.language, day=self._date(then))

    def days(self, first: int, last: int, time_zone: str) -> str:
        """Return the days from one instant to another: 3 March 2026, or 3 March 2026 to 9 March 2026."""
        start, end = (self._date(local_time(at, time_zone).date()) for at in (first, last))
        return start if start == end else f"{start}{self.to}{end}"

    def span(self, first: int, last: int, time_zone: str) -> str:
        """Return what `days` does; of a whole month or year its name."""
        start, end = (local_time(at, time_zone).date() for at in (first, last))
        whole = start.day == 1 and (end + timedelta(days=1)).day == 1
        if whole and (start.year, start.month) == (end.year, end.month):
            with reading(self._code):
                return calendar.month(start)
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
            return calendar.day(day)

    def _marked(self, text: str) -> str:
        return framed('"{text}"', self.language, text=text)

    def _listed(self, words: list[str]) -> str:
        with reading(self._code):
            return calendar.listed([self._marked(word) for word in words], alternatives=True)
