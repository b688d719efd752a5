"""What was said is found by a question that spells it otherwise, and whoever said it by a name typed without its special letters."""

import json
from pathlib import Path

import pytest

from memory.index.hits import Certainty
from memory.ports import Embedder
from tests.flow.test_recall_asked import embedders
from tests.kits.memory_kit import among, heard, table

SET = Path(__file__).parents[1] / "sets" / "spelled" / "messages.jsonl"


@pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
async def test_what_is_asked_in_another_spelling_is_found_first_and_not_weak(tmp_path: Path, embedder: Embedder | None) -> None:
    cases = [json.loads(line) for line in SET.read_text("utf-8").splitlines()]
    async with among(tmp_path, *(f"Ada: {case['said']}" for case in cases), embedder=embedder) as here:
        await here.view.embed()
        missed = []
        for case in cases:
            hits = await here.view.recall.messages(case["question"], 10)
            if [case["said"]] != [hit.exchange.text for hit in hits[:1] if hit.certainty is not Certainty.WEAK]:
                missed.append((case["question"], *((hit.exchange.text, hit.certainty) for hit in hits[:1])))
        print(f"{len(cases) - len(missed)} of {len(cases)}", *missed, sep="\n")
        assert len(missed) <= 3


async def test_a_name_is_found_in_the_other_alphabet(tmp_path: Path) -> None:
    cases = [json.loads(line) for line in SET.with_name("scripts.jsonl").read_text("utf-8").splitlines()]
    async with among(tmp_path, *(f"Ada: {case['said']}" for case in cases)) as here:
        found = {case["question"]: await here.view.recall.messages(case["question"], 1) for case in cases}
    first = {asked: hits[0].exchange.text for asked, hits in found.items() if hits and hits[0].certainty is not Certainty.WEAK}
    missed = [case["question"] for case in cases if first.get(case["question"]) != case["said"]]
    print(missed)
    assert len(missed) <= 4


NAMED = """
what did Juergen say about the parrot? | Jürgen
what did Jurgen say about the parrot?  | Jürgen
what did Jürgen say about the parrot?  | Jürgen
what did Sören say about the parrot?   | Soeren
what did Lukasz say about the parrot?  | Łukasz
what did Rafael say about the parrot?  | Rafael
what did Rafał say about the parrot?   | Rafał
"""


@pytest.mark.parametrize(("question", "first"), table(NAMED))
async def test_whoever_spoke_is_known_by_a_name_without_its_special_letters(tmp_path: Path, question: str, first: str) -> None:
    lines = (
        f"{name}: the parrot is {how}"
        for name, how in zip("Bob Jürgen Soeren Łukasz Rafael Rafał".split(), "abcdef", strict=True)
    )
    async with among(tmp_path, *lines) as here:
        assert (await heard(here, question)).split()[0] == first
