"""The offline voice: without a chat model, it quotes what was said, or admits that there is nothing.

It never pretends to be a model. Its answer is a function of the question and of the hits for its parts.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from bot.models.offline.answer_choice import AnswerChoice
from bot.models.offline.candidates import Candidate, any_of
from bot.models.offline.message_kinds import MessageKind, asks_the_time, asks_to_be_reminded, hear, is_about_lyra, is_unanswerable
from bot.models.offline.phrases import FORMAL, Phrases
from bot.models.offline.possession import OWN
from bot.models.offline.question_analysis import Aim, QuestionPart, compound, parts, people, things
from bot.models.offline.result_wording import ResultWording
from bot.models.offline.spoken_languages import SPOKEN, spoken_language
from localization.current_language import ENGLISH, LANGUAGES, current
from memory.index.hits import Certainty, Hit
from memory.index.when.birthdays import celebrated
from memory.index.when.values import Window
from memory.text.lexical import all_stems
from memory.text.quotations import one_line
from memory.types import Statement

_UNREAD = re.compile(r"^\[(?:audio|video|image|file) [^\n]*, not read\b", re.MULTILINE)
_CALLED = re.compile(r' wants to be called "(?P<name>[^"]+)"\.$')
_ANSWERED_IN = re.compile(r" wants answers in (?P<language>\w+)\.$")
_FORMAL = frozenset({"de"})
_ABOVE = {Aim.ASKER: "profile", Aim.TIME: "era"}
_LISTS = frozenset((Aim.LIST, Aim.ABOUT, Aim.ASKER, Aim.SAID, Aim.TIME))


@dataclass(frozen=True, slots=True)
class Manner:
    """A person's name ('': the speaker's), the language around quotes ('': the question's), short answers, formal address.

    `rests_on` are the manners that it follows.
    """

    name: str = ""
    language: str = ""
    brief: bool = False
    formal: bool = False
    rests_on: Sequence[Statement] = ()

    def followed_in(self, answer: str) -> Sequence[Statement]:
        """Return the manners without which an answer might be another: the name is said, or makes no difference."""
        return [one for one in self.rests_on if self.name in answer or not _CALLED.search(one.text)]

    def phrases(self, text: str, written: str = "") -> Phrases:
        """Return the sentences for an answer to a text: in the requested language, the text's, the one written before, or the current one."""
        spoken = self.language or spoken_language(text) or written or LANGUAGES[current()]
        code = SPOKEN.get(spoken, ENGLISH)
        return Phrases(f"{code}{FORMAL}" if self.formal and code in _FORMAL else code)


def manner(wanted: Sequence[Statement]) -> Manner:
    """Return the manner that one person's wishes amount to."""
    name = next((match["name"] for one in wanted if (match := _CALLED.search(one.text))), "")
    language = next((match["language"].lower() for one in wanted if (match := _ANSWERED_IN.search(one.text))), "")
    brief = any(one.text.endswith(" wants short answers.") for one in wanted)
    formal = any(one.text.endswith(' wants to be addressed with "Sie".') for one in wanted)
    return Manner(name, language, brief, formal, wanted)


@dataclass(frozen=True, slots=True)
class VoiceAnswer:
    """The text, the hits it quotes, and whether it only repeats memory (and so enters no recall and no digest).

    `above` are the facts and paragraphs it states.
    """

    text: str
    cites: tuple[Hit, ...]
    echo: bool
    above: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class VoiceQuestion:
    """A message to answer, with its speaker, their manner, the current instant (microseconds UTC) and the time zone.

    `written` is the language of earlier messages, for a message whose own is unclear; '' for none. `kept` says whether it is
    stored, `has_model` that a model is connected and gave no answer, `too_long` that it cannot take even the shortest prompt for it.
    """

    text: str
    asker: str
    now: int
    time_zone: str
    manner: Manner = Manner()
    written: str = ""
    kept: bool = True
    has_model: bool = False
    too_long: bool = False

    @property
    def phrases(self) -> Phrases:
        """The sentences for the answer."""
        return self.manner.phrases(self.text, self.written)

    @property
    def without_answer(self) -> str:
        """What is said where memory holds no answer, and none is to be expected of it."""
        if self.has_model:
            return self.phrases.framed("I am Lyra. My model gave no answer to this: ask again, or in other words.")
        return self.phrases.framed("I am Lyra, and no model is connected: I keep, find and summarize what you tell me.")

    def parts(self) -> Sequence[QuestionPart]:
        """Return the parts of a message to search for, which have a meaningful word or are about the asker's own; none unless it asks."""
        heard = hear(self.text)
        if heard.act is not MessageKind.QUESTION or is_unanswerable(heard.question):
            return ()
        return [
            replace(part, sought=f"{part.sought} {self.asker}") if part.detail else part
            for part in parts(heard.question, self.now, self.time_zone)
            if part.aim is not Aim.ANSWER or part.about.strong or (part.about.weak and OWN.search(part.text))
        ]

    def window(self, part: QuestionPart, hits: Sequence[Hit]) -> Window | None:
        """Return the time that a part is about, None for none; a birthday is looked up in the hits."""
        told, window = [hit.exchange for hit in hits if hit.exchange.role != "assistant"], part.window
        if part.day:
            return celebrated(part.day, told, one_line(self.asker), self.now, self.time_zone, window)
        if window and window.instead and not any_of(told, window, self.time_zone):
            return window.instead if any_of(told, window.instead, self.time_zone) else window
        return window

    def answer(self, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement] = ()) -> VoiceAnswer:
        """Return the answer to a message.

        `hits` are those of recall for each part, best first, `above` the facts and months asked for; `known` says whether any
        statement in view contains a stem. Raises nothing of its own.
        """
        answer = self._answer(hits, known, above)
        if not self.too_long:
            return answer
        excuse = self.phrases.framed("This is too long for my model even at its shortest, so I answer without it.")
        lines = [excuse, *([answer.text] if answer.text != self.without_answer else [])]
        return replace(answer, text="\n".join(lines))

    def _answer(self, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement]) -> VoiceAnswer:
        heard = hear(self.text)
        name, told = self.manner.name or one_line(self.asker), self.phrases
        reminder = asks_to_be_reminded(self.text)
        if asks_the_time(self.text):
            return VoiceAnswer(told.clock(self.now, self.time_zone), (), echo=True)
        if heard.act is MessageKind.QUESTION and not reminder:
            return self._answered(heard.question, hits, known, above)
        match heard.act:
            case MessageKind.GREETING:
                text = told.framed("Hello, {name}.", name=name) if name else told.framed("Hello.")
            case MessageKind.FAREWELL:
                text = told.framed("Goodbye, {name}.", name=name) if name else told.framed("Goodbye.")
            case MessageKind.THANKS:
                text = told.framed("You are welcome.")
            case MessageKind.CHATTER:
                text = self.without_answer
            case _ if not self.kept:
                text = told.framed("Heard, and not kept.")
            case _ if _UNREAD.search(self.text):
                text = told.framed("I kept that it came, but not what is in it: that I cannot read or hear.")
            case _ if reminder:
                text = told.framed("Kept. I cannot remind you by myself: ask me, and I will tell you.")
            case _:
                text = told.framed("Kept.")
        return VoiceAnswer(text, (), echo=True)

    def _answered(
        self, question: str, hits: Sequence[Hit], known: Callable[[str], bool], above: Sequence[Statement]
    ) -> VoiceAnswer:
        choice = AnswerChoice(self.asker, hits, self.time_zone, self.now)
        told_in = self.phrases
        wording = ResultWording(choice, self.now, self.time_zone, told_in, brief=self.manner.brief)
        told: list[tuple[QuestionPart, Candidate]] = []
        nearest: list[tuple[QuestionPart, Candidate]] = []
        lists: list[str] = []
        lacking: list[str] = []
        empty: list[str] = []
        cited: list[Hit] = []
        stated: list[Statement] = []
        for asking in self.parts():
            part = replace(asking, window=self.window(asking, hits))
            found = choice.answers(part)
            of = [one for one in above if one.tier == _ABOVE.get(part.aim) and one not in stated]
            if of or (part.aim in _LISTS and found and (len(found) > 1 or part.aim is Aim.TIME)):
                lists.append(wording.listing(part, found, of))
                stated += of
            elif part.aim is Aim.TIME:
                empty.append(wording.nothing(part.window) if part.window else told_in.nothing)
            else:
                lacks = _missing(part, found, known)
                found = _telling(part, found, lacks)
                told += [(part, one) for one in found if one.hit not in cited]
                near = None if found else choice.nearest(part)
                if near is None or not near.is_across(part.text):  # there other words say the same
                    lacking += [word for word in lacks if word not in lacking]
                    if not found and not lacking:
                        empty.append(self._without_quote(part))
                if near:
                    found = [near]
                    nearest.append((part, near))
            quoted = [hit for one in found for hit in (one.hit, *choice.amendments(one.hit))]
            cited += [hit for hit in quoted if hit not in cited]
        if not cited and not stated and (is_about_lyra(question) or not (lacking or empty)):
            return VoiceAnswer(self.without_answer, (), echo=True)
        sentences = [
            *wording.quotes(told),
            *([told_in.framed("Nothing about {words} yet.", words=told_in.listed(lacking))] if lacking else empty),
            *wording.quotes(nearest, unsure=True),
        ]
        pieces = [told_in.joined(sentences), *lists] if sentences else lists
        return VoiceAnswer("\n".join(pieces), tuple(cited), echo=True, above=tuple(stated))

    def _without_quote(self, part: QuestionPart) -> str:
        told_in = self.phrases
        if part.about.admit and not part.detail:
            return told_in.framed(
                "I kept something about {words}, but found no answer in it; the command recall looks for more.",
                words=told_in.listed(part.about.admit.values()),
            )
        return told_in.nothing if part.detail or part.about.strong else self.without_answer


