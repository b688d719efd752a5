"""The offline voice: without a chat model, it quotes what was said, or admits that there is nothing.

It never pretends to be a model. Its answer is a function of the question and of the hits for its parts.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.models.offline.answer_choice import AnswerChoice
from bot.models.offline.candidates import Candidate, any_of, missing, telling
from bot.models.offline.message_kinds import MessageKind, asks_what_lyra_feels, hear, is_about_lyra
from bot.models.offline.phrases import Phrases
from bot.models.offline.possession import OWN
from bot.models.offline.question_analysis import Aim, QuestionPart, parts
from bot.models.offline.sentence_splitting import closed, one_line, shortened
from bot.models.offline.spoken_languages import phrases
from bot.models.offline.spoken_manner import Manner
from memory.index.hits import Hit
from memory.index.when.birthdays import celebrated
from memory.index.when.days import EARLIEST
from memory.index.when.values import Window
from memory.text.lexical import key_words
from memory.types import Statement

_UNREAD = re.compile(r"^\[(?:audio|video|image|file) [^\n]*, not read\b", re.MULTILINE)
_ABOVE = {Aim.ASKER: "profile", Aim.TIME: "era"}
_LISTS = frozenset((Aim.LIST, Aim.ABOUT, Aim.ASKER, Aim.SAID, Aim.TIME))
_QUOTE = 300
_LINE = 160
_SHORT, _FEW = 120, 3
"""The length of quotes, and the number of lines in lists, for people who want short answers."""


@dataclass(frozen=True, slots=True)
class VoiceQuestion:
    """A message to answer, with its speaker, their manner, the current instant (microseconds UTC) and the time zone.

    `written` is the language of earlier messages, for a message whose own is unclear; '' for none. `kept` says whether it is
    stored, `too_long` that the model cannot take even the shortest prompt for it.
    """

    text: str
    asker: str
    now: int
    time_zone: str
    manner: Manner = Manner()
    written: str = ""
    kept: bool = True
    too_long: bool = False

    @property
    def phrases(self) -> Phrases:
        """The sentences for the answer."""
        return phrases(self.manner, self.text, self.written)


@dataclass(frozen=True, slots=True)
class VoiceAnswer:
    """The text, the hits it quotes, and whether it only repeats memory (and so enters no recall and no digest).

    `above` are the facts and paragraphs it states.
    """

    text: str
    cites: tuple[Hit, ...]
    echo: bool
    above: tuple[Statement, ...] = ()


class ResultWording:
    """Words the results for one person, at an instant (microseconds UTC) in a time zone."""

    def __init__(self, choice: AnswerChoice, now: int, time_zone: str, phrases: Phrases, *, brief: bool = False) -> None:
        self._choice = choice
        self._phrases = phrases
        self._quote, self._line_length = (_SHORT, _SHORT) if brief else (_QUOTE, _LINE)
        self._most = _FEW if brief else None
        self._now = now
        self._zone = time_zone

    def quotes(self, told: Sequence[tuple[QuestionPart, Candidate]]) -> Iterator[str]:
        """Yield a sentence with a quote for each answer; before somebody else's statement, that the asker made none."""
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
            yield closed(f"{start}: {quote}")
            # "Also, on 3 March" must follow a quote of the same speaker, who told it to her.
            speaker = "" if where else exchange.speaker

    def listing(self, part: QuestionPart, found: Sequence[Candidate], above: Sequence[Statement]) -> str:
        """Return a list with a heading, one line per entry."""
        lines = [f"- {f'{one.period}: ' if one.period else ''}{one_line(one.text)}" for one in above]
        return "\n".join([self._heading(part, found), *[*lines, *(self._line(part, one) for one in found)][: self._most]])

    def nothing(self, window: Window) -> str:
        """Return that nothing was said in a window."""
        if window.start <= EARLIEST:
            return self._phrases.framed("Nothing until {when} yet.", when=self._when(_itself(window.end - 1)))
        first, between, last = self._when(window).partition(self._phrases.to)
        if between:
            return self._phrases.framed("Nothing from {first} to {last} yet.", first=first, last=last)
        return self._phrases.framed("Nothing from {when} yet.", when=first)

    def _line(self, part: QuestionPart, one: Candidate) -> str:
        exchange, where = one.hit.exchange, self._where(one.hit)
        start = self._phrases.days(exchange.said_at, exchange.said_at, self._zone)
        if one.of:
            told = self._phrases.framed("told on {day}", day=start)
            start = f"{self._phrases.span(one.of.start, one.of.end - 1, self._zone)}, {told}"
        if not self._choice.is_asker(exchange) and part.aim is not Aim.SAID:
            start += f", {one_line(exchange.speaker) or self._phrases.someone}"
        if where:
            start += f", {where[0].lower()}{where[1:]}"
        return f"- {start}: {self._phrases.quoted(_cut(one, part, self._line_length))}"

    def _heading(self, part: QuestionPart, found: Sequence[Candidate]) -> str:
        match part.aim:
            case Aim.TIME if part.window and part.window.heart is not None:
                said = [one.at for one in found]
                day = self._when(Window(min(said), max(said) + 1)) if said else ""
                if said and self._phrases.to not in day:
                    return f"{self._phrases.framed('On {day}', day=day)}:"
                return self._phrases.framed("Around {day}:", day=self._when(_itself(part.window.heart)))
            case Aim.TIME if part.window:
                day = self._when(_bounded(part.window, found))
                several = self._phrases.to in day
                start = self._phrases.framed("From {day}", day=day) if several else self._phrases.framed("On {day}", day=day)
                return f"{start}{self._phrases.framed(', among other things') if self._choice.omits(part.window) else ''}:"
            case Aim.SAID:
                return self._phrases.framed("{name} said:", name=f"{part.name[:1].upper()}{part.name[1:]}")
            case Aim.ASKER:
                return self._phrases.framed("What I know of you:")
            case Aim.ABOUT:
                return self._phrases.framed("About {what}:", what=" ".join(part.about.admit.values()))
        return self._phrases.framed("What I have of that:")

    def _where(self, hit: Hit) -> str:
        """Return the conversation of a message if another assistant answered there; else ''."""
        assistant = self._choice.assistant(hit)
        if not assistant:
            return ""
        return self._phrases.framed(
            "In {session}, imported from {assistant}", session=self._phrases.quoted(hit.session), assistant=one_line(assistant)
        )

    def _when(self, window: Window) -> str:
        return self._phrases.days(window.start, window.end - 1, self._zone)


