"""The messages at the end of a prompt: the last ones of the conversation, and the question, with what it replies to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from adapters.message_parts import Quote
from bot.models.port import ChatMessage, Image
from memory.text.budget import FittedLayer, Layer, TokenBudget, tokens
from memory.text.display_names import LYRA
from memory.text.prompt_lines import ALONE, QUOTED, REPLY, SPOKEN, Frame, prompt_line
from memory.text.time.times import local
from memory.types import Exchange

_MOST_OF_A_QUOTE = 200
_ASIDE, _ANSWERED = "Just before, others said here:", "The message answers this:"
_STEP = 4


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """The question: the messages, what they reply to, what others said just before, and the attached images.

    If `shared`, more than one person reads the conversation, and every line names its speaker.
    """

    asked: Sequence[Exchange]
    quotes: Sequence[Quote] = ()
    aside: Sequence[Quote] = ()
    images: Sequence[Image] = ()
    shared: bool = False

    def text(self, most: int) -> str:
        """Return the messages to answer, in at most `most` tokens: each has a share, and passes on what it leaves."""
        frame = frame_of(self.asked, shared=self.shared)
        shown: dict[int, str] = {}
        left = most
        whole = {at: prompt_line(one.text, frame, speaker=one.speaker, most=most) for at, one in enumerate(self.asked)}
        for waiting, (at, text) in zip(range(len(whole), 0, -1), sorted(whole.items(), key=lambda one: len(one[1])), strict=True):
            one = self.asked[at]
            room = left // waiting - 1
            shown[at] = text if tokens(text) <= room else prompt_line(one.text, frame, speaker=one.speaker, most=max(0, room))
            left -= tokens(shown[at]) + 1
        return "\n".join(text for _, text in sorted(shown.items()) if text)

    def unstored_quotes(self, recent: Sequence[Exchange]) -> list[Quote]:
        """Return what the place shows that is not stored, leaving out what is in view as memory already."""
        stored_ids = {message.source_id for message in (*recent, *self.asked)}
        # What she said is stored under another id than the platform gave it.
        own_texts = {message.text for message in recent if message.role == "assistant"}
        quotes = {quote.id: quote for quote in (*self.aside, *self.quotes)}
        return [one for one in quotes.values() if one.id not in stored_ids and not (one.own and one.text in own_texts)]

    def quotes_text(self, shown: Sequence[Quote], most: int) -> str:
        """Show these of its quotes in at most `most` tokens: what the message replies to first, then the newest of the rest."""
        answers = {quote.id for quote in self.quotes}
        aside = [quote for quote in shown if quote.id not in answers]
        answered = [quote for quote in shown if quote.id in answers]
        room, each = TokenBudget(most), (most - tokens(_ANSWERED) - 1) // max(1, len(answered)) - 1
        answered_lines = room.fill(Layer("answered", [_quote(quote, each) for quote in answered], 1.0, _ANSWERED)).shown
        aside_lines = room.fill(Layer("aside", [_quote(quote) for quote in reversed(aside)], 0.0, _ASIDE)).shown[::-1]
        blocks = (_ASIDE, aside_lines), (_ANSWERED, answered_lines)
        return "\n\n".join("\n".join([title, *lines]) for title, lines in blocks if lines)


def frame_of(messages: Iterable[Exchange], *, shared: bool) -> Frame:
    """Return how messages are shown: with the names of their speakers where the place is `shared` or several spoke."""
    speakers = {message.speaker for message in messages if message.role != "assistant"}
    return SPOKEN if shared or len(speakers) > 1 else ALONE


def _quote(quote: Quote, most: int = _MOST_OF_A_QUOTE) -> str:
    files = "".join(f"[{file.name}] " for file in quote.attachments)
    most = max(0, min(most, _MOST_OF_A_QUOTE))
    return prompt_line(f"{files}{quote.text}", QUOTED, speaker=quote.speaker, most=most)


class RecentTurns:
    """The last messages of a conversation, oldest first, rendered for a question at an instant (microseconds UTC) in a time zone.

    The first message that somebody says on a day is dated, unless all that is shown is of today. Lyra's own are not: she would
    learn to write dates. `most` are the tokens of a message.
    """

    def __init__(self, said: Sequence[Exchange], question: PromptQuestion, now: int, time_zone: str, most: int) -> None:
        self._said = said
        self._days = [local(one.said_at, time_zone).date() for one in said]
        self._today = local(now, time_zone).date()
        self._dated = {*self._days} if {*self._days} != {self._today} else set()
        self._most = most
        quoted = [quote.speaker for quote in (*question.quotes, *question.aside)]
        self._frame = frame_of(said, shared=question.shared)
        self._reply = REPLY.among([*(one.speaker for one in (*said, *question.asked)), *quoted])

    def fitted(self, room: int) -> tuple[FittedLayer, list[ChatMessage]]:
        """Return the last messages that fit into `room` tokens.

        If not all do, the beginning moves by several messages at once, to stay stable.
        """
        n = len(self._said)
        newest_first: list[tuple[ChatMessage, int]] = []
        left = room - max((tokens(f"{_date(day)}: ") for day in self._dated), default=0)
        # From the end, so that what does not fit is not rendered.
        for at in reversed(range(n)):
            message = self._message(at, first=0)
            cost = tokens(message["content"]) + 1
            left -= cost
            if left < 0:
                break
            newest_first.append((message, cost))
        starts = sorted({*range(0, n, _STEP), *range(max(0, n - _STEP), n + 1)})
        start = next(at for at in starts if n - at <= len(newest_first))
        shown = newest_first[: n - start][::-1]
        opening = next((at for at in range(start, n) if self._is_said(at)), None)
        if opening is not None:
            dated = self._message(opening, first=start)
            shown[opening - start] = (dated, tokens(dated["content"]) + 1)
        messages = [message for message, _ in shown]
        spent = sum(cost for _, cost in shown)
        return FittedLayer("recent turns", [message["content"] for message in messages], start, spent), messages

    def _message(self, at: int, first: int) -> ChatMessage:
        """Return a message, dated as where the messages from `first` on are shown."""
        one = self._said[at]
        if not self._is_said(at):
            return ChatMessage(role="assistant", content=prompt_line(one.text, self._reply, speaker=LYRA, most=self._most))
        day = _date(self._days[at]) if self._begins_day(at, first) else ""
        return ChatMessage(
            role="user", content=prompt_line(one.text, self._frame, label=day, speaker=one.speaker, most=self._most)
        )

    def _begins_day(self, at: int, first: int) -> bool:
        before = next((self._days[one] for one in range(at - 1, first - 1, -1) if self._is_said(one)), None)
        # What she said before anybody else is of another day, too, unless it is of today.
        return self._days[at] != before if before else {*self._days[first : at + 1]} != {self._today}

    def _is_said(self, at: int) -> bool:
        return self._said[at].role != "assistant"


def _date(day: date) -> str:
    return f"{day:%A, %d %B %Y}"
