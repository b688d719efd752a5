"""What embeds is what the configuration says; of a list it is the first."""

from typing import Any

import pytest

from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.models.embedders import EmbedderChoice, choose_embedder
from bot.models.minilm.quantized import installed

NAME = f"all-MiniLM-L6-v2{'-int8' if installed() else ''}:53aa51172d14"
BACKENDS = {name: {"base_url": f"http://{name}.example/v1", "model": f"{name}-small"} for name in ("one", "two")}


def found_by(embed: Any) -> EmbedderChoice:
    """Return what a configuration has things found by."""

    def key(name: str, backend: Backend) -> None:
        assert backend.model == f"{name}-small"

    return choose_embedder(Settings(models=BACKENDS, embed=embed), key)


@pytest.mark.parametrize(
    ("embed", "name", "sentence"),
    [
        (
            [],
            NAME,
            "Meaning: the local models all-MiniLM-L6-v2 and, for other languages, multilingual-e5-small.",
        ),
        (
            "local",
            NAME,
            "Meaning: the local models all-MiniLM-L6-v2 and, for other languages, multilingual-e5-small.",
        ),
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
