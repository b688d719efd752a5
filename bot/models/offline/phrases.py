"""What frames a quote where no model answers: the sentences of the voice, in the languages that it has them in.

English and German; `spoken_languages` chooses.
"""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from bot.models.offline.date_texts import MONTHS, local_time, written
from bot.models.offline.sentences import quoted

_MONATE = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()


class English:
    """The voice's sentences in English. Instants are microseconds UTC; an unknown time zone counts as UTC."""

    kept, thanks, also, someone = "Kept.", "You are welcome.", "Also", "someone"
    unkept = "Heard, and not kept."
    not_read = "I kept that it came, but not what is in it: that I cannot read or hear."
    no_model = "I am Lyra, and no model is connected: I keep, find and summarize what you tell me."
    nothing = "Nothing about that yet."
    asker, that = "What I know of you:", "What I have of that:"
    among = ", among other things"
    _or = "or"
    _day_names = ("today", "yesterday")

    def hello(self, name: str) -> str:
        """Greet somebody, '' for no name."""
        return f"Hello, {name}." if name else "Hello."

    def goodbye(self, name: str) -> str:
        """Take leave of somebody."""
        return f"Goodbye, {name}." if name else "Goodbye."

    def lacking(self, words: list[str]) -> str:
        """Say of what nothing is known."""
        return f"Nothing about {self._listed(words)} yet."

    def not_yours(self, words: list[str]) -> str:
        """Say of what the one who is answered told nothing, where somebody else did of themself."""
        return f"Nothing about {self._listed(words)} from you yet."

    def without_answer(self, words: list[str]) -> str:
        """Say of what something is known that answers nothing."""
        return f"I kept something about {self._listed(words)}, but found no answer in it; the command recall looks for more."

    def nothing_from(self, when: str) -> str:
        """Say that nothing was said at a time."""
        return f"Nothing from {when} yet."

    def nothing_until(self, when: str) -> str:
        """Say that nothing was said before a day."""
        return f"Nothing until {when} yet."

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Begin a quote: who said it, or asked it, and when; `own` is what the one who is answered said."""
        start = ("you" if also else "You") if own else who
        verb = ("asked me" if asks else "told me") if own else "asked" if asks else "said"
        return (
            f"{self.also}, {start} {verb} {when}"
            if also
            else f"{start[:1].upper() if own else start[:1]}{start[1:]} {verb} {when}"
        )

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        """Begin a quote of what was said to another assistant."""
        text = f"{where}, {'you' if own else who} {'asked' if asks else 'wrote'} {when}"
        return f"{self.also}, {text[0].lower()}{text[1:]}" if also else text

    def imported(self, session: str, assistant: str) -> str:
        """Say where something was said to another assistant."""
        return f"In {session}, imported from {assistant}"

    def on(self, day: str, *, several: bool) -> str:
        """Head a list of a day, or of several."""
        return f"{'From' if several else 'On'} {day}"

    def around(self, day: str) -> str:
        """Head a list of what lies around a day."""
        return f"Around {day}:"

    def by(self, name: str) -> str:
        """Head a list of what somebody said."""
        return f"{name} said:"

    def about(self, what: str) -> str:
        """Head a list of what is known of something."""
        return f"About {what}:"

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        """Return when something was said as seen from now: today at 21:04, on 3 March 2026 at 21:04."""
        return f"{self.day(said_at, now, time_zone)} at {local_time(said_at, time_zone):%H:%M}"

    def day(self, said_at: int, now: int, time_zone: str) -> str:
        """Return the day of an instant as seen from now: today, yesterday, on 3 March 2026."""
        then, today = local_time(said_at, time_zone), local_time(now, time_zone).date()
        before = (today - then.date()).days
        return self._day_names[before] if before in (0, 1) else self._on(then)

    def days(self, first: int, last: int, time_zone: str) -> str:
        """Return the days from one instant to another: 3 March 2026, or 3 March 2026 to 9 March 2026."""
        start, end = (self.date(local_time(at, time_zone)) for at in (first, last))
        return start if start == end else f"{start}{self.to}{end}"

    def span(self, first: int, last: int, time_zone: str) -> str:
        """Return what `days` does; of a whole month or year its name."""
        start, end = (local_time(at, time_zone).date() for at in (first, last))
        whole = start.day == 1 and (end + timedelta(days=1)).day == 1
        if whole and (start.year, start.month) == (end.year, end.month):
            return f"{self._months[start.month - 1]} {start.year}"
        if whole and (start.month, end.month) == (1, 12) and start.year == end.year:
            return str(start.year)
        return self.days(first, last, time_zone)

    def told(self, day: str) -> str:
        """Say on which day something was told that was at another time."""
        return f"told on {day}"

    to = " to "
    _marks = ('"', '"')
    _months: Sequence[str] = MONTHS

    def date(self, day: date) -> str:
        """Return a date in full."""
        return written(day)

    def _on(self, then: datetime) -> str:
        return f"on {self.date(then)}"

    def quoted(self, text: str) -> str:
        """Return a text in quotation marks, on one line."""
        begin, end = self._marks
        return begin + quoted(text)[1:-1] + end

    def _listed(self, words: list[str]) -> str:
        begin, end = self._marks
        *first, last = (f"{begin}{word}{end}" for word in words)
        return f"{', '.join(first)} {self._or} {last}" if first else last


class German(English):
    """The voice's sentences in German, to somebody who is addressed with "du"."""

    kept, thanks, also, someone = "Gemerkt.", "Gern geschehen.", "Außerdem", "jemand"
    unkept = "Gehört und nicht behalten."
    not_read = "Ich habe behalten, dass es kam, aber nicht, was darin ist: Das kann ich nicht lesen oder hören."
    no_model = "Ich bin Lyra, und kein Modell ist verbunden: Ich behalte, finde und fasse zusammen, was du mir erzählst."
    nothing = "Darüber noch nichts."
    asker, that = "Was ich von dir weiß:", "Was ich davon habe:"
    among = ", unter anderem"
    to = " bis "
    _marks = ("„", "“")
    _months = _MONATE
    _or = "oder"
    _day_names = ("heute", "gestern")
    _you, _me_told, _me_asked = "du", "mir", "mich"
    _have = "hast"
    _of_you = "dir"

    def hello(self, name: str) -> str:
        return f"Hallo, {name}." if name else "Hallo."

    def goodbye(self, name: str) -> str:
        return f"Bis bald, {name}." if name else "Bis bald."

    def lacking(self, words: list[str]) -> str:
        return f"Noch nichts über {self._listed(words)}."

    def not_yours(self, words: list[str]) -> str:
        return f"Von {self._of_you} noch nichts über {self._listed(words)}."

    def without_answer(self, words: list[str]) -> str:
        return f"Ich habe etwas über {self._listed(words)} behalten, aber keine Antwort darin gefunden; der Befehl recall sucht weiter."

    def nothing_from(self, when: str) -> str:
        return f"Vom {when} noch nichts." if self.to not in when else f"Aus der Zeit vom {when} noch nichts."

    def nothing_until(self, when: str) -> str:
        return f"Bis zum {when} noch nichts."

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        verb = "gefragt" if asks else "gesagt"
        me = f" {self._me_asked if asks else self._me_told}" if own else ""
        subject, have = (self._you, self._have) if own else (who, "hat")
        if also:
            return f"{self.also} {have} {subject}{me} {when} {verb}"
        return f"{subject[:1].upper()}{subject[1:]} {have}{me} {when} {verb}"

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        subject, have = (self._you, self._have) if own else (who, "hat")
        text = f"{where}, {have} {subject} {when} {'gefragt' if asks else 'geschrieben'}"
        return f"{self.also}, {text[0].lower()}{text[1:]}" if also else text

    def imported(self, session: str, assistant: str) -> str:
        return f"In {session}, importiert aus {assistant}"

    def on(self, day: str, *, several: bool) -> str:
        return f"Vom {day}" if several else f"Am {day}"

    def around(self, day: str) -> str:
        return f"Um den {day}:"

    def by(self, name: str) -> str:
        return f"{name} hat gesagt:"

    def about(self, what: str) -> str:
        return f"Über {what}:"

    def told(self, day: str) -> str:
        return f"erzählt am {day}"

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        return f"{self.day(said_at, now, time_zone)} um {local_time(said_at, time_zone):%H:%M}"

    def date(self, day: date) -> str:
        return f"{day.day}. {_MONATE[day.month - 1]} {day.year}"

    def _on(self, then: datetime) -> str:
        return f"am {self.date(then)}"


class FormalGerman(German):
    """The voice's sentences in German, to somebody who is addressed with "Sie"."""

    no_model = "Ich bin Lyra, und kein Modell ist verbunden: Ich behalte, finde und fasse zusammen, was Sie mir erzählen."
    asker = "Was ich von Ihnen weiß:"
    _you, _have = "Sie", "haben"
    _of_you = "Ihnen"
