"""Which models serve a conversation, in order of preference, whether any takes images, and finding those that run nearby."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.command_table import Call
from adapters.events import Person, conversation
from bot.config.environment import Environment
from bot.config.sections import Backend
from bot.config.settings import Settings
from bot.errors import ModelDenied, ModelDown, ModelError, ModelRefused
from bot.models.chains import Models
from bot.models.connect import Connector
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.llm import OpenAIModel
from bot.models.endpoints.probing import local_models
from bot.models.port import Chain, ChatMessage, Model, Toolbox, complete
from bot.service import log
from tests.contract.test_model import model_at
from tests.fakes.openai_server import OpenAIServer
from tests.kits.memory_kit import KEY, Clock, opened
from tests.kits.roomless import Roomless

BACKENDS = {
    "blind": {"base_url": "http://127.0.0.1:1/v1", "model": "m"},
    "sighted": {"base_url": "http://127.0.0.1:2/v1", "model": "m", "sees": True},
}


def made(name: str, backend: Backend, tries: int, waits: Sequence[float], facts: BackendFacts) -> Model:
    return OpenAIModel(name, backend, None, facts, tries=tries, waits=waits)


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


ASKED: list[ChatMessage] = [{"role": "user", "content": "Tea?"}]


class Scripted(Roomless):
    """A model that says its pieces, then fails if it has an error."""

    def __init__(self, name: str, pieces: Sequence[str] = (), error: ModelError | None = None) -> None:
        self.name = name
        self.closed = False
        self._pieces = pieces
        self._error = error

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        for piece in self._pieces:
            yield piece
        if self._error:
            raise self._error

    async def close(self) -> None:
        self.closed = True


async def test_a_chain_asks_the_next_where_one_fails_and_logs_whom_it_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("warning")
    denied = ModelDenied("The key is wrong.")
    chain = Chain([Scripted("cloud", error=denied), Scripted("local", ["Hello", "."]), Scripted("last", ["No."])])
    assert chain.name == "cloud → local → last"
    assert await complete(chain, ASKED) == "Hello."
    (logged,) = capsys.readouterr().err.splitlines()
    assert all(told in logged for told in ("model.passed_over", "model=cloud", "error=ModelDenied"))


async def test_a_chain_does_not_change_horses_in_an_answer() -> None:
    with pytest.raises(ModelDown):
        await complete(Chain([Scripted("cloud", ["Hel"], ModelDown("Cut.")), Scripted("local", ["Hello."])]), ASKED)


async def test_a_chain_that_fails_fails_with_the_last_error() -> None:
    same = Scripted("a", error=ModelDown("first"))
    with pytest.raises(ModelRefused):
        await complete(Chain([same, same, Scripted("b", error=ModelRefused("last"))]), ASKED)


async def test_a_chain_over_http_and_its_end() -> None:
    async with OpenAIServer() as server:
        absent = model_at("http://127.0.0.1:1/v1", name="absent", tries=1)
        model = model_at(server.base_url)
        last = Scripted("last")
        chain = Chain([absent, model, last])
        assert await complete(chain, ASKED) == "Echo: Tea?"
        await chain.close()
        assert last.closed


async def test_what_runs_nearby_is_found() -> None:
    async with OpenAIServer(models=("qwen3", "llama3.2")) as server:
        assert await local_models(server.base_url) == ["llama3.2", "qwen3"]
    assert await local_models(server.base_url) == []


@pytest.mark.parametrize("data", [b"<html>", b'{"data": 3}', b"[]", b'{"data": [{"name": 1}, 2, {"id": 3}]}'])
async def test_what_runs_nearby_and_is_no_model_server_is_not_found(data: bytes) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=data, content_type="application/json")

    app = web.Application()
    app.router.add_get("/v1/models", answer)
    async with TestServer(app) as server:
        assert await local_models(f"http://127.0.0.1:{server.port}/v1") == []
