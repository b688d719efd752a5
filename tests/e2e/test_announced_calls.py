"""What `lyra summarize --all` announces is about what it calls, however little the model can read at once."""

import re
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, jsonl
from tests.kits.size import few

model = entered(lambda: ModelServer(b.sensible))
"""A model server that digests what it is given."""


@pytest.mark.first
@pytest.mark.parametrize("context", few([0, 2048, 4096], 2))
def test_about_as_many_calls_are_announced_as_are_made(tmp_path: Path, model: ModelServer, context: int) -> None:
    model.server.context, model.server.kind = context, "llama.cpp" if context else ""
    home = Home(tmp_path, model.config()).begun()
    rows = [
        {
            "session": f"trip {trip}",
            "content": f"On day {day} of trip {trip} the boat Wave went from Linz to Graz with Kiki and came back late, with wind",
            "created_at": f"2026-0{1 + trip}-{1 + day:02d}T10:00:00+00:00",
        }
        for trip in range(2)
        for day in range(27)
    ]
    home.lyra("import", "-", given=jsonl(*rows))
    done = home.lyra("summarize", "--all")
    assert done.code == 0
    announced = re.search(r"about (\d+) calls", done.err)
    assert announced
    assert int(announced[1]) == pytest.approx(len(model.chats), rel=0.2)
