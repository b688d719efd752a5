"""What tests of the ladder share: a writer that answers from what it reads, and ways to bring a domain up to date."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.ports import Entry, Source, Task
from memory.tiers.episodes import EpisodeRules
from tests.kits.memory_kit import Corner, Writer, copied

PAIRS = ConsolidationRules(EpisodeRules(count=2))
"""Two messages make an episode, so that a gist is soon there."""


def about(text: str) -> str:
    """Return what a sentence is about: its first two words, such as "Ada lives"."""
    return " ".join(text.split()[:2])


@dataclass
class Teller(Writer):
    """Copies sentences, and answers like a good model: a fact takes the place of the one that is about the same."""

    async def write(self, task: Task) -> list[Entry]:
        """Answer with the next move, or from what is read."""
        self.tasks.append(task)
        if self.moves:
            return await self.moves.pop(0)(task)
        sources = [source for source in task.sources if not source.label.startswith("s")]
        match task.kind:
            case "profile":
                return list(_facts(sources)) or [Entry("Nothing new.", (sources[-1].label,))]
            case "narrative":
                return [Entry(f"Arc: {source.text}", (source.label,)) for source in sources[-8:]]
            case "self":
                return [Entry(f"I heard that {source.text}", (source.label,)) for source in sources[:5]]
            case "era":
                return [Entry(source.text, (source.label,)) for source in sources[:6]]
            case _:
                return copied(task)

    def asked(self, kind: str) -> list[Task]:
        """Return the tasks of a kind."""
        return [task for task in self.tasks if task.kind == kind]


def _facts(sources: Sequence[Source]) -> list[Entry]:
    known = {about(source.text): source for source in sources if source.label.startswith("f")}
    newest = {about(source.text): source for source in sources if source.label.startswith("g") and "said:" not in source.text}
    return [
        Entry(source.text, tuple(one.label for one in (source, known.get(key)) if one))
        for key, source in newest.items()
        if key not in known or known[key].text != source.text
    ]


async def gists(here: Corner, writer: Writer, *, asked: bool = True) -> int:
    """Give every episode its gist."""
    consolidator = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    for session in await here.view.sessions.all():
        await consolidator.close_episodes(session, asked=asked)
    return sum([await consolidator.digest(session) for session in await here.view.sessions.all()])


async def climbed(here: Corner, writer: Writer, *, asked: bool = True) -> int:
    """Write all gists, then bring the ladder up to date; return how many pieces of it were made."""
    await gists(here, writer)
    return await Deriving(here.memory).ladder(here.domain, writer).climb(asked=asked)


async def standing(here: Corner, tier: str) -> list[str]:
    """Return the texts that stand in a tier."""
    return [one.text for one in await here.view.digests.statements(tier)]


async def rests_on(here: Corner, tier: str) -> dict[str, list[str]]:
    """Return the texts that stand in a tier, each with the messages that it rests on."""
    stated = await here.view.digests.statements(tier)
    receipts = await here.view.digests.receipts(stated)
    return {one.text: [message.text for message in receipts[one.key]] for one in stated}


async def ladder(here: Corner) -> list[tuple[Any, ...]]:
    """Return everything above the gists, without keys and instants: what two ways to the same state have in common."""
    found: list[tuple[Any, ...]] = []
    for tier in ("profile", "era", "narrative", "self", "bank"):
        for text, rests in (await rests_on(here, tier)).items():
            found.append((tier, text, tuple(rests)))
    return sorted(found)


async def unsound(here: Corner) -> list[str]:
    """Return the statements of a memory that do not rest on living messages of people in their own domain."""
    rows = await here.memory.db.all(
        "SELECT s.item, s.tier, (SELECT count(*) FROM lineage l JOIN exchanges e ON e.item = l.parent WHERE l.child = s.item "
        "AND l.cited = 1 AND e.kind = 'said' AND e.domain = s.domain) AS said, (SELECT count(*) FROM lineage l "
        "LEFT JOIN items i ON i.id = l.parent WHERE l.child = s.item AND (i.dead_at IS NOT NULL OR i.domain <> s.domain)) AS bad "
        "FROM statements s"
    )
    return [f"{row['tier']} {row['item']}" for row in rows if not row["said"] or row["bad"]]
