"""How much of the evidence stands in the request that the model is given, the persona and the question with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from rich.table import Table

from bot.config.settings import Settings
from bot.context.prompt import Prompt, draft_prompt, finish_prompt
from bot.context.prompt_messages import PromptQuestion
from bot.context.turn_retrieval import recall_items, standing_layers
from memory.core import Memory
from memory.types import Exchange, Kind, SessionRef
from memory.view.view import View
from tests.bench.conversations import Question
from tests.kits.long_talk import Asked, size
from tests.kits.memory_kit import DAY

BUDGETS = (6_000, 2_000)


@dataclass
class Requests:
    """For each budget and kind of question the share of the evidence that stood in each request, and the tokens that it took."""

    shown: dict[int, dict[str, list[tuple[float, int]]]] = field(default_factory=dict)

    async def ask(self, memory: Memory, view: View, question: Question) -> None:
        """Ask a question in a conversation of its own, a day after everything was said, with each budget."""
        said = await memory.db.all("SELECT item, source_id FROM exchanges")
        evidence = {row["item"] for row in said if row["source_id"] in question.evidence}
        asked_at = await a_day_later(memory)
        for budget in BUDGETS:
            shown = await given(view, question.text, asked_at, budget)
            share = len(evidence & shown.seen.keys()) / len(evidence)
            self.shown.setdefault(budget, {}).setdefault(question.kind, []).append((share, size(shown)))

    def table(self, name: str) -> Table:
        """Return a table with a row for each kind of question."""
        shown = Table(f"{name}: % of the evidence in the request (and % of the questions with all of it)", *map(_titled, BUDGETS))
        kinds = sorted(next(iter(self.shown.values())))
        for kind in kinds:
            shown.add_row(kind, *(_cell(self.shown[budget][kind]) for budget in BUDGETS))
        together = [[one for some in self.shown[budget].values() for one in some] for budget in BUDGETS]
        shown.add_row("all", *map(_cell, together), style="bold")
        return shown


async def a_day_later(memory: Memory) -> int:
    """Return the instant a day after the last message."""
    row = await memory.db.one("SELECT max(said_at) AS at FROM exchanges")
    return (int(row["at"]) if row else 0) + DAY


async def given(view: View, text: str, at: int, budget: int) -> Prompt:
    """Return what the model is given for a question that is asked then, in a conversation of its own."""
    session = await view.sessions.get(SessionRef("console", "asking"), "asking")
    asked = [Exchange(0, "", view.home.key, session.key, Kind.SAID, "user", "ada", text, "", at, at)]
    turn, settings = Asked(view, session, asked), Settings(context_tokens=budget)
    persona = files("bot").joinpath("persona.md").read_text("utf-8").strip()
    begun = draft_prompt(persona, await standing_layers(turn, settings), PromptQuestion(asked), at, view.home.time_zone, budget)
    return finish_prompt(begun, await recall_items(turn, settings, begun.in_view, begun.since))


def _titled(budget: int) -> str:
    return f"{budget:,} tokens"


def _cell(shown: Sequence[tuple[float, int]]) -> str:
    shares, sizes = zip(*shown, strict=True)
    whole = sum(share == 1 for share in shares)
    return f"{100 * sum(shares) / len(shares):4.1f} ({100 * whole / len(shares):4.1f}), {sum(sizes) / len(sizes):,.0f} taken"
