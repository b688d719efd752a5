"""How she says what she found: quotes with who said it, when, and, where it was said to another assistant, where."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.models.offline.asking import Aim, QuestionPart
from bot.models.offline.choosing import Candidate, Choice
from bot.models.offline.date_texts import day, days, moment
from bot.models.offline.sentences import closed, one_line, quoted, shortened
from memory.index.when.days import EARLIEST
from memory.index.when.values import Window
from memory.text.lexical import key_words
from memory.types import Hit, Statement

_QUOTE = 300
_LINE = 160


class Wording:
    """Tells one person what was found, at an instant (microseconds UTC) in a time zone."""

    def __init__(self, choice: Choice, now: int, time_zone: str) -> None:
        self._choice = choice
        self._now = now
        self._zone = time_zone

    def quotes(self, told: Sequence[tuple[QuestionPart, Candidate]]) -> Iterator[str]:
        """Yield a sentence with a quote for each answer."""
        speaker: str | None = None
        for part, one in told:
            exchange = one.hit.exchange
            when = moment(exchange.said_at, self._now, self._zone)
            where = self._where(one.hit)
            if where:
                start = f"{where}, {self._who(one, 'you', 'someone', wrote=True)} {day(exchange.said_at, self._now, self._zone)}"
                start = start if speaker is None else f"Also, {start[0].lower()}{start[1:]}"
            elif speaker is None:
                start = f"{self._who(one, 'You', 'Someone')} {when}"
            elif speaker == exchange.speaker:
                start = f"Also, {when}"
            else:
                start = f"Also, {self._who(one, 'you', 'someone')} {when}"
            quote = _quote(one, part, _QUOTE)
            yield closed(f"{start}: {quote}")
            # "Also, on 3 March" goes on with what somebody told her.
            speaker = "" if where else exchange.speaker

    def listing(self, part: QuestionPart, found: Sequence[Candidate], above: Sequence[Statement]) -> str:
        """Return a list, a line for each, under what it is a list of."""
        lines = [f"- {f'{one.period}: ' if one.period else ''}{one_line(one.text)}" for one in above]
        return "\n".join([self._heading(part, found), *lines, *(self._line(part, one) for one in found)])

    def nothing(self, window: Window) -> str:
        """Return that nothing was said at a time."""
        if window.start <= EARLIEST:
            return f"Nothing until {self._when(_itself(window.end - 1))} yet."
        return f"Nothing from {self._when(window)} yet."

    def _line(self, part: QuestionPart, one: Candidate) -> str:
        exchange, where = one.hit.exchange, self._where(one.hit)
        start = days(exchange.said_at, exchange.said_at, self._zone)
        if not self._choice.is_asker(exchange) and part.aim is not Aim.SAID:
            start += f", {one_line(exchange.speaker) or 'someone'}"
        if where:
            start += f", {where[0].lower()}{where[1:]}"
        return f"- {start}: {_quote(one, part, _LINE)}"

    def _heading(self, part: QuestionPart, found: Sequence[Candidate]) -> str:
        match part.aim:
            case Aim.TIME if part.window and part.window.heart is not None:
                said = [one.hit.exchange.said_at for one in found]
                day = self._when(Window(min(said), max(said) + 1)) if said else ""
                return f"On {day}:" if said and " to " not in day else f"Around {self._when(_itself(part.window.heart))}:"
            case Aim.TIME if part.window:
                day, among = (
                    self._when(_bounded(part.window, found)),
                    ", among other things" if self._choice.omits(part.window) else "",
                )
                return f"{'From' if ' to ' in day else 'On'} {day}{among}:"
            case Aim.SAID:
                return f"{part.name[:1].upper()}{part.name[1:]} said:"
            case Aim.ASKER:
                return "What I know of you:"
            case Aim.ABOUT:
                return f"About {' '.join(part.about.admit.values())}:"
        return "What I have of that:"

    def _where(self, hit: Hit) -> str:
        """Return where something was said, if another assistant than Lyra answered there; else ''."""
        assistant = self._choice.assistant(hit)
        return f"In {quoted(hit.session)}, imported from {one_line(assistant)}" if assistant else ""

    def _when(self, window: Window) -> str:
        return days(window.start, window.end - 1, self._zone)

    def _who(self, one: Candidate, you: str, someone: str, *, wrote: bool = False) -> str:
        if self._choice.is_asker(one.hit.exchange):
            if wrote:
                return f"{you} {'asked' if one.asks else 'wrote'}"
            return f"{you} {'asked' if one.asks else 'told'} me"
        said = "asked" if one.asks else "wrote" if wrote else "said"
        return f"{one_line(one.hit.exchange.speaker) or someone} {said}"


def _itself(instant: int) -> Window:
    return Window(instant, instant + 1)


def _bounded(window: Window, found: Sequence[Candidate]) -> Window:
    """Return a time that begins with what was found, where it has no beginning."""
    first = min((one.hit.exchange.said_at for one in found), default=window.start)
    return replace(window, start=first) if window.start <= EARLIEST else window


def _quote(one: Candidate, part: QuestionPart, most: int) -> str:
    return quoted(shortened(one.hit.exchange.text, most, lambda text: _weight(text, part)))


def _weight(text: str, part: QuestionPart) -> int:
    stems = set(key_words(text).values())
    return 2 * len(stems & part.about.strong) + len(stems & part.about.weak)
