"""How often all that is found is marked weak: for questions whose answer is there, and for those that nothing there answers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.table import Table

from memory.index.hits import Certainty
from memory.view.view import View
from tests.bench.conversations import Conversation, Question

_K = 10


@dataclass
class Marks:
    """How sure the surest hit was, counted for each kind of question."""

    counted: dict[str, Counter[Certainty]] = field(default_factory=dict)

    async def ask(self, view: View, own: Conversation, others: Sequence[Conversation]) -> None:
        """Ask what a conversation answers, what it would if the other one had said it, and what only other conversations answer.

        Of those, every question falls to one conversation; the names of who speaks are changed to those who speak here.
        """
        for question in own.questions:
            found = await view.recall.messages(question.text, _K)
            self._count("answered here", [hit.certainty for hit in found])
            if question.evidence & {hit.exchange.source_id for hit in found}:
                self._count("answered among the first ten", [hit.certainty for hit in found])
            if (swapped := _renamed(question, own, own)) != question.text:
                await self._found("asked about the other one", view, swapped)
        at = sorted([own.name, *(other.name for other in others)]).index(own.name)
        for other in others:
            for question in other.questions[at % len(others) :: len(others)]:
                await self._found("answered elsewhere only", view, _renamed(question, other, own))

    async def _found(self, kind: str, view: View, text: str) -> None:
        self._count(kind, [hit.certainty for hit in await view.recall.messages(text, _K)])

    def _count(self, kind: str, marks: Sequence[Certainty]) -> None:
        surest = min(marks, key=list(Certainty).index, default=Certainty.WEAK)
        self.counted.setdefault(kind, Counter())[surest] += 1

    def table(self, name: str) -> Table:
        """Return a table with a row for each kind of question: in % how sure its surest hit is."""
        shown = Table(f"{name}: % of the questions whose surest hit is …", *Certainty, "questions")
        for kind, counted in self.counted.items():
            shown.add_row(kind, *(f"{100 * counted[one] / counted.total():.1f}" for one in Certainty), str(counted.total()))
        return shown


def speakers(conversation: Conversation) -> list[str]:
    """Return who speaks in a conversation, in the order of their first words."""
    return list(dict.fromkeys(one.speaker for said in conversation.sessions.values() for one in said))


def _renamed(question: Question, theirs: Conversation, ours: Conversation) -> str:
    """Return a question with its names changed to those of a conversation; within the same one, each to the other's."""
    here = speakers(ours)
    names = dict(zip(speakers(theirs), here[::-1] if theirs is ours else here, strict=False))
    return re.sub(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b", lambda found: names[found[0]], question.text)
