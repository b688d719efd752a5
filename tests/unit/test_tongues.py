"""Which embedder reads what: English the first, everything where anything else is said the other, and nobody waits for another."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from memory.core import Memory, Ports
from memory.errors import EmbeddingFailed
from memory.index import vectors
from memory.index.embedder_routing import spoken
from memory.index.recall import finder
from memory.index.recall.ranking import by_share
from memory.ports import Embedder, Vectors
from memory.store.database import Transaction
from memory.store.domains import log_change
from memory.types import Domain
from tests.kits.memory_kit import KEY, Clock, Corner, Ids, corner, said

DIMENSION = 512


class Reader:
    """An embedder that notes what it reads; `failing` makes it fail."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.read: list[str] = []
        self.failing = False

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if self.failing:
            raise EmbeddingFailed("not now")
        self.read += texts
        rows: Vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[crc32(text.encode()) % DIMENSION] = 1
        return rows


ENGLISH = ["the cat is called Turing", "we should go to the lake in the summer"]
GERMAN = "der Hund heißt Bruno und ist ein Dackel"


async def home(folder: Path, first: Embedder, others: Embedder | None) -> Corner:
    """Open a memory for two embedders, with Ada's corner in it."""
    clock = Clock()
    memory = await Memory.open(folder / "lyra.db", KEY, Ports(clock, Ids(), first, others))
    return await corner(memory, clock)


async def tell(here: Corner, *texts: str) -> None:
    """Keep texts and have them embedded."""
    for text in texts:
        here.clock.forward(1_000_000)
        await here.view.say(here.session, [said(text, text, here.clock.now())])
    await here.view.embed()


async def test_english_alone_is_read_by_the_first_alone(tmp_path: Path) -> None:
    first, others = Reader("first"), Reader("others")
    here = await home(tmp_path, first, others)
    await tell(here, *ENGLISH, "Oh, Turing!")
    await here.view.recall.messages("where is the cat?", 3)
    assert first.read == [*ENGLISH, "Oh, Turing!", "where is the cat?"]
    assert others.read == []
    await here.memory.close()


async def test_what_is_left_to_the_first_is_written_with_its_vectors(tmp_path: Path) -> None:
    here = await home(tmp_path, Reader("first"), Reader("others"))
    await tell(here, ENGLISH[0])
    await here.view.say(here.session, [said(ENGLISH[1], ENGLISH[1], here.clock.now())])
    before = here.memory.db.transactions
    await here.view.embed()
    assert here.memory.db.transactions == before + 1
    assert await here.memory.waiting_for_vectors() == 0
    await here.memory.close()


async def test_where_another_language_is_spoken_the_other_reads_everything(tmp_path: Path) -> None:
    first, others = Reader("first"), Reader("others")
    here = await home(tmp_path, first, others)
    await tell(here, *ENGLISH)
    await tell(here, GERMAN)
    assert sorted(others.read) == sorted([*ENGLISH, GERMAN])
    assert first.read == ENGLISH
    assert await here.memory.waiting_for_vectors() == 0
    await here.memory.close()


async def test_a_question_in_another_language_is_compared_where_that_is_known(tmp_path: Path) -> None:
    first, others = Reader("first"), Reader("others")
    here = await home(tmp_path, first, others)
    await tell(here, *ENGLISH, GERMAN)
    await here.view.recall.messages("das ist nicht mein Hund?", 3)
    assert "das ist nicht mein Hund?" in others.read and "das ist nicht mein Hund?" not in first.read
    await here.view.recall.messages("what is the name of the cat?", 3)
    assert "what is the name of the cat?" in first.read
    await here.memory.close()


async def test_what_an_older_home_has_of_another_language_is_read_anew(tmp_path: Path) -> None:
    first, others = Reader("first"), Reader("others")
    here = await home(tmp_path, first, None)
    await tell(here, *ENGLISH, GERMAN)
    assert first.read == [*ENGLISH, GERMAN]
    await here.memory.close()
    here = await home(tmp_path, first, others)
    assert await here.memory.waiting_for_vectors() == 3
    hits = await here.view.recall.messages("Bruno", 3)
    assert hits[0].exchange.text == GERMAN
    await here.view.embed()
    assert first.read[3:] == ["Bruno"] and GERMAN in others.read
    assert await here.memory.waiting_for_vectors() == 0
    await here.memory.close()


async def test_while_the_other_fails_english_is_found_and_nothing_is_lost(tmp_path: Path) -> None:
    first, others = Reader("first"), Reader("others")
    others.failing = True
    here = await home(tmp_path, first, others)
    with pytest.raises(EmbeddingFailed):
        await tell(here, *ENGLISH, GERMAN)
    assert await here.memory.waiting_for_vectors() >= 1
    assert [hit.exchange.text for hit in await here.view.recall.messages("Dackel", 1)] == [GERMAN]
    others.failing = False
    await here.view.embed()
    assert GERMAN in others.read
    assert await here.memory.waiting_for_vectors() == 0
    await here.memory.close()


