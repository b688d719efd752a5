"""`make answers`: questions about public conversations, answered by any configured model and judged by one, end to end.

What it will cost is said and confirmed first. Each answer is a line of the state file as soon as it is judged, and is not asked for
again: a run that was cut off, or had no more than `--limit`, goes on where it was.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console as Rich
from rich.table import Table

from bot.app import secret_of
from bot.cli import output
from bot.config.environment import read_environment
from bot.config.settings import Settings, load
from bot.errors import LyraError, ModelGarbled
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import ChatMessage, complete, size
from bot.models.queued_models import ServedModel
from bot.models.request_queue import RequestQueue
from memory.text.budget import tokens
from memory.view.view import View
from tests.bench.conversations import Conversation, Question, conversations
from tests.bench.evidence import filled, local_model
from tests.bench.requests import a_day_later, given

_JUDGED = """Question: {question}
What is true: {truth}
The answer to judge: {answer}

Does the answer say what is true, in whatever words? More than was asked is no mistake, another name, number or date is one. Where \
what is true is that nothing is known or that something contradicts itself, the answer must say so. Reply with one word, yes or no."""
_JUDGE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer that was judged, and what it took."""

    set: str
    conversation: str
    kind: str
    question: str
    model: str
    judge: str
    answer: str
    right: bool
    tokens_in: int
    tokens_out: int

    @property
    def about(self) -> tuple[str, ...]:
        """What it is an answer to, and from whom."""
        return (self.set, self.conversation, self.question, self.model, self.judge)


@dataclass(frozen=True, slots=True)
class Seat:
    """A model of the configuration, ready to be asked."""

    name: str
    model: ServedModel
    price_in: float
    price_out: float

    @classmethod
    def of(cls, settings: Settings, name: str, most: int | None = None) -> "Seat":
        """Open a backend for answers of at most so many tokens. Raises BadSecret."""
        backend = settings.models[name]
        key = secret_of(read_environment(), backend, name)
        longest = min(most or backend.max_tokens, backend.max_tokens)
        alone = backend.model_copy(update={"max_tokens": longest, "sees": False, "tools": "off"})
        model = OpenAIModel(name, alone, key, BackendFacts(), tries=4, waits=(1.0, 2.0, 4.0))
        return cls(
            f"{name}: {backend.model}",
            ServedModel(name, lambda: model, RequestQueue(backend.places), background=False),
            backend.price_in,
            backend.price_out,
        )

    def costs(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


async def _said(seat: Seat, prompt: Sequence[ChatMessage]) -> str:
    """Return what a model says, '' where it has no answer: that is wrong, and no reason to ask the others never. Raises ModelError."""
    try:
        return (await complete(seat.model, prompt)).strip()
    except ModelGarbled:
        return ""


class Examination:
    """Asks what was not asked yet, and keeps what came in the state file."""

    def __init__(self, settings: Settings, chat: Seat, judge: Seat, state: Path) -> None:
        self._settings = settings
        self._chat = chat
        self._judge = judge
        self._state = state
        lines = state.read_text("utf-8").splitlines() if state.exists() else []
        self.verdicts = [one for one in (Verdict(**json.loads(line)) for line in lines) if (one.model, one.judge) == self._who]

    @property
    def _who(self) -> tuple[str, str]:
        return (self._chat.name, self._judge.name)

    def left(self, name: str, some: Sequence[Conversation]) -> list[tuple[Conversation, Question]]:
        """Return what was not asked yet, one question of each conversation after the other."""
        asked = {one.about for one in self.verdicts}
        waiting = [
            [one for one in conversation.questions if (name, conversation.name, one.text, *self._who) not in asked]
            for conversation in some
        ]
        return [
            (conversation, one[at])
            for at in range(max(map(len, waiting), default=0))
            for conversation, one in zip(some, waiting, strict=True)
            if at < len(one)
        ]

    def cost(self, number: int) -> str:
        """Say what so many questions take at most."""
        room, longest = self._settings.context_tokens, max(one.max_tokens for one in self._settings.models.values())
        judged = number * (longest + tokens(_JUDGED) + 200)
        price = self._chat.costs(number * room, number * longest) + self._judge.costs(judged, number * _JUDGE_TOKENS)
        costs = f", {price:,.2f} at the configured prices" if price else ", no price is configured"
        total = number * (room + longest + _JUDGE_TOKENS) + judged
        return f"{number} questions take {2 * number} calls and at most about {total:,} tokens{costs}."

    async def ask(self, name: str, waiting: Sequence[tuple[Conversation, Question]]) -> None:
        """Ask these, a conversation after the other. Raises ModelError: what was judged is kept."""
        for conversation in {one.name: one for one, _ in waiting}.values():
            with tempfile.TemporaryDirectory() as folder:
                memory, view = await filled(Path(folder), conversation, local_model())
                try:
                    at = await a_day_later(memory)
                    for question in (asked for one, asked in waiting if one is conversation):
                        self._keep(await self._one(name, conversation, question, view, at))
                finally:
                    await memory.close()

    async def _one(self, name: str, conversation: Conversation, question: Question, view: View, at: int) -> Verdict:
        room = await self._chat.model.room() or self._settings.context_tokens
        prompt = (await given(view, question.text, at, min(room, self._settings.context_tokens))).messages
        answer = await _said(self._chat, prompt)
        judging: list[ChatMessage] = [
            {"role": "user", "content": _JUDGED.format(question=question.text, truth=question.answer, answer=answer)}
        ]
        word = await _said(self._judge, judging) if answer else ""
        return Verdict(
            name, conversation.name, question.kind, question.text, *self._who, answer,
            word.strip().casefold().startswith("yes"), size(prompt) + size(judging), tokens(answer) + tokens(word),
        )  # fmt: skip

    def _keep(self, verdict: Verdict) -> None:
        with self._state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(verdict), ensure_ascii=False) + "\n")
        self.verdicts.append(verdict)
        print(f"{'right' if verdict.right else 'wrong'}: {verdict.question}", file=sys.stderr, flush=True)

    def table(self, name: str) -> Table:
        """Return a table of what was right, a row for each kind of question."""
        shown = Table(f"{name}, {self._chat.name}, judged by {self._judge.name}", "questions", "right", "%")
        some = [one for one in self.verdicts if one.set == name]
        asked, right = (Counter(one.kind for one in found) for found in (some, [one for one in some if one.right]))
        for kind in (*sorted(asked), "all"):
            n, good = (asked.total(), right.total()) if kind == "all" else (asked[kind], right[kind])
            shown.add_row(kind, str(n), str(good), f"{100 * good / n:.1f}" if n else "")
        return shown

    async def close(self) -> None:
        """Close the models."""
        await self._chat.model.close()
        await self._judge.model.close()


