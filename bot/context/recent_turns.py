"""The end of a conversation as messages of a prompt, with the days on which they were said."""

from collections.abc import Sequence
from datetime import date

from bot.context.prompt_question import PromptQuestion, frame_of
from bot.models.port import ChatMessage
from memory.text.budget import FittedLayer, tokens
from memory.text.display_names import LYRA
from memory.text.prompt_lines import REPLY, prompt_line
from memory.text.time.times import local
from memory.types import Exchange

_STEP = 4


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