class OfflineVoice:
    """Answers without a model."""

    def parts(self, asked: VoiceQuestion) -> Sequence[QuestionPart]:
        """Return the parts of a message to search for; none unless it asks something."""
        heard = hear(asked.text)
        if heard.act is not MessageKind.QUESTION or asks_what_lyra_feels(heard.question):
            return ()
        found = [part for part in parts(heard.question, asked.now, asked.time_zone) if _asks_of_memory(part)]
        return [replace(part, sought=f"{part.sought} {asked.asker}") if part.aim is Aim.NAME else part for part in found]

    def window(self, asked: VoiceQuestion, part: QuestionPart, hits: Sequence[Hit]) -> Window | None:
        """Return the time that a part is about, None for none; a birthday is looked up in the hits."""
        told = [hit.exchange for hit in hits if hit.exchange.role != "assistant"]
        if part.day is None:
            window = part.window
            if window and window.instead and not any_of(told, window, asked.time_zone):
                return window.instead if any_of(told, window.instead, asked.time_zone) else window
            return window
        return celebrated(part.day, told, one_line(asked.asker), asked.now, asked.time_zone, part.window)

    def answer(
        self, asked: VoiceQuestion, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement] = ()
    ) -> VoiceAnswer:
        """Return the answer to a message.

        `hits` are those of recall for each part, best first, `above` the facts and months asked for; `known` says whether any
        statement in view contains a stem. Raises nothing of its own.
        """
        answer = self._answer(asked, hits, known, above)
        if not asked.too_long:
            return answer
        excuse = asked.phrases.framed("This is too long for my model even at its shortest, so I answer without it.")
        lines = [excuse, *([answer.text] if answer.text != asked.phrases.no_model else [])]
        return replace(answer, text="\n".join(lines))

    def _answer(
        self, asked: VoiceQuestion, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement]
    ) -> VoiceAnswer:
        heard = hear(asked.text)
        name, told = asked.manner.name or one_line(asked.asker), asked.phrases
        if heard.act is MessageKind.QUESTION:
            return self._answered(asked, heard.question, hits, known, above)
        match heard.act:
            case MessageKind.GREETING:
                text = told.framed("Hello, {name}.", name=name) if name else told.framed("Hello.")
            case MessageKind.FAREWELL:
                text = told.framed("Goodbye, {name}.", name=name) if name else told.framed("Goodbye.")
            case MessageKind.THANKS:
                text = told.framed("You are welcome.")
            case _ if not asked.kept:
                text = told.framed("Heard, and not kept.")
            case _ if _UNREAD.search(asked.text):
                text = told.framed("I kept that it came, but not what is in it: that I cannot read or hear.")
            case _:
                text = told.framed("Kept.")
        return VoiceAnswer(text, (), echo=True)

    def _answered(
        self, asked: VoiceQuestion, question: str, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement]
    ) -> VoiceAnswer:
        choice = AnswerChoice(asked.asker, hits, asked.time_zone, asked.now)
        told_in = asked.phrases
        wording = ResultWording(choice, asked.now, asked.time_zone, told_in, brief=asked.manner.brief)
        told: list[tuple[QuestionPart, Candidate]] = []
        lists: list[str] = []
        lacking: list[str] = []
        empty: list[str] = []
        cited: list[Hit] = []
        stated: list[Statement] = []
        for asking in self.parts(asked):
            part = replace(asking, window=self.window(asked, asking, hits))
            found = choice.answers(part)
            of = [one for one in above if one.tier == _ABOVE.get(part.aim) and one not in stated]
            if of or (part.aim in _LISTS and found and (len(found) > 1 or part.aim is Aim.TIME)):
                lists.append(wording.listing(part, found, of))
                stated += of
            elif part.aim is Aim.TIME:
                empty.append(wording.nothing(part.window) if part.window else told_in.nothing)
            else:
                lacks = missing(part, found, known)
                found = telling(part, found, lacks)
                told += [(part, one) for one in found if one.hit not in cited]
                lacking += [word for word in lacks if word not in lacking]
                if not found and not lacking:
                    empty.append(_without_quote(part, told_in))
            cited += [one.hit for one in found if one.hit not in cited]
        if not cited and not stated and (is_about_lyra(question) or not (lacking or empty)):
            return VoiceAnswer(told_in.no_model, (), echo=True)
        sentences = [
            *wording.quotes(told),
            *([told_in.framed("Nothing about {words} yet.", words=told_in.listed(lacking))] if lacking else empty),
        ]
        pieces = [" ".join(sentences), *lists] if sentences else lists
        return VoiceAnswer("\n".join(pieces), tuple(cited), echo=True, above=tuple(stated))


def _asks_of_memory(part: QuestionPart) -> bool:
    """Return whether a part can be searched for: it has a meaningful word, or is about the asker's own."""
    return part.aim is not Aim.ANSWER or bool(part.about.strong or (part.about.weak and OWN.search(part.text)))


def _without_quote(part: QuestionPart, told_in: Phrases) -> str:
    if part.about.admit:
        return told_in.framed(
            "I kept something about {words}, but found no answer in it; the command recall looks for more.",
            words=told_in.listed(part.about.admit.values()),
        )
    return told_in.nothing if part.about.strong else told_in.no_model


def _itself(instant: int) -> Window:
    return Window(instant, instant + 1)


def _bounded(window: Window, found: Sequence[Candidate]) -> Window:
    """Return a window that starts at the earliest result if it has no start."""
    first = min((one.at for one in found), default=window.start)
    return replace(window, start=first) if window.start <= EARLIEST else window


def _cut(one: Candidate, part: QuestionPart, most: int) -> str:
    return shortened(one.hit.exchange.text, most, lambda text: _weight(text, part))


def _weight(text: str, part: QuestionPart) -> int:
    stems = set(key_words(text).values())
    return 2 * len(stems & part.about.strong) + len(stems & part.about.weak)