async def test_a_part_of_a_domain_is_embedded_in_turn(tmp_path: Path) -> None:
    first = Reader("first")
    here = await home(tmp_path, first, None)
    for n in range(100):
        await here.view.say(here.session, [said(f"remark number {n}", str(n))])
    assert await here.view.embed(most=40) == 64
    assert await here.memory.waiting_for_vectors() == 36
    assert await here.view.embed() == 36
    await here.memory.close()


@pytest.mark.parametrize(
    ("text", "language"),
    [("the cat is on the table", "english"), ("das ist nicht mein Hund", "german"), ("Turing", None), ("OK!", None)],
)
def test_the_language_of_a_text_is_told_by_its_words(text: str, language: str | None) -> None:
    assert spoken(text) == language


@pytest.mark.parametrize("text", ["我的猫叫图灵", "猫の名前", "고양이", "แมว"])
def test_a_script_without_an_own_stemmer_is_another_language(text: str) -> None:
    assert spoken(text) not in (None, "english")


class Alike(Reader):
    """A reader to whom two texts mean the same."""

    def __init__(self, name: str, one: str, other: str) -> None:
        super().__init__(name)
        self._same = {other: one}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        return await super().embed([self._same.get(text, text) for text in texts])


NAME, ASKED = "Oh, Turing!", "which pet lives here?"


async def nearest(here: Corner) -> str:
    """Return what is found first of a question that holds no word of it."""
    return (await here.view.recall.messages(ASKED, 1))[0].exchange.text


@pytest.mark.parametrize("announced", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_who_read_before_what_is_left_to_the_other_finds_what_a_new_process_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, announced: bool
) -> None:
    here, beside = [await home(tmp_path, Alike("first", NAME, ASKED), Alike("others", ENGLISH[0], ASKED)) for _ in range(2)]
    await tell(await corner(here.memory, here.clock, "ben"), GERMAN)
    await tell(here, *ENGLISH, NAME)
    assert await nearest(here) == await nearest(beside) == NAME
    if not announced:
        monkeypatch.setattr(vectors, "announce", unannounced)
    await tell(here, GERMAN)
    fresh = await home(tmp_path, Alike("first", NAME, ASKED), Alike("others", ENGLISH[0], ASKED))
    found = [await nearest(one) for one in (here, beside, fresh)]
    assert found[2] != NAME and (found[:2] == [found[2]] * 2) is announced
    for one in (here, beside, fresh):
        await one.memory.close()


async def unannounced(tx: Transaction, domain: Domain, items: Sequence[int], op: str) -> None:
    """Tell of what is embedded alone."""
    if op != "drop":
        await log_change(tx, domain, items, op)


class Graded(Reader):
    """A reader to whom some texts are as near to all that is asked as it is told."""

    def __init__(self, name: str, near: Mapping[str, float]) -> None:
        super().__init__(name)
        self._near = near

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = await super().embed(texts)
        for row, text in zip(rows, texts, strict=True):
            near = 1 if text.endswith("?") else self._near.get(text, 0)
            row *= np.sqrt(1 - near**2)
            row[-1] += near
        return rows


RIGHT, WRONG = "Bruno hat einen kurzen Schwanz", "der Zug nach Bremen ist heute kaputt"


@pytest.mark.parametrize("sharply", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_where_another_language_is_known_a_common_word_does_not_outweigh_what_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sharply: bool
) -> None:
    if not sharply:
        monkeypatch.setattr(finder, "by_share", lambda words, most, *, sharply: by_share(words, most))
    near = {RIGHT: 0.6, WRONG: 0.575}
    here = await home(tmp_path, Reader("first"), Graded("others", near))
    await tell(here, *[f"das ist nicht die Nummer {n} von uns" for n in range(9)], RIGHT, *ENGLISH, GERMAN, *ENGLISH, WRONG)
    (first, *_) = await here.view.recall.messages("welches Tier, das nicht kaputt ist, wohnt hier bei mir?", 3)
    assert first.exchange.text == (RIGHT if sharply else WRONG)
    await here.memory.close()


async def test_what_is_spoken_elsewhere_moves_no_rank(tmp_path: Path) -> None:
    found = []
    for elsewhere in ("we are at home", GERMAN):
        folder = tmp_path / elsewhere[:2]
        folder.mkdir()
        here = await home(folder, Graded("first", {ENGLISH[0]: 0.5}), Graded("others", {ENGLISH[1]: 0.5}))
        await tell(await corner(here.memory, here.clock, "ben"), elsewhere)
        await tell(here, *ENGLISH, "Oh, Turing!")
        hits = await here.view.recall.messages("ist das nicht Turing, der mit dem Ball auf dem Sofa spielt?", 3)
        found.append([(hit.exchange.text, hit.score) for hit in hits])
        await here.memory.close()
    assert found[0] == found[1]
