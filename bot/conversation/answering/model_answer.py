"""An answer that a model writes to one turn, from inputs that were read for it and what it looks up meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.context import tools
from bot.context.prompt import Prompt, PromptDraft
from bot.context.prompt_question import PromptQuestion
from bot.conversation.answering.source_watch import SourceWatch
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.answering.tool_calls import ROUNDS, SHARE, Find, ToolCalls
from bot.conversation.one_turn import GeneratedAnswer, Turn
from bot.delivery.links import NO_LINKS, written_urls
from bot.errors import AnswerEnded, ContextTooLong
from bot.models.port import CutShort, Model, Restart, closing, size
from bot.reconciliation.used_messages import UsedMessage, used_at, used_in
from bot.service.runtime_metrics import measures
from localization.sentences import lazy
from memory.index.hits import Hit
from memory.text.budget import tokens
from memory.tiers.messages.asides import Aside
from memory.types import Exchange
from memory.view.recalled import Recalled


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """The tokens of a prompt with everything that is looked up, and whether anything may be.

    A prompt of `refused_size` tokens was refused: one that is no shorter is not sent.
    """

    tokens: int
    lookups: bool
    refused_size: int | None = None

    @property
    def draft_tokens(self) -> int:
        """The tokens of the prompt beside what describes the lookups."""
        return self.tokens - tools.COST * self.lookups


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of an answer: when and after which commit they were read, the recent messages, the draft, and what was recalled."""

    read_at: int
    commits: int
    recent: Sequence[Exchange]
    draft: PromptDraft
    recalled: Recalled


class ModelAnswer:
    """The answer of a model to a turn. `usable` searches for messages and returns those that may be used.

    `preview` shows it while it is written, `show_prompt` receives every prompt before the model does.
    """

    def __init__(
        self,
        turn: Turn,
        question: PromptQuestion,
        inputs: Inputs,
        limits: PromptLimits,
        usable: Callable[[Find], Awaitable[Sequence[Hit]]],
        preview: AnswerPreview | None,
        show_prompt: Callable[[Prompt], None] | None,
    ) -> None:
        self._turn = turn
        self._question = question
        self._inputs = inputs
        self._refused_size = limits.refused_size
        self._preview = preview
        self._links = NO_LINKS
        rounds = ROUNDS if limits.lookups else 0
        most_tokens = int(SHARE * limits.tokens)
        self._lookups = ToolCalls(
            turn, usable, self._allow_links, inputs.draft, inputs.recalled, rounds, most_tokens, inputs.read_at, show_prompt
        )
        self._source_watch = SourceWatch(
            turn, inputs.read_at, inputs.commits, lambda: self._lookups.seen, lambda: self._lookups.last_prompt.asides
        )

    async def write(self, chat: Model, printed: Callable[[str], str]) -> GeneratedAnswer:
        """Have the model write the answer; return it as `printed`, up to where the person stopped it or the endpoint's limit did.

        Raises ModelError, AnswerEnded if it was stopped before it began, and SourceGone if a source is removed meanwhile.
        """
        messages = await self._lookups.begin()
        await self._allow_links()
        prompt_size = size(messages)
        if self._refused_size is not None and prompt_size >= self._refused_size:
            raise ContextTooLong(lazy("The model {name} cannot take a prompt that long.", name=chat.name), size=prompt_size)
        pieces: list[str] = []
        with measures.stage("model"):
            is_complete = await self._source_watch.run(self._stream(chat, pieces))
        written = "".join(pieces)
        text = printed(written)
        if not is_complete and not text:
            raise AnswerEnded(lazy("The answer was ended before it began."))
        if not is_complete or (text and any(isinstance(piece, CutShort) for piece in pieces)):
            text = f"{text} […]"
        return await self._with_sources(text, self._lookups.tokens_sent + tokens(written))

    async def _stream(self, chat: Model, pieces: list[str]) -> None:
        """Collect the model's output in `pieces`, showing it as it arrives."""
        async with closing(chat.stream(self._lookups.prompt(plain=False), self._lookups)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Restart):
                    pieces.clear()
                    if self._preview:
                        await self._preview.drop()
                elif self._preview:
                    await self._preview.show(piece)

    async def _with_sources(self, text: str, total_tokens: int) -> GeneratedAnswer:
        prompt, turn = self._lookups.last_prompt, self._turn
        # Off the event loop, because long messages in view take long to compare.
        sources = await asyncio.to_thread(prompt.sources, text) | {exchange.key for exchange in turn.questions}
        quotes = (*self._question.aside, *self._question.quotes)
        asides = {Aside(one.id, one.said_at, one.edited_at, turn.began_at) for one in quotes if one.id in prompt.asides}
        return GeneratedAnswer(
            text,
            sources,
            echo=False,
            links=self._links,
            read_at=self._inputs.read_at,
            seen=prompt.seen,
            asides=frozenset(asides),
            used=self._used(),
            raised=prompt.raised,
            tokens=total_tokens,
        )

    def _used(self) -> list[UsedMessage]:
        """Return the stored messages in view."""
        recent, recalled = used_at(self._turn.session, self._inputs.recent), self._inputs.recalled.hits
        seen = self._lookups.seen
        return [one for one in (*recent, *used_in([*recalled, *self._lookups.hits.values()])) if one.exchange.key in seen]

    async def _allow_links(self) -> None:
        """Allow the links that people in view wrote, and no others."""
        quotes = [quote.text for quote in (*self._question.aside, *self._question.quotes) if not quote.own]
        self._links = await written_urls([*(one.exchange for one in self._used()), *self._question.asked], quotes)
        if self._preview:
            self._preview.allow(self._links, self._source_watch)
