"""Whatever people say, are answered, change and forget, in any order: what is derived rests on living sources of its own domain, and tells nothing else."""

import asyncio
import random
import tempfile
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.journal.journal import Part
from memory.tiers.episodes import EpisodeRules
from memory.types import Exchange
from tests.kits.ladder_kit import Teller, climbed, gists, unsound
from tests.kits.memory_kit import DAY, BagOfWords, Clock, Corner, Writer, corner, gists_about, opened
from tests.kits.size import examples

WORDS = "tomato garden parrot river Xerxes guitar seven 1999 violin winter".split()


async def broken(here: Corner) -> list[str]:
    """Return what rests on something that is gone, stands elsewhere, or is not there at all."""
    checks = {
        "a dead item has text": "SELECT i.id FROM items i JOIN exchanges e ON e.item = i.id WHERE i.dead_at IS NOT NULL "
        "UNION ALL SELECT i.id FROM items i JOIN digests d ON d.item = i.id WHERE i.dead_at IS NOT NULL "
        "UNION ALL SELECT i.id FROM items i JOIN terms t ON t.item = i.id WHERE i.dead_at IS NOT NULL "
        "UNION ALL SELECT i.id FROM items i JOIN vectors v ON v.item = i.id WHERE i.dead_at IS NOT NULL",
        "resting on the dead": "SELECT l.child FROM lineage l JOIN items c ON c.id = l.child JOIN items p ON p.id = l.parent "
        "WHERE p.dead_at IS NOT NULL AND (p.kind = 'exchange' OR c.dead_at IS NULL) "
        "OR c.dead_at IS NOT NULL AND c.kind = 'exchange'",
        "a digest from another domain": "SELECT d.item FROM digests d JOIN lineage l ON l.child = d.item "
        "JOIN items p ON p.id = l.parent WHERE p.domain <> d.domain",
        "a digest that rests on nothing": "SELECT d.item FROM digests d "
        "WHERE NOT EXISTS (SELECT 1 FROM lineage l WHERE l.child = d.item AND l.cited = 1)",
        "a digest of a message outside its session": "SELECT d.item FROM digests d JOIN lineage l ON l.child = d.item "
        "JOIN exchanges e ON e.item = l.parent WHERE e.session <> d.session",
        "a living item without content": "SELECT i.id FROM items i WHERE i.dead_at IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.item = i.id) "
        "AND NOT EXISTS (SELECT 1 FROM digests d WHERE d.item = i.id)",
        "an episode of nothing": "SELECT p.id FROM episodes p WHERE NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.episode = p.id)",
        "a queued answer without its reply": "SELECT o.id FROM outbox o JOIN items i ON i.id = o.item "
        "WHERE i.dead_at IS NOT NULL AND (o.text <> '' OR o.state = 'pending')",
        "a digest covering a gone one": "SELECT d.item FROM digests d WHERE d.merged = 1 AND NOT EXISTS "
        "(SELECT 1 FROM lineage l JOIN digests up ON up.item = l.child WHERE l.parent = d.item AND up.tier = 'merge')",
    }
    return [name for name, sql in checks.items() if await here.memory.db.all(sql)]


async def walk(folder: Path, seed: int, steps: int) -> None:
    """Do random things in two domains and check after each."""
    chance = random.Random(seed)
    clock = Clock()
    habits = ConsolidationRules(EpisodeRules(count=3, idle_minutes=60, least=2))
    async with opened(folder / "lyra.db", None, clock=clock, embedder=BagOfWords(), habits=habits) as memory:
        corners = [await corner(memory, clock, name) for name in ("ada", "bob")]
        living: dict[int, list[Exchange]] = {0: [], 1: []}
        for step in range(steps):
            at = chance.randrange(2)
            here, known = corners[at], living[at]
            match chance.choices(["say", "reply", "digest", "summary", "forget", "embed", "wait"], [8, 3, 3, 1, 3, 1, 1])[0]:
                case "say":
                    known.append(await here.say(" ".join(chance.choices(WORDS, k=5))))
                case "reply" if known:
                    sources = [e.key for e in chance.sample(known, min(2, len(known)))]
                    sources += [hit.digest.key for hit in await gists_about(here.view, chance.choice(WORDS), 1)]
                    known.append(await here.reply("as you said", sources, parts=[Part(f"{seed}-{step}", "as you said")]))
                case "digest" | "summary" as what:
                    work = Deriving(memory).consolidator(here.domain, Writer(), Writer())
                    await work.close_episodes(here.session, asked=chance.random() < 0.3)
                    await work.digest(here.session)
                    if what == "summary":
                        await work.summary(here.session)
                case "forget" if known:
                    gone = known.pop(chance.randrange(len(known)))
                    await here.view.forget_message(gone.id)
                    kept = {message.key async for _, message in here.view.messages.all()}
                    known[:] = [e for e in known if e.key in kept]
                case "embed":
                    await here.view.embed()
                case "wait":
                    clock.forward(chance.choice([DAY // 8, 20 * DAY]))
            assert await broken(here) == [], f"after step {step}"
        for here in corners:
            texts = {message.text async for _, message in here.view.messages.all()}
            assert {hit.exchange.text for word in WORDS for hit in await here.view.recall.messages(word, 500)} <= texts


@pytest.mark.parametrize("seed", range(examples(2)))
def test_all_that_is_derived_rests_on_living_sources_of_its_own_domain(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(walk(Path(folder), seed, 60))


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


async def wander(folder: Path, seed: int) -> None:
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
        asyncio.run(wander(Path(folder), seed))
