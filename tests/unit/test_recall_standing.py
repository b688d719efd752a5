"""What was superseded never stands above what holds now."""

from pathlib import Path

import pytest

from memory.ports import Embedder
from tests.kits.standing import pairs, told
from tests.unit.test_recall_asked import embedders

LEAST = 0.95


@pytest.mark.parametrize("embedder", embedders(), ids=lambda one: one.name if one else "words")
async def test_what_holds_now_stands_above_what_held_before_unless_that_is_asked_for(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    good, every = 0, pairs()
    for language in ("en", "de"):
        async with told(tmp_path / language, embedder, language) as here:
            for pair in pairs(language):
                hits = [hit.exchange.text for hit in await here.view.recall.messages(pair.question, 10)]
                good += pair.good(hits)
                if not pair.good(hits):
                    print(pair.wanted, pair.question, *hits[:4], sep="\n  ")
    print(f"{good} of {len(every)}")
    assert len(every) == 40 and good >= LEAST * len(every)
