"""The wording of results: quotes, lists with a heading, and what was not found."""

from collections.abc import Iterator, Sequence

from bot.models.offline.answer_choice import AnswerChoice
from bot.models.offline.candidates import IN_MEANING, Candidate
from bot.models.offline.phrases import Phrases
from bot.models.offline.question_analysis import Aim, QuestionPart
from bot.models.offline.shortening import shortened
from memory.index.hits import Certainty, Hit
from memory.index.when.days import EARLIEST
from memory.index.when.values import Window
from memory.text.lexical import key_words
from memory.text.quotations import one_line
from memory.types import MINUTE, Statement

_QUOTE = 300
_LINE = 160
_SHORTEST_DAY = 23 * 60 * MINUTE
_SHORT, _FEW = 120, 3
"""The length of quotes, and the number of lines in lists, for people who want short answers."""


class ResultWording:
    """Words the results for one person, at an instant (microseconds UTC) in a time zone."""

    def __init__(self, choice: AnswerChoice, now: int, time_zone: str, phrases: Phrases, *, brief: bool = False) -> None:
        self._choice = choice
        self._phrases = phrases
        self._quote, self._line_length = (_SHORT, _SHORT) if brief else (_QUOTE, _LINE)
        self._most = _FEW if brief else None
        self._now = now
        self._zone = time_zone

    def quotes(self, told: Sequence[tuple[QuestionPart, Candidate]], *, unsure: bool = False) -> Iterator[str]:
        """Yield a sentence with a quote for each answer; before somebody else's statement, that the asker made none.

        If she is `unsure`, or none is more than weak, a sentence before them says so.
        """
        if told and (unsure or all(_is_doubtful(part, one) for part, one in told)):
            yield self._phrases.framed("I am not sure that this is what you mean.")
        speaker: str | None = None
        disowned: set[str] = set()
        for part, one in told:
            exchange = one.hit.exchange
            if one.anothers and part.text not in disowned and part.about.admit:
                disowned.add(part.text)
                yield self._phrases.framed(
                    "Nothing about {words} from you yet.", words=self._phrases.listed(part.about.admit.values())
                )
            when = self._phrases.moment(exchange.said_at, self._now, self._zone)
            where = self._where(one.hit)
            who = one_line(exchange.speaker) or (
                self._phrases.someone if where or speaker is not None else self._phrases.someone.capitalize()
            )
            own, also = self._choice.is_asker(exchange), speaker is not None
            if where:
                day = self._phrases.day(exchange.said_at, self._now, self._zone)
                start = self._phrases.wrote(where, who, day, asks=one.asks, own=own, also=also)
            elif also and speaker == exchange.speaker:
                start = self._phrases.framed("Also, {text}", text=when)
            else:
                start = self._phrases.introduce(who, when, asks=one.asks, own=own, also=also)
            quote = self._phrases.quoted(_cut(one, part, self._quote))
            yield self._phrases.introduced(start, quote)
            for amendment in self._choice.amendments(one.hit):
                said = amendment.exchange
                when = self._phrases.moment(said.said_at, self._now, self._zone)
                start = self._phrases.corrected(who, when, own=own)
                yield self._phrases.introduced(start, self._phrases.quoted(shortened(said.text, self._quote)))
            # "Also, on 3 March" must follow a quote of the same speaker, who told it to her.
            speaker = "" if where else exchange.speaker

    def listing(self, part: QuestionPart, found: Sequence[Candidate], above: Sequence[Statement]) -> str:
        """Return a list with a heading, one line per entry; of what is known of the asker, also that there is more if there is."""
        lines = [f"- {f'{one.period}: ' if one.period else ''}{one_line(one.text)}" for one in above]
        lines += [self._line(part, one) for one in found]
        cut = self._most is not None and len(lines) > self._most
        more = part.aim is Aim.ASKER and (cut or self._choice.knows_more(part, found))
        ends = [self._phrases.framed("I know more than this; the command recall finds it.")] if more else []
        return "\n".join([self._heading(part, found), *lines[: self._most], *ends])

    def nothing(self, window: Window) -> str:
        """Return that nothing was said in a window."""
        if window.start <= EARLIEST:
            return self._phrases.framed("Nothing until {when} yet.", when=self._day(window.end - 1))
        if window.end - window.start < _SHORTEST_DAY:
            start, end = (self._phrases.moment(at, self._now, self._zone) for at in (window.start, window.end))
            return self._phrases.framed("Nothing between {first} and {last} yet.", first=start, last=end)
        first, last = self._day(window.start), self._day(window.end - 1)
        if first != last:
            return self._phrases.framed("Nothing from {first} to {last} yet.", first=first, last=last)
        return self._phrases.framed("Nothing from {when} yet.", when=first)

    def _line(self, part: QuestionPart, one: Candidate) -> str:
        exchange, where = one.hit.exchange, self._where(one.hit)
        start = self._day(exchange.said_at)
        if one.of:
            told = self._phrases.framed("told on {day}", day=start)
            start = f"{self._phrases.span(one.of.start, one.of.end - 1, self._zone)}, {told}"
        if not self._choice.is_asker(exchange) and part.aim is not Aim.SAID:
            start += f", {one_line(exchange.speaker) or self._phrases.someone}"
        if where:
            start += f", {where[0].lower()}{where[1:]}"
        quote = self._phrases.quoted(_cut(one, part, self._line_length))
        line = f"- {self._phrases.framed('{introduction}: {quote}', introduction=start, quote=quote)}"
        for amendment in self._choice.amendments(one.hit):
            right = self._phrases.quoted(shortened(amendment.exchange.text, self._line_length))
            line += f" ({self._phrases.framed('corrected: {text}', text=right)})"
        return line

    def _heading(self, part: QuestionPart, found: Sequence[Candidate]) -> str:
        match part.aim:
            case Aim.TIME if part.window and part.window.heart is not None:
                days = {self._day(one.at) for one in found}
                if len(days) == 1:
                    return self._phrases.framed("{heading}:", heading=self._phrases.framed("On {day}", day=days.pop()))
                return self._phrases.framed("Around {day}:", day=self._day(part.window.heart))
            case Aim.TIME if part.window:
                first, last = part.window.start, part.window.end - 1
                if first <= EARLIEST and found:
                    first = min(one.at for one in found)
                day = self._phrases.days(first, last, self._zone)
                one_day = self._day(first) == self._day(last)
                start = self._phrases.framed("On {day}", day=day) if one_day else self._phrases.framed("From {day}", day=day)
                start += self._phrases.framed(", among other things") if self._choice.omits(part.window) else ""
                return self._phrases.framed("{heading}:", heading=start)
            case Aim.SAID:
                return self._phrases.framed("{name} said:", name=_capital(part.name))
            case Aim.ASKER:
                return self._phrases.framed("What I know of you:")
            case Aim.ABOUT:
                what = part.name or " ".join(part.about.admit.values())
                return _capital(self._phrases.framed("About {what}:", what=what))
        return self._phrases.framed("What I have of that:")

    def _where(self, hit: Hit) -> str:
        """Return the conversation of a message if another assistant answered there; else ''."""
        assistant = self._choice.assistant(hit)
        if not assistant:
            return ""
        return self._phrases.framed(
            "In {session}, imported from {assistant}", session=self._phrases.quoted(hit.session), assistant=one_line(assistant)
        )

    def _day(self, instant: int) -> str:
        return self._phrases.days(instant, instant, self._zone)


def _is_doubtful(part: QuestionPart, one: Candidate) -> bool:
    """Return whether a weak quote may not be what is asked for.

    In a small memory, and in a search with added words, what holds every word asked for is weak, too: that is none.
    """
    if one.hit.certainty is not Certainty.WEAK or one.asks:
        return False
    far = part.sought == part.text and 0 < (one.hit.cosine or 0.0) < IN_MEANING
    return far or not one.covers >= part.about.strong


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _cut(one: Candidate, part: QuestionPart, most: int) -> str:
    return shortened(one.hit.exchange.text, most, lambda text: _weight(text, part))


def _weight(text: str, part: QuestionPart) -> int:
    stems = set(key_words(text).values())
    return 2 * len(stems & part.about.strong) + len(stems & part.about.weak)
