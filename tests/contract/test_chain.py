"""Models in order of preference, and finding those that run nearby."""

from collections.abc import AsyncIterator, Sequence

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.errors import ModelDenied, ModelDown, ModelError, ModelRefused
from bot.models.endpoints.llm import OpenAIModel
from bot.models.endpoints.probing import local_models
from bot.models.port import Chain, ChatMessage, Toolbox, complete
from tests.fakes.openai_server import OpenAIServer
from tests.kits.roomless import Roomless

ASKED: list[ChatMessage] = [{"role": "user", "content": "Tea?"}]


class Scripted(Roomless):
    """A model that says its pieces, then fails if it has an error."""

    def __init__(self, name: str, pieces: Sequence[str] = (), error: ModelError | None = None) -> None:
        self.name = name
        self.closed = False
        self._pieces = pieces
        self._error = error

    async def stream(self, messages: Sequence[ChatMessage], toolbox: Toolbox | None = None) -> AsyncIterator[str]:
        for piece in self._pieces:
            yield piece
        if self._error:
            raise self._error

    async def close(self) -> None:
        self.closed = True


async def test_a_chain_asks_the_next_where_one_fails_and_logs_whom_it_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
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
        absent = OpenAIModel("absent", "http://127.0.0.1:1/v1", "m", None, 5.0, 64, tries=1)
        model = OpenAIModel("main", server.base_url, "m", None, 5.0, 64)
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