def _missing(part: QuestionPart, chosen: Sequence[Candidate], known: Callable[[str], bool]) -> list[str]:
    """Return the words of a question about which nothing is known; beside an answer, names and things alone.

    If every chosen message only names the person in question, these are all other words, even those known about somebody else.
    """
    if part.detail:
        return []  # "how old" is no name for an age
    whole = compound(part.text)
    covered = frozenset().union(*(one.covers | one.near for one in chosen))
    lacking = [stemmed for stemmed in part.about.admit if stemmed not in covered]
    if lacking and chosen and all(_only_names(part, one) for one in chosen):
        return [part.about.admit[stemmed] for stemmed in lacking]
    named = things(part.text)
    if chosen or any(stemmed in named for stemmed in lacking):
        lacking = [stemmed for stemmed in lacking if stemmed in named]
    if whole and (whole.stems | {whole.head}) & set(lacking):
        rest = [part.about.admit[one] for one in lacking if one not in whole.stems | {whole.head} and not known(one)]
        return [*rest, whole.written]
    return [part.about.admit[stemmed] for stemmed in lacking if not known(stemmed)]


def _telling(part: QuestionPart, chosen: Sequence[Candidate], lacks: Collection[str]) -> list[Candidate]:
    """Return those of the chosen that are quoted: the best, and what adds to it in its own words.

    Where something is lacking, what barely relates would only mislead.
    """
    if not lacks:
        return [*chosen[:1], *(one for one in chosen[1:] if not _is_small_talk(one))]
    return [one for one in chosen if one.hit.certainty is not Certainty.WEAK and not _only_names(part, one)]


def _only_names(part: QuestionPart, one: Candidate) -> bool:
    """Return whether an answer covers nothing but the name of the person a question is about.

    Nearness in meaning is no excuse: the name alone draws the vector of a message to that of the question.
    """
    return one.covers <= people(part.text) and not one.shaped


def _is_small_talk(one: Candidate) -> bool:
    """Return whether a weak hit has nothing of a question but its speaker's name."""
    weak = one.hit.certainty is Certainty.WEAK
    return weak and bool(one.covers) and one.covers.isdisjoint(all_stems(one.hit.exchange.text))
