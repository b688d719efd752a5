"""Which embedder serves: what is configured, the English one until something is said in another language, and progress of both as of one work."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.models.embedders import EmbedderChoice, choose_embedder
from bot.models.local.onnx_graph import installed
from memory.index.embedder_routing import EmbedderRouting
from memory.index.hits import Certainty
from memory.ports import Vectors
from tests.kits.memory_kit import BagOfWords, at_home

NAME = f"all-MiniLM-L6-v2{'-int8' if installed() else ''}:53aa51172d14"
BACKENDS = {name: {"base_url": f"http://{name}.example/v1", "model": f"{name}-small"} for name in ("one", "two")}


def found_by(embed: Any) -> EmbedderChoice:
    """Return what a configuration has things found by."""

    def key(name: str, backend: Backend) -> None:
        assert backend.model == f"{name}-small"

    return choose_embedder(Settings(models=BACKENDS, embed=embed), Path("home"), key)


@pytest.mark.parametrize(
    ("embed", "name", "sentence"),
    [
        ([], NAME, "Meaning: the local models all-MiniLM-L6-v2 and, for other languages, multilingual-e5-small."),
        ("local", NAME, "Meaning: the local models all-MiniLM-L6-v2 and, for other languages, multilingual-e5-small."),
        ("two", "two:two-small", "Meaning: two-small at http://two.example/v1."),
        (["two", "one"], "two:two-small", "Meaning: two-small at http://two.example/v1."),
    ],
)
async def test_what_is_configured_serves(embed: Any, name: str, sentence: str) -> None:
    found = found_by(embed)
    assert found.embedder and found.embedder.name == name and not found.missing
    assert found.describe() == sentence
    await found.close()


def test_words_alone_serve_where_that_is_said() -> None:
    found = found_by("off")
    assert found.embedder is None and not found.missing
    assert found.describe() == "Meaning: embed is off. Words alone find things."


ENGLISH = ("the parrot is green and it sits on my shoulder", "we painted the kitchen on Tuesday")


class Counting(BagOfWords):
    """An embedder that keeps what it was given."""

    def __init__(self) -> None:
        super().__init__("second")
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.given += texts
        return await super().embed(texts)


class Multilingual(Counting):
    """An embedder for all languages, which finds the parrot whatever is asked."""

    async def ask(self, question: str) -> Vectors:
        self.given.append(f"? {question}")
        vector: Vectors = (await BagOfWords.embed(self, ["parrot"]))[0]
        return vector


class Near(BagOfWords):
    """An embedder for all languages, to whose every question a message is as near as said here."""

    def __init__(self, usual: float, near: dict[str, float]) -> None:
        super().__init__("near", 16)
        self._usual, self._near = usual, near

    async def embed(self, texts: Sequence[str]) -> Vectors:
        near = np.array([self._near.get(text, self._usual) for text in texts], np.float32)
        rows = np.zeros((len(texts), self.dimension), np.float32)
        rows[:, 0], rows[:, 1] = near, np.sqrt(1 - near**2)
        return rows

    async def ask(self, question: str) -> Vectors:
        vector: Vectors = np.eye(self.dimension, dtype=np.float32)[0]
        return vector


async def embedded_by_others(folder: Path, text: str) -> set[str]:
    """Return what the multilingual embedder is given once `text` was said in a domain in English."""
    others = Counting()
    async with at_home(folder) as here:
        routing = EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), others)
        for one in (*ENGLISH, text):
            await here.say(one)
            await routing.catch_up(here.domain)
        assert await routing.waiting() == 0
    return set(others.given)


@pytest.mark.parametrize(
    "text",
    [
        "Das Boot, Der Untergang, Die Welle",
        "Met Søren Kierkegaard fans at Århus Ø",
        "Le Monde, La Repubblica, El País",
        "La La Land, El Dorado, Los Angeles",
    ],
)
async def test_a_line_of_foreign_names_has_nothing_embedded_anew(tmp_path: Path, text: str) -> None:
    assert await embedded_by_others(tmp_path, text) == set()


@pytest.mark.parametrize(
    "text", ["Ich habe morgen einen Termin bei Frau Doktor Vogt", "ICH HABE MORGEN EINEN TERMIN", "Где моя книга?"]
)
async def test_a_sentence_in_another_language_has_everything_embedded_anew(tmp_path: Path, text: str) -> None:
    assert await embedded_by_others(tmp_path, text) == {*ENGLISH, text}


@pytest.mark.parametrize(
    ("question", "opened"), [("Wo sitzt der Papagei?", True), ("Where does the parrot sit?", False), ("Das Boot?", False)]
)
async def test_a_question_in_another_language_has_what_was_told_in_english_embedded_for_it(
    tmp_path: Path, question: str, opened: bool
) -> None:
    others = Counting()
    async with at_home(tmp_path) as here:
        routing = EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), others)
        told = {f"{text} {n}" for n in range(40) for text in ENGLISH}
        for text in sorted(told):
            await here.say(text)
        await routing.catch_up(here.domain)
        assert others.given == []
        assert await routing.open_to(here.domain, question) is opened
        assert bool(others.given) is opened, "the first are there at once"
        assert await routing.open_to(here.domain, question) is False, "that is begun once"
        await here.say("the kitchen is blue now")
        await routing.catch_up(here.domain)
        assert set(others.given) == (told | {"the kitchen is blue now"} if opened else set())
        assert await routing.waiting() == 0


async def test_where_all_in_other_languages_was_forgotten_a_question_in_one_opens_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        routing = EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), Counting())
        await here.say("Der Papagei sitzt auf meiner Schulter")
        await routing.catch_up(here.domain)
        assert await routing.open_to(here.domain, "Wo sitzt der Papagei?") is False, "that is embedded already"
        await here.view.forget_all()
        await here.say(ENGLISH[0])
        await routing.catch_up(here.domain)
        assert await routing.open_to(here.domain, "Wo sitzt der Papagei?") is True


SAID = ("the parrot is green and it sits on my shoulder", "Meine Katze schläft auf dem Sofa und will nicht fressen")


async def test_what_waits_for_the_second_embedder_is_not_told_to_be_done_and_nothing_is_told_to_be_undone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(40):
            for text in SAID:
                await here.say(f"{text} {n}")
        routing = EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), BagOfWords("second"))
        told: list[tuple[int, int]] = []
        await routing.catch_up(here.domain, lambda done, total: told.append((done, total)))
        assert await routing.waiting() == 0
        assert all(before[0] < after[0] for before, after in pairwise(told)), told
        assert [done for done, total in told].index(80) == len(told) - 1, "it is done once, at the end"
        assert {total for _, total in told} == {80}


async def test_one_embedder_tells_of_its_own_work(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(40):
            await here.say(f"{SAID[0]} {n}")
        told: list[tuple[int, int]] = []
        await EmbedderRouting(here.memory.db, here.clock, BagOfWords("first"), None).catch_up(
            here.domain, lambda done, total: told.append((done, total))
        )
        assert told == [(32, 40), (40, 40)]


async def test_an_embedder_for_all_languages_embeds_everything_and_reads_questions_as_such(tmp_path: Path) -> None:
    every = Multilingual()
    async with at_home(tmp_path) as here:
        routing = EmbedderRouting(here.memory.db, here.clock, every, None)
        german = "Der Papagei sitzt auf meiner Schulter"
        for text in (*ENGLISH, german):
            await here.say(text)
        await routing.catch_up(here.domain)
        assert set(every.given) == {*ENGLISH, german} and await routing.waiting() == 0
        assert await routing.open_to(here.domain, "Wo sitzt er?") is False, "there is nothing to open"
        asked = [await routing.query(question, set()) for question in ("Where does the parrot sit?", "Wo sitzt der Papagei?")]
        assert every.given[-2:] == ["? Where does the parrot sit?", "? Wo sitzt der Papagei?"]
        assert [len(one.by_space) for one in asked] == [1, 1]
        assert [(bool(one.surer), one.across) for one in asked] == [(True, False), (True, True)]


@pytest.mark.parametrize(
    ("usual", "near", "weak"), [(0.05, 0.40, False), (0.05, 0.25, True), (0.35, 0.60, False), (0.35, 0.42, True)]
)
async def test_with_an_embedder_for_all_languages_an_answer_in_other_words_is_not_weak_also_in_talk_about_one_subject(
    tmp_path: Path, usual: float, near: float, weak: bool
) -> None:
    said = "Our landlady raised it again."
    async with at_home(tmp_path, embedder=Near(usual, {said: near})) as here:
        for text in (said, *(f"The parrot says {word}." for word in "one two three four five six seven eight nine ten".split())):
            await here.say(text)
        await here.view.embed()
        for question in ("How much do I pay for the flat?", "Was kostet die Wohnung?"):
            found = {hit.exchange.text: hit.certainty for hit in await here.view.recall.messages(question, 20)}
            assert (found[said] is Certainty.WEAK) is weak, question
