"""An answer that a model writes to one turn, from inputs that were read for it and what it looks up meanwhile.

Lookups read through the turn's view and are not stored. The view was bound before anything went to the model, so no text in a
prompt can widen it. Each call is a round; after the last one no tools are offered. Results count as in view like everything else.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial

from adapters.markdown_structure import closed
from bot.context import layers
from bot.context.prompt import Prompt, PromptDraft, finish_prompt
from bot.context.prompt_messages import PromptQuestion
from bot.context.tools import (
    COST,
    TOOLS,
    UNKNOWN_RECEIPT,
    Lookup,
    Opening,
    Receipts,
    Round,
    ToolResult,
    parse_call,
    render_results,
    repeatable_call,
)
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.answering.turn_validity import SourceWatch
from bot.conversation.one_turn import GeneratedAnswer, Turn
from bot.delivery.links import NO_LINKS, written_urls
from bot.errors import AnswerEnded, BadInput, ContextTooLong
from bot.models.port import ChatMessage, CutShort, Model, Restart, Tool, ToolCall, size
from bot.reconciliation.used_messages import UsedMessage, used_at, used_in
from bot.service.runtime_metrics import measures
from localization.sentences import lazy
from memory.index.hits import Hit, Recalled
from memory.text.budget import tokens
from memory.text.off_loop import off_loop
from memory.text.prompt_lines import CUT, uncut
from memory.tiers.messages.asides import Aside
from memory.types import Exchange

ROUNDS = 3
SHARE = 0.25
"""The share of a prompt's budget that lookup results may take."""
_LEAST_TOKENS = 100
_MOST_MESSAGES = 40
_AROUND = 6

