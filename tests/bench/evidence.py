"""How much of the evidence recall finds, beside each signal alone, on conversations whose questions have known answers."""

import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.table import Table

from bot.app import RandomIds
from bot.models.local import minilm as weights
from bot.models.local.gemma import Gemma
from bot.models.local.minilm import MiniLM
from memory.core import Memory, Ports
from memory.index.last_asked import LastAsked
from memory.ports import Embedder
from memory.text.lexical import tokens
from memory.text.time.times import SystemClock
from memory.types import DomainKind, DomainRef, NewExchange, SessionRef
from memory.view.view import View
from tests.bench.certainty import Marks
from tests.bench.conversations import Conversation, Question, conversations
from tests.bench.requests import Requests
from tests.kits.languages import large_model

KS = (5, 10, 25, 50)
Find = Callable[[str], Awaitable[Sequence[str]]]
"""Returns the source ids of what a question finds, best first."""


@dataclass
class Score:
    """The shares of evidence among the first k, for each way of finding and kind of question, and in the model's requests."""

    found: dict[str, dict[str, list[list[float]]]] = field(default_factory=dict)
    requests: Requests = field(default_factory=Requests)
    marks: Marks = field(default_factory=Marks)

    def note(self, way: str, question: Question, hits: Sequence[str]) -> None:
        """Count what one question found."""
        shares = [len(question.evidence & set(hits[:k])) / len(question.evidence) for k in KS]
        self.found.setdefault(way, {}).setdefault(question.kind, []).append(shares)

    def mean(self, way: str, kind: str = "") -> list[float]:
        """Return the mean share in a hundred at each k, over one kind of question or all."""
        kinds = self.found[way]
        shares = kinds[kind] if kind else [one for some in kinds.values() for one in some]
        return [100 * sum(share[at] for share in shares) / len(shares) for at in range(len(KS))]


async def filled(folder: Path, conversation: Conversation, embedder: Embedder | None) -> tuple[Memory, View]:
    """Return a memory that holds a conversation, with vectors where there is an embedder."""
    clock = SystemClock()
    memory = await Memory.open(folder / "lyra.db", b"k" * 32, Ports(clock, RandomIds(), embedder))
    domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", "ada"), "UTC", clock.now())
    view = memory.view(domain)
    for name, said in conversation.sessions.items():
        await view.say(await view.sessions.get(SessionRef("console", name), name), said)
    await view.embed()
    return memory, view


def lyra(view: View) -> Find:
    """Find as she does."""

    async def find(question: str) -> Sequence[str]:
        return [hit.exchange.source_id for hit in await view.recall.messages(question, max(KS))]

    return find


def words_alone(said: Sequence[NewExchange]) -> Find:
    """Find by SQLite's full-text search: porter stems, OR, bm25."""
    plain = sqlite3.connect(":memory:")
    plain.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, text, tokenize='porter')")
    plain.executemany("INSERT INTO t VALUES (?, ?)", [(one.source_id, f"{one.speaker}: {one.text}") for one in said])

    async def find(question: str) -> Sequence[str]:
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(tokens(question)))
        rows = plain.execute("SELECT id FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?", (asked, max(KS)))
        return [row[0] for row in rows.fetchall()]

    return find


async def vectors_alone(said: Sequence[NewExchange], embedder: Embedder) -> Find:
    """Find by the cosine of each message's text to the question."""
    matrix, asked = await embedder.embed([one.text for one in said]), LastAsked(embedder).question

    async def find(question: str) -> Sequence[str]:
        near = matrix @ await asked(question)
        return [said[at].source_id for at in np.argsort(-near, kind="stable")[: max(KS)]]

    return find


async def score(conversation: Conversation, others: Sequence[Conversation], embedder: Embedder | None, into: Score) -> None:
    """Ask every question of a conversation in every way, and those of others in hers."""
    said = [one for some in conversation.sessions.values() for one in some]
    ways: dict[str, Find] = {"words alone (FTS5)": words_alone(said)}
    with tempfile.TemporaryDirectory() as name:
        opened = [await filled(_folder(name, "words"), conversation, None)]
        ways["Lyra without vectors"] = lyra(opened[0][1])
        if embedder:
            ways["vectors alone"] = await vectors_alone(said, embedder)
            opened.append(await filled(_folder(name, "both"), conversation, embedder))
            ways["Lyra"] = lyra(opened[1][1])
        for question in conversation.questions:
            for way, find in ways.items():
                into.note(way, question, await find(question.text))
            await into.requests.ask(*opened[-1], question)
        await into.marks.ask(opened[-1][1], conversation, others)
        for memory, _ in opened:
            await memory.close()


def _folder(name: str, part: str) -> Path:
    folder = Path(name) / part
    folder.mkdir()
    return folder


async def measure(embedder: Embedder | None) -> dict[str, Score]:
    """Return the scores on each set of conversations that is there."""
    scores = {}
    for name, some in conversations().items():
        scores[name] = Score()
        for conversation in some:
            await score(conversation, [one for one in some if one is not conversation], embedder, scores[name])
    return scores


def tables(name: str, total: Score) -> list[Table]:
    """Return scores as tables, a row for each kind of question."""
    shown = Table(f"{name}: % of the evidence among the first {', '.join(map(str, KS))}", *total.found)
    for kind in sorted(next(iter(total.found.values()))):
        shown.add_row(kind, *(_cell(total.mean(way, kind)) for way in total.found))
    shown.add_row("all", *(_cell(total.mean(way)) for way in total.found), style="bold")
    return [shown, total.requests.table(name), total.marks.table(name)]


def _cell(shares: Sequence[float]) -> str:
    return "  ".join(f"{share:4.1f}" for share in shares)


def local_model() -> Gemma | MiniLM | None:
    """Return the large model if LYRA_LARGE names a home that has it, else the small one, None where it is not installed."""
    folder = weights.folder()
    return large_model() or (MiniLM(folder) if folder else None)
