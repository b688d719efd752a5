"""Which models serve a conversation, and whether any of them takes images."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.command_table import Call
from adapters.events import Person, conversation
from bot.config.environment import Environment
from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.models.chains import Models
from bot.models.connect import Connector
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import Model
from tests.kits.memory_kit import KEY, Clock, opened

BACKENDS = {
    "blind": {"base_url": "http://127.0.0.1:1/v1", "model": "m"},
    "sighted": {"base_url": "http://127.0.0.1:2/v1", "model": "m", "sees": True},
}


def made(name: str, backend: Backend, tries: int, waits: Sequence[float], facts: BackendFacts) -> Model:
    return OpenAIModel(name, backend.base_url, backend.model, None, 5.0, 64, tries, waits)


@asynccontextmanager
async def models(path: Path, **keys: Any) -> AsyncIterator[Models]:
    """Open the models of a configuration over the memory at this path."""
    async with opened(path, KEY) as memory:
        found = Models(Settings(models=BACKENDS, **keys), memory.settings, made, Clock())
        await found.open()
        yield found
        await found.close()


@pytest.mark.parametrize(
    ("chat", "sees"),
    [([], False), ("blind", False), ("sighted", True), (["blind", "sighted"], True), (["sighted", "offline"], True)],
)
async def test_images_are_worth_fetching_where_any_chat_model_sees(tmp_path: Path, chat: Any, sees: bool) -> None:
    async with models(tmp_path / "m.db", chat=chat) as found:
        assert found.sees is sees


async def test_a_model_for_summaries_alone_gets_no_images(tmp_path: Path) -> None:
    async with models(tmp_path / "m.db", chat="blind", summary="sighted") as found:
        assert not found.sees


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([], "No model server was found on this machine; /model URL connects any OpenAI-compatible one."),
        (["llama3.2", "qwen3"], "/model ollama: llama3.2, qwen3"),
    ],
)
async def test_whoever_asks_for_a_model_is_told_what_answers_on_this_machine(tmp_path: Path, there: list[str], told: str) -> None:
    here = Environment(tmp_path, tmp_path / "lyra.db", tmp_path / "lyra.toml", "ada", "http://127.0.0.1:11434/v1", {})

    async def probe(url: str) -> list[str]:
        return there if url == here.ollama else []

    async with models(tmp_path / "m.db") as found:
        call = Call(Person("console", "ada", "Ada"), conversation("console", "ada", "main"), {})
        said = await Connector(found, here, probe).command(call, "/")
    assert said == f"No model connected: I keep, find and summarize.\n{told}"


async def test_a_model_that_a_person_connects_is_taken_to_be_blind(tmp_path: Path) -> None:
    async with models(tmp_path / "m.db", chat="sighted") as found:
        assert found.where == "http://127.0.0.1:2/v1"
        await found.connect("http://127.0.0.1:3/v1", "llama3.2")
        assert (found.sees, found.where) == (False, "http://127.0.0.1:3/v1")
        await found.off()
        assert (found.sees, found.where) == (False, "")
    async with models(tmp_path / "m.db", chat="sighted") as found:
        assert found.chat is None and not found.sees


@pytest.mark.parametrize(
    ("keys", "goes_to"),
    [
        ({}, ""),
        ({"embed": "off"}, ""),
        ({"embed": "local"}, ""),
        ({"chat": "blind"}, "http://127.0.0.1:1/v1"),
        ({"embed": "blind"}, "http://127.0.0.1:1/v1"),
        ({"chat": "blind", "summary": "sighted", "embed": ["blind", "sighted"]}, "http://127.0.0.1:1/v1, http://127.0.0.1:2/v1"),
        ({"chat": ["blind", "offline"], "embed": ["sighted", "blind"]}, "http://127.0.0.1:1/v1, http://127.0.0.1:2/v1"),
    ],
)
async def test_whoever_answers_summarizes_or_embeds_is_named_where_words_go(
    tmp_path: Path, keys: dict[str, Any], goes_to: str
) -> None:
    async with models(tmp_path / "m.db", **keys) as found:
        assert found.goes_to == goes_to
        await found.off()
        assert ("127.0.0.1" in found.goes_to) is ("summary" in keys or keys.get("embed") not in (None, "off", "local"))
