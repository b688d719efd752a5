"""What is held in memory to be searched is true to the file: to other processes, to later vectors, to older versions."""

import asyncio
import random
import tempfile
from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core import Memory, Ports
from memory.errors import EmbeddingFailed
from memory.index.hits import Hit
from memory.index.recall.domain_indexes import DomainIndexes, Loaded
from memory.index.recall.finder import Recall
from memory.index.recall.query import Query
from memory.ports import Embedder, Vectors
from memory.store.sqlite.write_queue import FileSharing
from memory.types import MINUTE
from tests.kits.memory_kit import DAY, START, BagOfWords, Clock, Corner, Ids, among, aside, at_home, corner, line, said
from tests.kits.size import TORTURE, examples
from tests.unit.test_recall import receipts, words

MEANT = {"bird": "parrot", "named": "called"}
PARROT = ("Bob: the parrot is green", "Ana: the parrot is loud", "Cleo: the parrot is small")
MEANWHILE = ("bird called 7", "Ada", "sold", "bird " * 300)
QUESTIONS = ("what is the parrot called?", "Xerxes", "who is green or loud?", "Ada")


class Counting(BagOfWords):
    """An embedder that notes what it was given; it fails, or waits, from some batch on."""

    def __init__(self, name: str, *, good: int = 1000, waiting: bool = False) -> None:
        super().__init__(name, meanings=MEANT)
        self.given: list[str] = []
        self.reached = asyncio.Event()
        self._good = good
        self._waiting = waiting

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, which come alone; note, fail at, or wait with messages."""
        if len(texts) > 1:
            self._good -= 1
            if self._good < 0:
                self.reached.set()
                if not self._waiting:
                    raise EmbeddingFailed("The embedder cannot be reached.")
                await asyncio.Event().wait()
            self.given += texts
        await asyncio.sleep(0)
        return await super().embed(texts)


def shown(hits: Sequence[Hit]) -> list[tuple[object, ...]]:
    """Return what a person sees of hits, without ids."""
    return [(line(hit), hit.score, hit.why, *(near and near.text for near in (hit.before, hit.after))) for hit in hits]


async def answers(here: Corner) -> list[object]:
    """Return what all questions find."""
    return [shown(await here.view.recall.messages(question, 9)) for question in QUESTIONS]


@asynccontextmanager
async def ada(*paths: Path, embedder: Embedder | None = None) -> AsyncIterator[list[Corner]]:
    """Open the files at these paths, one after the other and all at once, with Ada's corner in each."""
    clock = Clock()
    async with AsyncExitStack() as stack:
        found = []
        for n, path in enumerate(paths):
            ports = Ports(clock, Ids(f"{n}"), embedder)
            memory = await stack.enter_async_context(
                await Memory.open(path, None, ports, sharing=FileSharing(path not in paths[:n]))
            )
            found.append(await corner(memory, clock))
        yield found


