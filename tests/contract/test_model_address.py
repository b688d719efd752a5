"""An endpoint whose address has a query, as Azure's has: the query goes with every request, and the key as Azure takes it."""

from collections.abc import AsyncIterator

import numpy as np
import pytest

from bot.config.sections import Backend
from bot.models.endpoints.embedding import OpenAIEmbedder
from bot.models.endpoints.endpoint import Endpoint
from bot.models.endpoints.probing import context_of, local_models
from bot.models.port import complete
from tests.contract.test_model import model_at
from tests.fakes.openai_server import OpenAIServer

KEY = "sk-very-secret"


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    """A server that answers no request without its version."""
    async with OpenAIServer() as server:
        server.api_version, server.kind, server.context = "2024-10-21", "vLLM", 4096
        yield server


@pytest.mark.parametrize(
    "behind", ["?api-version=2024-10-21", "/?api-version=2024-10-21&more=", "/chat/completions?api-version=2024-10-21"]
)
async def test_a_query_goes_with_every_request(server: OpenAIServer, behind: str) -> None:
    url = f"{server.base_url}{behind}"
    model = model_at(url, tries=1)
    embedder = OpenAIEmbedder("main", Backend(base_url=url, model="e", timeout=5.0), KEY)
    try:
        assert await complete(model, [{"role": "user", "content": "hello"}])
        assert np.any(await embedder.embed(["hello"]))
    finally:
        await model.close()
        await embedder.close()
    assert await local_models(url, key=KEY) == ["fake-model"]
    endpoint = Endpoint(url, "fake-model", KEY)
    assert await context_of(endpoint, nearby=True) == 4096
    assert endpoint.shown.startswith(server.base_url) and "2024" not in str(endpoint.who)
