"""Whatever is said, changed and forgotten in whatever order: what stands rests on what is there, and tells nothing else."""

import asyncio
import random
import tempfile
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.tiers.episodes import EpisodeRules
from tests.kits.ladder_kit import Teller, climbed, gists, unsound
from tests.kits.memory_kit import DAY, BagOfWords, Clock, Corner, corner, opened
from tests.kits.size import examples

WHO = ("Ada", "Kiki", "Bob", "Zoe")
WHAT = ("lives in", "likes", "builds", "lost")
WHICH = ("Graz", "Linz", "boats", "pears", "a shed", "the key")


async def texts(here: Corner) -> set[str]:
    """Return every word that is kept anywhere: statements, digests, messages, refused answers, and what waits to go out."""
    rows = await here.memory.db.all(
        "SELECT text FROM statements UNION ALL SELECT text FROM digests UNION ALL SELECT text FROM exchanges "
        "UNION ALL SELECT answer FROM refusals"
    )
    return {word for row in rows for word in row["text"].split()}


async def walk(folder: Path, seed: int) -> None:
    """Take sixty random steps."""
    chance = random.Random(seed)
    clock = Clock()
    async with opened(
        folder / "lyra.db", None, clock=clock, embedder=BagOfWords(), habits=ConsolidationRules(EpisodeRules(count=3))
    ) as memory:
        here = await corner(memory, clock)
        stands: dict[str, str] = {}
        spent = 0
        for step in range(60):
            match chance.choices(["say", "change", "forget", "fact", "gist", "climb", "wait"], [9, 3, 2, 1, 3, 3, 2])[0]:
                case "say":
                    spent += 1
                    said = await here.say(f"{chance.choice(WHO)} {chance.choice(WHAT)} {chance.choice(WHICH)} w{spent}")
                    stands[said.source_id] = said.text
                case "change" if stands:
                    spent += 1
                    id = chance.choice(list(stands))
                    stands[id] = f"{chance.choice(WHO)} {chance.choice(WHAT)} {chance.choice(WHICH)} w{spent}"
                    assert await memory.kept.revise("console", "dm", id, stands[id], step + 1)
                case "forget" if stands:
                    id = chance.choice(list(stands))
                    assert await memory.kept.withdraw("console", "dm", [id])
                    del stands[id]
                case "fact":
                    if facts := await here.view.digests.statements("profile"):
                        await here.view.facts.forget(chance.choice(facts).id)
                case "gist":
                    await gists(here, Teller(), asked=False)
                case "climb":
                    await climbed(here, Teller(), asked=chance.random() < 0.5)
                case "wait":
                    clock.forward(chance.choice((1, 9, 35)) * DAY)
            assert await unsound(here) == [], f"after step {step}"
            marks = {word for word in await texts(here) if word.startswith("w") and word[1:].isdigit()}
            assert marks <= {text.split()[-1] for text in stands.values()}, f"after step {step} something is told that is gone"
        await climbed(here, Teller())
        assert await climbed(here, Teller()) == 0


@pytest.mark.parametrize("seed", range(examples(3)))
def test_what_stands_rests_on_what_is_there(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), seed))
