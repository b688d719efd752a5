"""The question at the end of a prompt: the messages to answer, what they reply to, and what others said just before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters.message_parts import Quote
from bot.models.port import Image
from memory.text.budget import Layer, TokenBudget, tokens
from memory.text.prompt_lines import ALONE, QUOTED, SPOKEN, Frame, prompt_line
from memory.types import Exchange

_MOST_OF_A_QUOTE = 200
_ASIDE, _ANSWERED = "Just before, others said here:", "The message answers this:"


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
