"""The tool calls of a model during one turn: reads through the turn's view, not stored.

The view was bound before anything went to the model, so no text in a prompt can widen it. Each call is a round; after the
last one no tools are offered. Results count as in view like everything else.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bot.context.prompt import Prompt, PromptDraft, finish
from bot.context.tools import TOOLS, Lookup, Opening, Receipts, Round, ToolResult, repeated, returned, wanted
from bot.context.turn_retrieval import RetrievalRequest
from bot.errors import BadInput
from bot.models.port import ChatMessage, Tool, ToolCall
from memory.index.hits import Hit
from memory.text.budget import tokens
from memory.text.off_loop import off_loop
from memory.view.recalled import Recalled

ROUNDS = 3
SHARE = 0.25
"""The share of a prompt's budget that lookup results may take."""
_LEAST = 100
_MESSAGES = 40
_AROUND = 6

Find = Callable[[], Awaitable[Sequence[Hit]]]


@dataclass(frozen=True, slots=True)
class Reads:
    """How a turn reads: `sure` filters results to those that may be used, `changed` is awaited whenever more is in view."""

    turn: RetrievalRequest
    sure: Callable[[Find], Awaitable[Sequence[Hit]]]
    changed: Callable[[], Awaitable[None]]


class ToolCalls:
    """The tools of one turn; `rounds` is the maximum number of calls, 0 if no tools are offered.

    `most` limits the tokens of their results, `tell` is called with every prompt. `hits` are the results so far, `seen` everything
    that was in view.
    """

    def __init__(
        self,
        reads: Reads,
        begun: PromptDraft,
        came: Recalled,
        rounds: int,
        most: int,
        now: int,
        tell: Callable[[Prompt], None] | None,
    ) -> None:
        self._turn, self._sure, self._changed = reads.turn, reads.sure, reads.changed
        self._begun = begun
        self._came = came
        self._most = min(most, begun.left)
        self._left = rounds if self._most >= _LEAST else 0
        self._now = now
        self._tell = tell
        self._rounds: list[Round] = []
        self._prompts: dict[tuple[int, bool], Prompt] = {}
        self._receipts = Receipts()
        self.hits: dict[int, Hit] = {}

    async def begin(self) -> Sequence[ChatMessage]:
        """Build the prompt for the first call, off the event loop if it contains long texts."""
        longest = max((len(hit.exchange.text) for hit in self._came.hits), default=0)
        return self._keep((0, False), await off_loop(longest, partial(finish, self._begun, self._came)))

    @property
    def offered(self) -> Sequence[Tool]:
        """The tools that may still be used."""
        return TOOLS if self._left > 0 else ()

    def prompt(self, *, plain: bool) -> Sequence[ChatMessage]:
        """Return the prompt with all results so far, within one budget; `plain` does not mention tools."""
        at = (len(self._rounds), plain and bool(self._rounds))
        if at in self._prompts:
            return self._prompts[at].messages
        return self._keep(at, finish(self._begun, self._came, self._rounds, plain=plain))

    @property
    def seen(self) -> Mapping[int, str]:
        """Everything that was in view in any prompt."""
        return {key: text for one in self._prompts.values() for key, text in one.seen.items()}

    @property
    def whole(self) -> Prompt:
        """The last prompt, with everything that was in view in any of them."""
        prompts = list(self._prompts.values())
        return replace(prompts[-1], seen=self.seen, citable=frozenset[int]().union(*(one.citable for one in prompts)))

    async def use(self, said: str, calls: Sequence[ToolCall]) -> None:
        """Run the calls, up to the number of rounds left; drop the rest."""
        made: list[ToolCall] = []
        got: list[ToolResult] = []
        for call in calls[: self._left]:
            got.append(await self._answer(call))
            made.append(repeated(call, self._left))
            self._most -= tokens(got[-1].text)
            self._left -= 1
        self._rounds.append(Round(said, made, got))
        # Results count as in view before the model sees them, because the answer rests on them.
        self.prompt(plain=not self.offered)
        await self._changed()

    def _keep(self, at: tuple[int, bool], prompt: Prompt) -> Sequence[ChatMessage]:
        self._prompts[at] = prompt
        if self._tell:
            self._tell(prompt)
        return prompt.messages

    async def _answer(self, call: ToolCall) -> ToolResult:
        asker = self._turn.asked[-1].speaker
        try:
            asked = wanted(call, asker, self._now, self._begun.time_zone)
            hits = await self._opened(asked) if isinstance(asked, Opening) else await self._found(asked, asker)
        except BadInput as error:
            return ToolResult(str(error))
        told = {one.key for one in self._turn.asked}
        found = {hit.exchange.key: hit for hit in hits if hit.exchange.key not in told}
        opened = hits[0].exchange.key if isinstance(asked, Opening) else None
        # Half of what is left, so that a later call has room.
        room = self._most // min(2, self._left)
        result = returned([hit.exchange for hit in found.values()], room, self._begun.time_zone, self._receipts, opened)
        self.hits |= {one.key: found[one.key] for one in result.shown}
        return result

    async def _found(self, asked: Lookup, asker: str) -> Sequence[Hit]:
        """Return the results, those not in view yet first."""
        lookup = partial(self._turn.view.recall.lookup, asked.query, _MESSAGES, asked.within, asked.speaker, asker)
        in_view = self.seen
        return sorted(await self._sure(lookup), key=lambda hit: hit.exchange.key in in_view)

    async def _opened(self, asked: Opening) -> Sequence[Hit]:
        """Return a message and those around it, nearest first. Raises BadInput if there is none."""
        id = self._receipts.id(asked.receipt)
        hits = await self._sure(partial(self._turn.view.recall.around, id, _AROUND)) if id else ()
        middle = next((at for at, hit in enumerate(hits) if hit.exchange.id == id), None)
        if middle is None:
            raise BadInput("There is no message with that receipt; recall it first.")
        return [hit for _, hit in sorted(enumerate(hits), key=lambda one: abs(one[0] - middle))]
