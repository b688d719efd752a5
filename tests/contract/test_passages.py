"""A long text is matched in parts that can be read by themselves, keeps every word on the way, and is found as one.

So is what was kept by a version that knew no passages.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.core import Memory, Ports
from memory.index import vectors
from memory.index.reindexing import reindex
from memory.store.bounds import Bounds
from memory.store.cancellation import uncancelled
from memory.store.database import Transaction
from memory.store.schema import migrations
from memory.store.sqlite import connecting
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.migrating import migrate
from memory.text.passages import MOST_CHARACTERS, passages
from memory.types import MINUTE, DomainKind
from tests.kits.memory_kit import (
    START,
    BagOfWords,
    CancelledAt,
    Clock,
    Corner,
    Ids,
    above,
    among,
    aside,
    corner,
    cornered,
    gists_about,
    opened,
    said,
)
from tests.kits.size import examples

WORDS = st.text("abcdef", min_size=1, max_size=9)
limits = st.integers(20, 60)
texts = st.one_of(st.text(max_size=200), st.text("ab .!?…。！？\n\r\t\u00a0\u3000é猫ข้", max_size=200))
tried = settings(max_examples=examples(50))
RUN = "a" + " " * 90 + "b"


def bare(text: str) -> str:
    """Return a text without the space in it."""
    return "".join(text.split())


@tried
@given(texts, limits)
@example(RUN, 20)
def test_every_part_is_within_the_limit_and_nothing_but_space_is_lost(text: str, most: int) -> None:
    parts = passages(text, most)
    assert all(len(part) <= most for part in parts)
    assert bare("".join(parts)) == bare(text)


@tried
@given(texts, limits)
@example(RUN, 20)
def test_no_part_of_a_text_is_empty(text: str, most: int) -> None:
    assert [part for part in passages(text, most) if not part.strip()] == ([] if text.strip() else [text[:most]])


@tried
@given(texts, limits)
def test_a_text_that_fits_is_one_part_as_it_is(text: str, most: int) -> None:
    assert passages(text, max(most, len(text))) == [text]


@tried
@given(st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=20), st.sampled_from(".!?…\n"))
def test_a_text_is_cut_where_sentences_or_lines_end(sentences: list[str], mark: str) -> None:
    told = sentences if mark == "\n" else [f"{sentence}{mark}" for sentence in sentences]
    parts = [" ".join(part.split()) for part in passages(("\n" if mark == "\n" else " ").join(told), 60)]
    beginnings = [" ".join(told[:n]) for n in range(len(told) + 1)]
    assert all(" ".join(parts[:n]) in beginnings for n in range(len(parts))) and " ".join(parts) == beginnings[-1]
    assert all(len(one) + len(next) >= 60 for one, next in pairwise(parts)), "as few parts as there may be"


@tried
@given(st.lists(st.text("猫犬鳥私は好きです", min_size=1, max_size=15), min_size=5, max_size=30), st.sampled_from("。！？"))
def test_sentences_without_spaces_stay_whole(sentences: list[str], mark: str) -> None:
    parts = passages(mark.join([*sentences, ""]), 40)
    assert all(part.endswith(mark) for part in parts)
    assert bare("".join(parts)) == mark.join([*sentences, ""])


@tried
@given(st.integers(1, 300), limits)
def test_a_text_without_any_space_is_cut_only_where_it_must(length: int, most: int) -> None:
    text = "猫犬鳥魚"[: length % 4 + 1] * length
    parts = passages(text, most)
    assert "".join(parts) == text and len(parts) == -(-len(text) // most)


@pytest.mark.parametrize("space", [" ", "   ", "\t", "\u00a0", "\u3000", "\r"])
@tried
@given(st.lists(WORDS, min_size=1, max_size=60), limits)
def test_a_text_without_sentences_is_cut_between_words(space: str, words: list[str], most: int) -> None:
    assert [word for part in passages(space.join(words), most) for word in part.split()] == words


def long_text(*last: str) -> str:
    """Return a text of several passages that ends with a paragraph."""
    return "\n\n".join([*(f"On day {n} " + "we walked along the river, and it rained. " * 8 for n in range(6)), *last])


async def test_a_long_message_is_found_by_its_last_paragraph_and_as_one(tmp_path: Path) -> None:
    embedder = BagOfWords(dimension=512, meanings={"bird": "parrot", "named": "called", "stroll": "walked"})
    text = long_text("My parrot is called Xerxes.")
    assert len(passages(text)) > 3
    async with among(tmp_path, "Ada: I like tea", f"Ada: {text}", "Ada: my cat is called Tom", embedder=embedder) as here:
        assert [hit.exchange.text for hit in await here.view.recall.messages("Xerxes", 5)] == [text]
        assert [hit.exchange.text for hit in await here.view.recall.messages("walked", 5)] == [text], (
            "though every passage holds it"
        )
        assert await here.view.recall.messages("bird named", 5) == []
        assert await here.view.embed() == 3
        hits = await here.view.recall.messages("bird named", 5)
        assert hits[0].exchange.text == text and [hit.exchange.text for hit in hits].count(text) == 1
        near, whole, asked = hits[0].cosine or 0.0, *(await embedder.embed([text, "bird named"]))
        assert near > 4 * float(np.dot(whole, asked)), "in the whole of it a paragraph is lost"


async def test_a_message_that_was_shortened_has_no_passage_left(tmp_path: Path) -> None:
    async with among(tmp_path, embedder=BagOfWords(), kind=DomainKind.DM) as here:
        said = await aside(here, f"Ada: {long_text('My parrot is called Xerxes.')}", place="there")
        await here.view.embed()
        assert await here.count("vectors") == await here.count("terms") == len(passages(said.text)) > 3
        await here.memory.kept.revise("console", "there", said.source_id, "My parrot is green", here.clock.now() + 1)
        assert await here.found("Xerxes river") == []
        assert await here.view.embed() == 1
        assert await here.count("vectors") == await here.count("terms") == 1
        assert await here.found("parrot") == ["My parrot is green"]


@pytest.mark.parametrize(("version", "made"), [(vectors.INDEX_TEXT_VERSION - 1, 3), (vectors.INDEX_TEXT_VERSION, 0)])
async def test_vectors_of_other_passages_are_made_anew_and_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int, made: int
) -> None:
    clock = Clock()
    with monkeypatch.context() as before:
        before.setattr(vectors, "INDEX_TEXT_VERSION", version)
        for name in ("other", "bag"):
            async with cornered(tmp_path / "lyra.db", None, clock=clock, ids=Ids(name), embedder=BagOfWords(name)) as here:
                for text in ("the parrot is green", "a cat", "a" * (MOST_CHARACTERS + 1)) if name == "other" else ():
                    await here.say(text)
                assert await here.view.embed() == 3
    async with cornered(tmp_path / "lyra.db", None, clock=clock, ids=Ids("b"), embedder=BagOfWords()) as here:
        assert (await here.found("green parrot"))[0] == "the parrot is green"
        assert await here.view.embed() == made
        assert (await here.view.recall.messages("green parrot", 1))[0].why[1].startswith("meaning")
        count = "SELECT s.embedder AS name, count(*) AS n FROM vectors v JOIN spaces s ON s.id = v.space GROUP BY 1"
        assert {row["name"]: row["n"] for row in await here.memory.db.all(count)} == {"bag": 4, "other": 4}


TOLD = [f"parrot {n} likes seed{n % 7}" for n in range(520)] + [long_text("Er heißt Xerxes, und ich bin froh"), "Papageien"]
ABOVE = {"gist": "the parrot in a gist", "merge": "parrots merged", "summary": "parrots in sum", "era": "a month of parrots",
         "bank": "bullets on parrots", "profile": "fond of parrots"}  # fmt: skip
QUESTIONS = ("parrot 7", "Xerxes", "seed3 or seed4", "Papagei", "river", "Ada", "Tuesday")


async def kept_long_ago(path: Path) -> None:
    """Make a file as it was before there were passages: messages in a session, a command, and what was made of them."""
    writer = await connecting.connect(path, None, connecting.WRITER)
    try:
        await migrate(writer, migrations()[:8])
        await writer.executescript(
            "BEGIN; INSERT INTO domains (id, kind, platform, native_id, time_zone, created_at) VALUES (1, 'dm', 'console', 'ada', "
            "'UTC', 0); INSERT INTO sessions (id, public_id, domain, platform, place, name, started_at, last_at) VALUES "
            "(1, 's', 1, 'console', 'dm', 'dm', 0, 0); INSERT INTO counters (name, value) VALUES ('item', 999), ('change', 999)"
        )
        rows = [
            (n, *row)
            for n, row in enumerate([*(("said", text, 0) for text in TOLD), ("command", "parrot", 0), ("reply", "parrot", 1)])
        ]
        await writer.executemany(
            "INSERT INTO items (id, domain, kind, public_id) VALUES (?1 + 1, 1, ?2, 'i' || ?1)", [row[:2] for row in rows]
        )
        await writer.executemany(
            "INSERT INTO exchanges (item, domain, session, kind, role, speaker, text, source_id, echo, said_at, stored_at) "
            f"VALUES (?1 + 1, 1, 1, ?2, 'user', 'Ada', ?3, 'm' || ?1, ?4, {START} + ?1 * {MINUTE}, 0)", rows
        )  # fmt: skip
        for n, (tier, text) in enumerate(ABOVE.items(), 900):
            for item, ended in ((n, "NULL"), (n + 50, "7")):
                await writer.execute_fetchall(
                    f"INSERT INTO items (id, domain, kind, public_id) VALUES ({item}, 1, '{tier}', 'i{item}')"
                )
                if n < 903 and item == n:
                    await writer.execute_fetchall(
                        "INSERT INTO digests (item, domain, session, tier, level, position, text, writer, extractive, first_at, "
                        f"last_at, made_at) VALUES ({n}, 1, 1, '{tier}', 0, 0, '{text}', 'w', 0, {START}, {START}, 0)"
                    )
                elif n >= 903:
                    await writer.execute_fetchall(
                        "INSERT INTO statements (item, domain, tier, period, kind, text, writer, first_at, last_at, made_at, "
                        f"ended_at) VALUES ({item}, 1, '{tier}', '', '', '{text}', 'w', {START}, {START}, 0, {ended})"
                    )
        await writer.commit()
    finally:
        await uncancelled(writer.close())


async def told(here: Corner) -> list[object]:
    """Return what questions find."""
    return [
        [
            (hit.exchange.text, hit.score, hit.why, hit.before and hit.before.text)
            for hit in await here.view.recall.messages(question, 9)
        ]
        for question in QUESTIONS
    ]


async def everything_is_found(path: Path) -> bool:
    """Say whether a file finds what a new one does in which the same was said, and what was made of it, each once."""
    async with opened(path, None) as memory, opened(path.with_name("new"), None) as new:
        here, there = await corner(memory, Clock()), await corner(new, Clock())
        await there.view.say(there.session, [said(text, f"m{n}", START + n * MINUTE) for n, text in enumerate(TOLD)])
        assert await told(here) == await told(there)
        assert await here.count("unfound") == 0 and await here.count("terms") == await there.count("terms") + 5
        assert {hit.digest.tier for hit in await gists_about(here.view, "parrots", 9)} == {"gist", "merge", "summary"}
        return [one.text for one in await above(here.view, "parrots", 9)] == [ABOVE["era"]]


class Watched(SqliteDatabase):
    """A file of which a copy is made whenever something was written, as a power cut would leave it."""

    copies = 0
    together: asyncio.Barrier | None = None

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
        """Write in one transaction; the first one waits until another process is about to write too."""
        if self.together:
            with suppress(TimeoutError, asyncio.BrokenBarrierError):
                async with asyncio.timeout(1):
                    await self.together.wait()
        self.together = None
        async with super().transaction(bounds=bounds) as tx:
            yield tx
        self.copies += 1
        for end in ("", "-wal"):
            shutil.copy(f"{self.path}{end}", f"{self.path}{self.copies}{end}")


@pytest.mark.file
async def test_what_was_kept_before_there_were_passages_is_found_though_the_power_goes_meanwhile(tmp_path: Path) -> None:
    await kept_long_ago(tmp_path / "old")
    async with await Watched.open(tmp_path / "old", None) as db:
        await reindex(db)
        copies = [tmp_path / f"old{n + 1}" for n in range(db.copies)]
    assert len(copies) == 2
    for path in (tmp_path / "old", *copies):
        assert await everything_is_found(path)


@pytest.mark.file
async def test_two_processes_may_open_an_old_file_at_the_same_time(tmp_path: Path) -> None:
    await kept_long_ago(tmp_path / "old")
    async with await Watched.open(tmp_path / "old", None) as one, await Watched.open(tmp_path / "old", None) as other:
        one.together = other.together = asyncio.Barrier(2)
        await asyncio.gather(reindex(one), reindex(other))
    assert await everything_is_found(tmp_path / "old")


@pytest.mark.file
@pytest.mark.torture
async def test_opening_an_old_file_may_be_given_up_at_any_point(tmp_path: Path) -> None:
    await kept_long_ago(tmp_path / "original")
    left: list[int] = []
    for n in count(16):
        shutil.copy(tmp_path / "original", path := tmp_path / f"{n}")
        opening = CancelledAt(Memory.open(path, None, Ports(Clock(), Ids())), n)

        async def run(work: CancelledAt = opening) -> None:
            if isinstance(memory := await work, Memory):
                await memory.close()

        opening.task = asyncio.ensure_future(run())
        await asyncio.wait([opening.task])
        if opening.waits < n:
            break
        assert opening.task.cancelled()
        async with await SqliteDatabase.open(path, None) as db:
            left.append(len(await db.all("SELECT * FROM unfound")))
        if left[-2:-1] != left[-1:]:
            assert await everything_is_found(path)
    assert sorted(set(left)) == [0, 27, 527], "behind, between and before the parts of it"
