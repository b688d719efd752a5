"""The tool calls of a model during one turn: reads through the turn's view, not stored.

The view was bound before anything went to the model, so no text in a prompt can widen it. Each call is a round; after the
last one no tools are offered. Results count as in view like everything else.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from bot.context.prompt import Prompt, PromptDraft, finish_prompt
from bot.context.tools import TOOLS, Lookup, Opening, Receipts, Round, ToolResult, repeated, returned, wanted
from bot.conversation.one_turn import Turn
from bot.errors import BadInput
from bot.models.port import ChatMessage, Tool, ToolCall, size
from memory.index.hits import Hit
from memory.text.budget import tokens
from memory.text.off_loop import off_loop
from memory.view.recalled import Recalled

ROUNDS = 3
SHARE = 0.25
"""The share of a prompt's budget that lookup results may take."""
_LEAST_TOKENS = 100
_MOST_MESSAGES = 40
_AROUND = 6

Find = Callable[[], Awaitable[Sequence[Hit]]]


class ToolCalls:
    """The tools of one turn; `rounds` is the maximum number of calls, 0 if no tools are offered.

    `usable` searches for messages and returns those that may be used; `on_more_in_view` is awaited whenever results came into view.
    `most_tokens` limits the tokens of results, `show_prompt` is called with every prompt. `hits` are the results so far, `seen`
    everything that was in view.
    """

    def __init__(
        self,
        turn: Turn,
        usable: Callable[[Find], Awaitable[Sequence[Hit]]],
        on_more_in_view: Callable[[], Awaitable[None]],
        draft: PromptDraft,
        recalled: Recalled,
        rounds: int,
        most_tokens: int,
        now: int,
        show_prompt: Callable[[Prompt], None] | None,
    ) -> None:
        self._turn = turn
        self._usable = usable
        self._on_more_in_view = on_more_in_view
        self._draft = draft
        self._recalled = recalled
        self._tokens_left = min(most_tokens, draft.tokens_left)
        self._calls_left = rounds if self._tokens_left >= _LEAST_TOKENS else 0
        self._now = now
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
            answered.append(repeated(call, self._calls_left))
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
            request = wanted(call, asker, self._now, self._draft.time_zone)
            hits = await self._opened(request) if isinstance(request, Opening) else await self._found(request, asker)
        except BadInput as error:
            return ToolResult(str(error))
        questions = {one.key for one in self._turn.questions}
        found = {hit.exchange.key: hit for hit in hits if hit.exchange.key not in questions}
        opened = hits[0].exchange.key if isinstance(request, Opening) else None
        # Half of what is left, so that a later call has room.
        room = self._tokens_left // min(2, self._calls_left)
        result = returned([hit.exchange for hit in found.values()], room, self._draft.time_zone, self._receipts, opened)
        self.hits |= {one.key: found[one.key] for one in result.shown}
        return result

    async def _found(self, lookup: Lookup, asker: str) -> Sequence[Hit]:
        """Return the results, those not in view yet first."""
        search = partial(self._turn.view.recall.lookup, lookup.query, _MOST_MESSAGES, lookup.within, lookup.speaker, asker)
        in_view = self.seen
        return sorted(await self._usable(search), key=lambda hit: hit.exchange.key in in_view)

    async def _opened(self, opening: Opening) -> Sequence[Hit]:
        """Return a message and those around it, nearest first. Raises BadInput if there is none."""
        id = self._receipts.id(opening.receipt)
        hits = await self._usable(partial(self._turn.view.recall.around, id, _AROUND)) if id else ()
        position = next((at for at, hit in enumerate(hits) if hit.exchange.id == id), None)
        if position is None:
            raise BadInput("There is no message with that receipt; recall it first.")
        return [hit for _, hit in sorted(enumerate(hits), key=lambda one: abs(one[0] - position))]