@pytest.mark.parametrize("embedder", [None, BagOfWords(meanings=MEANT)])
async def test_what_another_process_keeps_changes_and_forgets_is_so_at_the_next_question(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    async with ada(tmp_path / "a", tmp_path / "a", tmp_path / "b", embedder=embedder) as (here, there, alone):
        for n, text in enumerate(("the parrot is green", "Xerxes it is called", "a parrot is loud")):
            for where in (here, alone):
                await where.say(text, at=START + n * MINUTE)
                await where.view.embed()
            assert await answers(there) == await answers(alone)
        secret = await here.say("the loud parrot is called Polly", at=START)
        await here.view.embed()
        assert await answers(there) == await answers(here) != await answers(alone)
        await here.view.forget_message(secret.id)
        assert await answers(there) == await answers(here) == await answers(alone), "not even a score remembers it"
        assert await here.memory.kept.revise("console", "dm", "m2", "Hermes it is called", here.clock.now() + 9)
        await here.view.embed()
        assert await answers(there) == await answers(here) != await answers(alone)
        assert await here.memory.kept.revise("console", "dm", "m2", "Xerxes it is called", here.clock.now() + 10)
        await here.view.embed()
        assert await answers(there) == await answers(here) == await answers(alone)


async def test_the_domains_that_were_not_asked_for_longest_make_room_and_come_back_as_they_were(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        keys = []
        for n, name in enumerate("abc"):
            there = await corner(here.memory, here.clock, name)
            await there.view.say(there.session, [said(f"parrot {name}{m}", f"m{m}") for m in range(20 + n)])
            keys.append(there.domain.key)
        a, b, c = keys
        large = DomainIndexes(here.memory.db)
        small = DomainIndexes(here.memory.db, most=sum(one.nbytes for one in await large.load([a, c], ())))

        async def held(key: int) -> Loaded:
            return (await small.load([key], ()))[0]

        first, second = await held(a), await held(b)
        assert await held(a) is first is not await held(c)
        assert await held(a) is first, "it was asked for later than b"
        question = Query("a parrot", 50)
        for some in ([a], [b], [c], [a, b, c], [c, a], [a, b, c]):
            assert await Recall(small, None).find(question, some) == await Recall(large, None).find(question, some)
        assert len(await Recall(small, None).find(question, keys)) == 50
        assert await held(b) is not second


@pytest.mark.parametrize("many", [3, 600])
async def test_vectors_that_come_later_are_like_those_that_were_there(tmp_path: Path, many: int) -> None:
    questions = ("bird", "bird named 2", f"n{many - 1}")
    async with ada(tmp_path / "a", tmp_path / "a", embedder=BagOfWords(meanings=MEANT)) as (here, there):
        told = [said(f"parrot n{n} called {n % 7}", f"m{n}", START + n * MINUTE) for n in range(many)]
        await here.view.say(here.session, told)
        assert [len(await there.found(question)) for question in questions] == [0, 2 if many == 3 else 50, 2]
        assert await here.view.embed() == many
        later = [await there.view.recall.messages(question, 20) for question in questions]
        assert all(hits and hits[0].why[-1].startswith("meaning") for hits in later)
        there.memory.domain_indexes.forget()
        assert later == [await there.view.recall.messages(question, 20) for question in questions]


@pytest.mark.parametrize("waiting", [False, True])
async def test_another_embedder_begins_anew_words_serve_meanwhile_and_what_is_done_is_done(tmp_path: Path, waiting: bool) -> None:
    path = tmp_path / "lyra.db"
    texts = [f"parrot n{n}" for n in range(100)]
    async with ada(path, embedder=Counting("old")) as (here,):
        await here.view.say(here.session, [said(text, text, START + n * 7 * 60 * MINUTE) for n, text in enumerate(texts)])
        assert await here.view.embed() == 100
        assert len(await here.found("bird", 100)) == 100
    async with ada(path, embedder=(new := Counting("new", good=2, waiting=waiting))) as (here,):
        assert await here.found("bird", 100) == []
        embedding = asyncio.ensure_future(here.view.embed())
        while not new.reached.is_set():
            assert sorted(await here.found("parrot", 100)) == sorted(texts)
        embedding.cancel()
        with pytest.raises((EmbeddingFailed, asyncio.CancelledError)):
            await embedding
        assert new.given == texts[:64]
        assert sorted(await here.found("parrot", 100)) == sorted(texts)
        assert set(texts[:64]) <= set(await here.found("bird", 100)) < set(texts)
    async with ada(path, embedder=(new := Counting("new"))) as (here,):
        assert await here.view.embed() == 36 and new.given == texts[64:]
        assert len(await here.found("bird", 100)) == 100
    async with ada(path, embedder=(old := Counting("old"))) as (here,):
        assert await here.view.embed() == 0 and old.given == []
        assert len(await here.found("bird", 100)) == 100


async def test_messages_of_an_endless_session_stand_beside_their_neighbours(tmp_path: Path) -> None:
    dice = random.Random(5)
    async with ada(tmp_path / "lyra.db") as (here,):
        kept: list[tuple[int, int]] = []
        while len(kept) < (5000 if TORTURE else 900):
            many = dice.choice([1, 3, 30, 33, 500])
            times = [START + (len(kept) + n + dice.choice([0, 0, 0, -40, -900])) * MINUTE // 2 for n in range(many)]
            new = [said(f"n{len(kept) + n}", f"m{len(kept) + n}", at) for n, at in enumerate(times)]
            kept += [(one.said_at, one.key) for one in (await here.view.say(here.session, new)).stored]
            await here.view.recall.messages("n0", 1)
        order = sorted(kept)
        for n in dice.sample(range(len(kept)), 300 if TORTURE else 100):
            (hit,) = [hit for hit in await here.view.recall.messages(f"n{n}", 3) if hit.exchange.key == kept[n][1]]
            at = bisect_left(order, kept[n])
            before, after = [(one.said_at, one.key) if one else None for one in (hit.before, hit.after)]
            assert before == (order[at - 1] if at else None) and after == (order[at + 1] if at + 1 < len(order) else None)
        grown = [await here.view.recall.messages(f"n{n} n{n // 2}", 9) for n in range(0, len(kept), 100)]
        here.memory.domain_indexes.forget()
        assert grown == [await here.view.recall.messages(f"n{n} n{n // 2}", 9) for n in range(0, len(kept), 100)]


async def test_questions_and_changes_at_the_same_time_end_as_if_they_had_come_one_by_one(tmp_path: Path) -> None:
    async with ada(tmp_path / "a", tmp_path / "a", embedder=Counting("bag")) as (here, there):

        async def talk(where: Corner, name: str) -> None:
            for n in range(16):
                told = said(f"parrot {name} is called {n}", f"{name}{n}", START + dice.randrange(900) * MINUTE)
                (one,) = (await where.view.say(where.session, [told])).stored
                if n % 8 == 0:
                    await where.view.forget_message(one.id)
                elif n % 8 == 1:
                    await where.memory.kept.revise("console", "dm", one.source_id, f"parrot {name} sold {n}", where.clock.now())

        async def ask(where: Corner) -> None:
            while not all(one.done() for one in talking):
                assert all(text.startswith("parrot") for text in await where.found(dice.choice(MEANWHILE)))
                await asyncio.sleep(0.01)

        async def embed(where: Corner) -> None:
            while not all(one.done() for one in talking):
                await where.view.embed()
                await asyncio.sleep(0.01)

        dice = random.Random(7)
        talking = [asyncio.ensure_future(one) for one in (talk(here, "one"), talk(there, "two"))]
        await asyncio.gather(*talking, *(task(where) for task in (ask, ask, embed) for where in (here, there)))
        await here.view.embed()
        ended = [await answers(where) for where in (here, there)]
        there.memory.domain_indexes.forget()
        assert ended == [await answers(there)] * 2
        assert len(await there.found("parrot", 100)) == len(await there.found("bird", 100)) == 28


@pytest.mark.parametrize("embedder", [None, BagOfWords()])
async def test_domains_that_are_asked_together_are_ranked_as_if_they_were_one(tmp_path: Path, embedder: Embedder | None) -> None:
    lines = [f"Ada: parrot {n % 3 * 'green '}{n % 4 * 'seed '}{n}" for n in range(12)]
    found = []
    for split in (False, True):
        async with ada(tmp_path / f"{split}", embedder=embedder) as (here,):
            there, bob = [await corner(here.memory, here.clock, name) for name in ("ada elsewhere", "bob")]
            for n, text in enumerate(lines):
                await aside(here if n % 2 or not split else there, text, at=START + n * MINUTE)
                await aside(bob, "Bob: a green parrot, green seed")
            view = here.memory.view(here.domain, [there.domain])
            for corners in (here, there, bob):
                await corners.view.embed()
            asked = [await view.recall.messages(question, 20) for question in ("green seed", "which parrot 7", "seed 11")]
            found.append([sorted(shown(hits)) for hits in asked])
            alone = await here.view.recall.messages("green seed", 20)
    assert found[0] == found[1] and all(found[0])
    assert {hit.score for hit in alone} - {one[1] for one in found[0][0]}, "of some of it the statistics are others"


@pytest.mark.parametrize("before", [["I like tea"], []])
async def test_the_newest_is_so_now_wherever_it_was_said(tmp_path: Path, before: list[str]) -> None:
    async with ada(tmp_path / "lyra.db") as (here,):
        there = await corner(here.memory, here.clock, "elsewhere")
        for where, texts in ((here, ["I like cats", "I live in Vienna"]), (there, [*before, "I live in Graz"])):
            for text in texts:
                here.clock.forward(DAY)
                await aside(where, f"Ada: {text}")
        both = here.memory.view(here.domain, [there.domain])
        assert [hit.exchange.text for hit in await both.recall.messages("where do I live?", 1)] == ["I live in Graz"]


async def test_whose_words_are_asked_for_counts_where_nobody_else_speaks_too(tmp_path: Path) -> None:
    async with among(tmp_path, "Bob: the parrot is green", "Ana: the parrot is loud") as here:
        there = await corner(here.memory, here.clock, "elsewhere")
        await aside(there, "Ana: the parrot is old")
        hits = await here.memory.view(here.domain, [there.domain]).recall.messages("what did Ana say about the parrot?", 2)
        assert sorted(map(line, hits)) == ["Ana: the parrot is loud", "Ana: the parrot is old"]


@pytest.mark.parametrize(
    ("text", "word"),
    [("Wir haben gestern alle Schlüssel verloren", "Schlüsseln"), ("Мы купили новую машину, и она не едет", "машины"),
     ("昨日は公園で桜を見ました", "桜"), ("เมื่อวานเรากินข้าวผัดกุ้งที่ตลาด", "ข้าวผัด")],
)  # fmt: skip
async def test_a_language_is_known_from_its_first_message_on_among_english_talk(tmp_path: Path, text: str, word: str) -> None:
    async with ada(tmp_path / "a", tmp_path / "a") as (here, there):
        await aside(here, "Ada: the parrot is green")
        assert await there.found(word) == []
        await aside(here, f"Ada: {text}")
        await aside(here, "Ada: it rains")
        assert await there.found(word) == [text]


@settings(max_examples=examples(4))
@given(st.lists(words, min_size=1, max_size=6), st.lists(words, min_size=1, max_size=9), st.lists(words, min_size=1, max_size=3))
def test_what_others_say_moves_nothing_by_meaning_either(
    mine: list[list[str]], others: list[list[str]], asked: list[list[str]]
) -> None:
    async def run(folder: str, noise: list[list[str]]) -> list[str]:
        async with at_home(Path(folder), None, embedder=BagOfWords(dimension=32)) as here:
            found = []
            for n, text in enumerate(mine):
                at = here.clock.now()
                for name in ("bob", "cleo"):
                    there = await corner(here.memory, here.clock, name)
                    there.said = 10 * n
                    for other in noise[n :: len(mine)]:
                        await there.say(" ".join(other))
                    await there.view.embed()
                    await there.found(" ".join(text))
                here.clock.at = at
                await here.say(" ".join(text))
                found += [receipts(await here.view.recall.messages(" ".join(question), 10)) for question in asked]
                await here.view.embed()
                found += [receipts(await here.view.recall.messages(" ".join(question), 10)) for question in asked]
            return found

    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        assert asyncio.run(run(one, [])) == asyncio.run(run(other, others))
