"""Nothing but what was asked for, by PrecisionMemBench (tenurehq, MIT): `LYRA_PRECISION=FOLDER python -m tests.bench precision`.

FOLDER has its `beliefs.seed.json`, `retrieval.cases.json` and, if they are to be asked, `session-retrieval.cases.json`. Every belief
is told as a message of a conversation of its own, in a memory for each scope, by its name, its other names and what it says. A case is
right if the hits that are not weak are what it wants, and nothing else; what is pinned is left out, and what a relation joins is added.
"""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from rich.table import Table

from memory.index.hits import Certainty
from memory.ports import Embedder
from tests.kits.memory_kit import Corner, among, aside

Fixture = Mapping[str, Any]
_MOST = 20


class Beliefs:
    """The beliefs, told in memories of their own for each scope."""

    def __init__(self, every: Sequence[Fixture], told: Mapping[tuple[str, str], Corner]) -> None:
        self.every = {one["_id"]: dict(one) for one in every}
        self._ids = {_text(one): one["_id"] for one in every}
        self._told = told

    async def found(self, case: Fixture, query: str) -> list[str]:
        """Return the ids of what is found for a question and is neither weak nor pinned, with what its relations join."""
        user, most = case.get("userId", "test-user"), case.get("budget", {}).get("maxBeliefs", _MOST)
        pinned = {id for id, one in self.every.items() if one["pinned"] and self._in_view(one, user, case)}
        facts = [id for id in pinned if self.every[id]["type"] != "open_question" and not _over(self.every[id])]
        here = [self._told[user, scope] for scope in case["scope"] if (user, scope) in self._told]
        hits = [await one.view.recall.messages(query, most) for one in here if query.strip() and most]
        sure = [hit.exchange.text for some in hits for hit in some if hit.certainty is not Certainty.WEAK]
        ids = [id for text in sure if (id := self._ids[text]) not in pinned or _over(self.every[id])]
        joined = [one for id in ids for one in self.every[id].get("participants", ()) if self._may_join(one, user, case)]
        return list(dict.fromkeys([*ids, *joined]))[: max(0, most - len(facts))]

    async def rename(self, id: str, names: Sequence[str]) -> None:
        """Tell a belief again, with these other names."""
        one = self.every[id]
        one["aliases"] = [*one["aliases"], *names]
        self._ids[_text(one)] = id
        here = self._told[one["user_id"], one["scope"][0]]
        await aside(here, f"Ada: {_text(one)}")
        await here.view.embed()

    def _in_view(self, one: Fixture, user: str, case: Fixture) -> bool:
        return one["user_id"] == user and not set(one["scope"]).isdisjoint(case["scope"])

    def _may_join(self, id: str, user: str, case: Fixture) -> bool:
        one = self.every[id]
        return one["type"] != "open_question" and self._in_view(one, user, case)


async def measure(folder: Path, embedder: Embedder | None) -> Table:
    """Return a table of the right answers, by kind of question, and print what is wrong."""
    beliefs, cases, sessions = (
        _read(folder / f"{name}.json") for name in ("beliefs.seed", "retrieval.cases", "session-retrieval.cases")
    )
    async with AsyncExitStack() as stack:
        here = await _told(stack, beliefs, embedder)
        single = [(case, await _right(here, case, case["query"])) for case in cases]
        turns = []
        for turn in (turn for session in sessions for turn in session["turns"]):
            turns.append(await _right(here, turn, turn["userMessage"]))
            if update := turn.get("updateBeliefAtTurn"):
                await here.rename(update["beliefId"], update.get("addAliases", ()))
    table = Table("questions", "right", "of", title="nothing but what was asked for")
    looking = [right for case, right in single if case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude")]
    for name, some in (("single", [right for _, right in single]), ("that look for something", looking), ("of a session", turns)):
        table.add_row(name, str(sum(some)), str(len(some)))
    return table


async def _told(stack: AsyncExitStack, beliefs: Sequence[Fixture], embedder: Embedder | None) -> Beliefs:
    told = {}
    for user, scope in dict.fromkeys((one["user_id"], scope) for one in beliefs for scope in one["scope"]):
        lines = [f"Ada: {_text(one)}" for one in beliefs if one["user_id"] == user and scope in one["scope"]]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        told[user, scope] = await stack.enter_async_context(among(folder, *lines, embedder=embedder))
        await told[user, scope].view.embed()
    return Beliefs(beliefs, told)


async def _right(here: Beliefs, case: Fixture, query: str) -> bool:
    wanted = case["expect"].get("relevantBeliefs", {})
    found = set(await here.found(case, query))
    only, never = wanted.get("shouldOnlyInclude"), set(wanted.get("mustExclude", ()))
    missing = set(only or wanted.get("mustInclude", ())) - found
    more = (found - set(only) if only is not None else set()) | found & never
    if missing or more:
        print(f"{query[:90]!r}: lacks {sorted(missing)}, has {sorted(more)}")
    return not missing and not more


def _read(path: Path) -> list[Fixture]:
    return json.loads(path.read_text("utf-8")) if path.exists() else []


def _over(one: Fixture) -> bool:
    return bool(one["superseded_by"] or one["resolved_at"])


def _text(one: Fixture) -> str:
    return " ".join([one["canonical_name"], *one["aliases"], one["content"]])


def fixtures() -> Path:
    """Return the folder of the set."""
    return Path(os.environ["LYRA_PRECISION"])