async def examine(set_: str, chat: str, judge: str, limit: int | None, state: Path, *, yes: bool) -> int:
    """Say the cost, ask if that is wanted, and print how much was right; return the exit code."""
    settings, sets = load(read_environment()), conversations()
    if set_ not in sets:
        raise LyraError(f"There is no {set_} beside this repository; LYRA_EVAL names the folder that has it.")
    for name in (chat, judge):
        if name not in settings.models:
            raise LyraError(f"There is no [models.{name}] in the configuration; LYRA_CONFIG names its file.")
    examination = Examination(settings, Seat.of(settings, chat), Seat.of(settings, judge, _JUDGE_TOKENS), state)
    try:
        waiting = examination.left(set_, sets[set_])[:limit]
        if waiting:
            print(examination.cost(len(waiting)), file=sys.stderr)
            if output.confirm("Ask them?", yes=yes):
                await examination.ask(set_, waiting)
    finally:
        await examination.close()
        Rich().print(examination.table(set_))
    return 0


def _options(settings: Settings) -> argparse.Namespace:
    names: Iterator[str] = iter([*settings.chat, *settings.models])
    first = next(names, "main")
    parser = argparse.ArgumentParser(prog="make answers", description="Have a model answer questions about public conversations.")
    parser.add_argument("--set", dest="set_", choices=["locomo", "beam"], default="locomo", help="which conversations")
    parser.add_argument("--chat", default=first, help="the model that answers, by its name in the configuration")
    parser.add_argument("--judge", default="", help="the model that judges; by default the one that answers")
    parser.add_argument("--limit", type=int, help="ask so many questions at most")
    parser.add_argument("--state", type=Path, default=Path("answers.jsonl"), help="where answers are kept")
    parser.add_argument("--yes", action="store_true", help="do not ask first")
    return parser.parse_args()


def main() -> int:
    """Run what the command line says."""
    try:
        options = _options(load(read_environment()))
        options.judge = options.judge or options.chat
        return asyncio.run(examine(**vars(options)))
    except LyraError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
