"""Thoughts where the model's context is small, over real HTTP."""

import json
import re
from pathlib import Path
from typing import Literal

import pytest

from bot.models.endpoints.llm import OpenAIModel
from bot.models.writer import ModelWriter
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.kits.dream_kit import forced
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import at_home


def thoughtful(request: fake.Request) -> str:
    """Think about the first two messages that stand there."""
    labels = re.findall(r"^\[(m\d+)\]", request.last_user, re.MULTILINE)[:2]
    return json.dumps({"text": "it sings in the kitchen", "cites": labels, "post": True, "feeling": 0.2})


@pytest.mark.parametrize("kind", ["llama.cpp", pytest.param("", marks=pytest.mark.torture)])
async def test_a_thought_is_had_of_what_fits_into_a_small_context(tmp_path: Path, kind: Literal["", "llama.cpp"]) -> None:
    async with OpenAIServer(thoughtful) as server, at_home(tmp_path, habits=PAIRS) as here:
        server.context, server.kind = 1300, kind
        for n in range(12):
            await here.say(f"the zebrafinch number {n} sings in the kitchen {'and sings ' * 60}")
        model = OpenAIModel("main", server.base_url, "fake-model", None, 5.0, 64, waits=[0.0])
        report = await forced(here, Teller(), ModelWriter(model))
        assert report.reflection == "waits to be said"
        assert len(server.requests) <= 3
        await model.close()