Find = Callable[[], Awaitable[Sequence[Hit]]]


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
        return self.tokens - COST * self.lookups


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of an answer: when they were read, the recent messages, the draft, and what was recalled."""

    read_at: int
    recent: Sequence[Exchange]
    draft: PromptDraft
    recalled: Recalled


class ToolCalls:
    """The tools of one turn, as far as its `limits` allow any.

    `usable` searches for messages and returns those that may be used; `on_more_in_view` is awaited whenever results came into view.
    `show_prompt` is called with every prompt. `hits` are the results so far, `seen` everything that was in view.
    """

    def __init__(
        self,
        turn: Turn,
        inputs: Inputs,
        limits: PromptLimits,
        usable: Callable[[Find], Awaitable[Sequence[Hit]]],
        on_more_in_view: Callable[[], Awaitable[None]],
        show_prompt: Callable[[Prompt], None] | None,
    ) -> None:
        self._turn = turn
        self._usable = usable
        self._on_more_in_view = on_more_in_view
        self._draft = inputs.draft
        self._recalled = inputs.recalled
        self._now = inputs.read_at
        self._tokens_left = min(int(SHARE * limits.tokens), inputs.draft.tokens_left)
        self._calls_left = ROUNDS if limits.lookups and self._tokens_left >= _LEAST_TOKENS else 0
        self._show_prompt = show_prompt
        self._rounds: list[Round] = []
        self._prompts: dict[tuple[int, bool], Prompt] = {}
        self._receipts = Receipts()
        self.hits: dict[int, Hit] = {}

    async def begin(self) -> Sequence[ChatMessage]:
        """Build the prompt for the first call, off the event loop if it contains long texts."""
        longest = max((len(hit.exchange.text) for hit in self._recalled.hits), default=0)
        return self._remember((0, False), await off_loop(longest, partial(finish_prompt, self._draft, self._recalled)))

    @property
    def offered(self) -> Sequence[Tool]:
        """The tools that may still be used."""
        return TOOLS if self._calls_left > 0 else ()

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        """Return the prompt with all results so far, within one budget; `plain` does not mention tools."""
        version = (len(self._rounds), plain and bool(self._rounds))
        if version in self._prompts:
            return self._prompts[version].messages
        return self._remember(version, finish_prompt(self._draft, self._recalled, self._rounds, plain=plain))

    @property
    def seen(self) -> Mapping[int, str]:
        """Everything that was in view in any prompt."""
        return {key: text for one in self._prompts.values() for key, text in one.seen.items()}

    @property
    def tokens_sent(self) -> int:
        """The tokens of all prompts so far."""
        return sum(size(one.messages) for one in self._prompts.values())

    @property
    def last_prompt(self) -> Prompt:
        """The last prompt, with everything that was in view in any before it."""
        prompts = list(self._prompts.values())
        return replace(prompts[-1], seen=self.seen, citable=frozenset[int]().union(*(one.citable for one in prompts)))

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        """Run the calls, up to the number of rounds left; drop the rest."""
        answered: list[ToolCall] = []
        results: list[ToolResult] = []
        for call in calls[: self._calls_left]:
            results.append(await self._answer(call))
            answered.append(repeatable_call(call, self._calls_left))
            self._tokens_left -= tokens(results[-1].text)
            self._calls_left -= 1
        self._rounds.append(Round(said, answered, results))
        # Results count as in view before the model sees them, because the answer rests on them.
        self.prompt(plain=not self.offered)
        await self._on_more_in_view()

    def _remember(self, version: tuple[int, bool], prompt: Prompt) -> Sequence[ChatMessage]:
        self._prompts[version] = prompt
        if self._show_prompt:
            self._show_prompt(prompt)
        return prompt.messages

    async def _answer(self, call: ToolCall) -> ToolResult:
        asker = self._turn.questions[-1].speaker
        try:
            request = parse_call(call, asker, self._now, self._draft.time_zone)
            hits = await self._opened(request) if isinstance(request, Opening) else await self._look_up(request, asker)
        except BadInput as error:
            return ToolResult(str(error))
        questions = {one.key for one in self._turn.questions}
        found = {hit.exchange.key: hit for hit in hits if hit.exchange.key not in questions}
        opened = hits[0].exchange.key if isinstance(request, Opening) else None
        # Half of what is left, so that a later call has room.
        room = self._tokens_left // min(2, self._calls_left)
        zone = self._draft.time_zone
        notes = {key: layers.note_on(hit, zone) for key, hit in found.items()}
        result = render_results([hit.exchange for hit in found.values()], room, zone, self._receipts, opened, notes)
        self.hits |= {one.key: found[one.key] for one in result.shown}
        return result

    async def _look_up(self, lookup: Lookup, asker: str) -> Sequence[Hit]:
        search = partial(self._turn.view.recall.lookup, lookup.query, _MOST_MESSAGES, lookup.within, lookup.speaker, asker)
        in_view = self.seen
        return sorted(await self._usable(search), key=lambda hit: hit.exchange.key in in_view)

    async def _opened(self, opening: Opening) -> Sequence[Hit]:
        """Return a message and those around it, nearest first. Raises BadInput if there is none."""
        id = self._receipts.id(opening.receipt)
        hits = await self._usable(partial(self._turn.view.recall.around, id, _AROUND)) if id else ()
        position = next((at for at, hit in enumerate(hits) if hit.exchange.id == id), None)
        if position is None:
            raise BadInput(UNKNOWN_RECEIPT)
        return [hit for _, hit in sorted(enumerate(hits), key=lambda one: abs(one[0] - position))]


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
        self._lookups = ToolCalls(turn, inputs, limits, usable, self._allow_links, show_prompt)
        self._source_watch = SourceWatch(
            turn, inputs.read_at, lambda: self._lookups.seen, lambda: self._lookups.last_prompt.asides
        )

    async def write(self, chat: Model, printed: Callable[[str], str]) -> GeneratedAnswer:
        """Have the model write the answer; return it as `printed`, up to where the person stopped it or the endpoint's limit did.

        Raises ModelError, AnswerEnded if it was stopped before it began, and SourceGone if a source is removed meanwhile.
        """
        messages = await self._lookups.begin()
        await self._allow_links()
        if self._refused_size is not None and (prompt_size := size(messages)) >= self._refused_size:
            raise ContextTooLong(lazy("The model {name} cannot take a prompt that long.", name=chat.name), size=prompt_size)
        pieces: list[str] = []
        with measures.stage("model"):
            is_complete = await self._source_watch.run(self._stream(chat, pieces))
        written = "".join(pieces)
        # Without the mark where it imitates one: whether it was cut is known.
        text = uncut(printed(written))
        if not is_complete and not text:
            raise AnswerEnded("The answer was ended before it began.")
        if not is_complete or (text and any(isinstance(piece, CutShort) for piece in pieces)):
            text = await off_loop(len(text), partial(_cut_short, text))
        return await self._with_sources(text, self._lookups.tokens_sent + tokens(written))

    async def _stream(self, chat: Model, pieces: list[str]) -> None:
        """Collect the model's output in `pieces`, showing it as it arrives."""
        async with aclosing(chat.stream(self._lookups.prompt(plain=False), self._lookups)) as stream:
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
        longest = max(map(len, (text, *prompt.seen.values())))
        sources = await off_loop(longest, partial(prompt.sources, text)) | {exchange.key for exchange in turn.questions}
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
        recent, recalled = used_at(self._turn.session, self._inputs.recent), self._inputs.recalled.hits
        seen = self._lookups.seen
        return [one for one in (*recent, *used_in([*recalled, *self._lookups.hits.values()])) if one.exchange.key in seen]

    async def _allow_links(self) -> None:
        """Allow the links that people in view wrote, and no others."""
        quotes = [quote.text for quote in (*self._question.aside, *self._question.quotes) if not quote.own]
        self._links = await written_urls([*(one.exchange for one in self._used()), *self._question.asked], quotes)
        if self._preview:
            self._preview.allow(self._links, self._source_watch)


def _cut_short(text: str) -> str:
    """Return an answer that was cut off, marked as such; what a spoiler hides so far stays hidden."""
    whole = closed(text).rstrip()
    # Behind the end of a fence on its line, the mark would leave that open.
    return f"{whole}\n{CUT}" if whole.endswith(("```", "~~~")) else f"{whole} {CUT}".lstrip()
