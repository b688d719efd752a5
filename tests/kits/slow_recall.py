"""A slow and obvious recall, one message at a time, as the reference for the real one."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from memory.text import lexical
from memory.text.passages import passages

SIX_HOURS = 6 * 3600 * 1_000_000


@dataclass(frozen=True)
class Message:
    """A message as it was said."""

    item: int
    session: int
    said_at: int
    speaker: str
    text: str
    own: bool = False

    @cached_property
    def parts(self) -> list[Counter[str]]:
        """The stems of each passage with the date, and how often each is there."""
        day = datetime.fromtimestamp(self.said_at / 1e6, UTC)
        head = f"{day:%A %d %B %Y} "
        return [Counter(stems(head + passage)) for passage in passages(self.text)]

    @property
    def passages(self) -> list[str]:
        """The parts of its text."""
        return passages(self.text)

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return self.text.endswith("?")


def stems(text: str) -> list[str]:
    """Return the stems of what is no stop word."""
    return [lexical.stem(word) for word in lexical.tokens(text) if word not in lexical.STOP_WORDS]


@dataclass(frozen=True)
class Talk:
    """Everything that was said, with who stands beside whom."""

    messages: Sequence[Message]

    def session(self, message: Message) -> list[Message]:
        """Return the session of a message in order of time."""
        return sorted((m for m in self.messages if m.session == message.session), key=lambda m: (m.said_at, m.item))

    def beside(self, message: Message, step: int) -> Message | None:
        """Return a neighbour: -1 the one before, 1 the one after."""
        row = self.session(message)
        at = row.index(message) + step
        return row[at] if 0 <= at < len(row) else None

    def stretch(self, message: Message) -> set[int]:
        """Return the items of what was said without a break of six hours around a message."""
        row = self.session(message)
        groups: list[list[Message]] = []
        for one in row:
            if not groups or one.said_at - groups[-1][-1].said_at > SIX_HOURS:
                groups.append([])
            groups[-1].append(one)
        return next({one.item for one in group} for group in groups if message in group)

    def meant(self, question: str) -> str:
        """Return a question without the names of who speaks, where anything else is left of it."""
        named = _named(self, question)
        asked = [word for word in lexical.tokens(question) if word not in lexical.STOP_WORDS]
        left = any(word not in named for word in asked)
        return " ".join(word for word in question.split() if word not in named) if left else question

    def words(self, asked: set[str]) -> tuple[dict[int, float], float]:
        """Score every message by BM25 over passages, with three tenths of the passage before; and the most there could be."""
        parts = [part for m in self.messages for part in m.parts]
        average = max(1.0, sum(part.total() for part in parts) / len(parts))
        score = {}
        holding = {stem: sum(stem in other for other in parts) for stem in asked}
        rare = {stem: math.log(1 + (len(parts) - n + 0.5) / (n + 0.5)) for stem, n in holding.items()}
        for m in self.messages:
            before = self.beside(m, -1)
            best = 0.0
            for n, part in enumerate(m.parts):
                total = 0.0
                for stem in asked:
                    count = part[stem] + (0.3 * before.parts[-1][stem] if before and n == 0 else 0)
                    norm = 1.5 * (0.25 + 0.75 * part.total() / average)
                    total += rare[stem] * 2.5 * count / (count + norm)
                best = max(best, total)
            score[m.item] = best
        return score, 2.5 * sum(rare.values())


def _named(talk: Talk, question: str) -> set[str]:
    """Return the words of a question that name who speaks."""
    speakers = {m.speaker.lower() for m in talk.messages}
    return {word for word in lexical.tokens(question) if word in speakers}


def ranked(talk: Talk, question: str, meaning: Mapping[int, float]) -> dict[int, float]:
    """Return the score of every message that scores at all; `meaning` are cosines to the question."""
    asked = {word: lexical.stem(word) for word in lexical.tokens(question) if word not in lexical.STOP_WORDS}
    speakers = {m.speaker for m in talk.messages}
    named = _named(talk, question)
    hers = {m.speaker.lower() for m in talk.messages if m.own}
    of_lyra = bool(named & hers) and question.split()[0] not in named
    words, most = talk.words(set(asked.values()))
    top = max(max(words.values(), default=0), 0.3 * most)
    usual = sum(meaning.values()) / (len(meaning) + 10)
    above = max(0.1, max(meaning.values(), default=0) - usual)
    own = {}
    for m in talk.messages:
        near = max(0.0, (meaning[m.item] - usual) / above) if m.item in meaning else 0.0
        own[m.item] = ((words[m.item] / top if top else 0) + near) * (0.7 if m.own and not of_lyra else 1)
    around = {}
    for m in talk.messages:
        beside = [own[near.item] for near in (talk.beside(m, -1), talk.beside(m, 1)) if near]
        around[m.item] = own[m.item] + 0.25 * sum(beside)
    score = {}
    for m in talk.messages:
        best = max(around[item] for item in talk.stretch(m))
        score[m.item] = (around[m.item] + (0.3 * best if around[m.item] > 0 else 0)) * (0.9 if m.asks else 1)
    best = max(score.values(), default=0)
    for m in talk.messages:
        everybody = named - hers == {speaker.lower() for speaker in speakers}
        voiced = m.speaker.lower() in named - hers and (not everybody or named == set(asked))
        if voiced or (of_lyra and m.own and score[m.item] > 0):
            score[m.item] += 0.4 * (best or 1)
    tells = [m.item for m in talk.messages if not m.asks and (of_lyra or not m.own)]
    told, best = max((score[item] for item in tells), default=0), max(score.values(), default=0)
    for m in talk.messages:
        if told >= 0.3 * best and m.item not in tells and score[m.item] >= 0.99 * told > 0:
            score[m.item] = 0.98 * told + 0.01 * told * score[m.item] / best
    return {item: value for item, value in score.items() if value > 0}
