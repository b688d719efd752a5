"""The embedder, over real HTTP on loopback, against a server that fails in every way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from bot.config.sections import Backend
from bot.models.endpoints.embedding import OpenAIEmbedder
from memory.errors import EmbeddingFailed
from memory.ports import Embedder
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_vectors import DIMENSION

KEY = "sk-very-secret"
TEXTS = ["the cat is called Turing", "a cat called Turing", "stock prices fell sharply"]


@asynccontextmanager
async def embedding(seconds: float = 5.0) -> AsyncIterator[tuple[OpenAIServer, OpenAIEmbedder]]:
    async with OpenAIServer() as server:
        embedder = OpenAIEmbedder("main", Backend(base_url=server.base_url, model="e", timeout=seconds), KEY)
        try:
            yield server, embedder
        finally:
            await embedder.close()


def asked(server: OpenAIServer) -> list[int]:
    return [len(request.body["input"]) for request in server.requests]


async def test_texts_that_share_words_are_near_each_other() -> None:
    async with embedding() as (_, embedder):
        port: Embedder = embedder
        rows = await port.embed(TEXTS)
        assert rows.shape == (3, DIMENSION)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
        assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.3


async def test_the_name_holds_the_model_as_vectors_of_another_are_not_comparable() -> None:
    async with embedding() as (_, embedder):
        assert embedder.name == "main:e"


async def test_nothing_in_nothing_out() -> None:
    async with embedding() as (server, embedder):
        assert (await embedder.embed([])).shape == (0, 0)
        assert server.requests == []


async def test_many_texts_go_in_batches_and_come_back_in_order() -> None:
    many = [*TEXTS, *(f"remark {n}" for n in range(62))]
    async with embedding() as (server, embedder):
        rows = await embedder.embed(many)
        assert asked(server) == [64, 1]
        for at in (0, 1, 63, 64):
            assert np.allclose(rows[at], (await embedder.embed([many[at]]))[0])


async def test_vectors_sent_in_another_order_find_their_texts() -> None:
    async with embedding() as (server, embedder):
        right = await embedder.embed(TEXTS)
        server.script(fake.Vectors("order"))
        assert np.array_equal(await embedder.embed(TEXTS), right)


async def test_numbers_are_read_where_base64_is_not_known() -> None:
    async with embedding() as (server, embedder):
        server.script(fake.Raw(b'{"data": [{"embedding": [3, 4.0]}]}', "application/json"))
        assert np.allclose(await embedder.embed(["a"]), [[0.6, 0.8]])


SPOILT: list[fake.Behaviour] = [
    *(fake.Vectors(wrong) for wrong in ("count", "indices", "zero", "nan", "dimension", "types")),
    fake.HTML,
    fake.Status(400),
    fake.Status(400, "the input length exceeds the context length"),
    fake.Raw(b'{"data": 3}', "application/json"),
    fake.Raw(b'{"data": [1, 2, 3]}', "application/json"),
    fake.Raw(b'{"error": {"message": "no"}, "data": []}', "application/json"),
]


@pytest.mark.parametrize("fault", SPOILT, ids=str)
async def test_a_spoilt_batch_is_asked_for_again_in_halves(fault: fake.Behaviour) -> None:
    async with embedding() as (server, embedder):
        right = await embedder.embed(TEXTS)
        server.script(fault)
        assert np.allclose(await embedder.embed(TEXTS), right)
        assert asked(server) == [3, 3, 2, 1]


FEW = {
    "413": fake.Status(413, "batch size 5 > maximum allowed batch size 2"),
    "400": fake.Status(400, "batch size is invalid, it should not be larger than 2."),
}


@pytest.mark.parametrize("kind", FEW)
async def test_an_endpoint_that_takes_few_texts_at_once_gets_few_from_then_on(kind: str) -> None:
    texts = [*TEXTS, "rain", "sun"]
    async with embedding() as (server, embedder):
        right = await embedder.embed(texts)
        server.most_texts, server.too_many = 2, FEW[kind]
        server.requests.clear()
        for _ in range(2):
            assert np.allclose(await embedder.embed(texts), right)
        assert asked(server) == [5, 3, 2, 1, 2, 2, 2, 1]


async def test_a_text_that_is_too_long_makes_no_later_batch_smaller() -> None:
    too_long = fake.Status(400, "the input length exceeds the context length")
    async with embedding() as (server, embedder):
        server.script(too_long, too_long, too_long)
        await embedder.embed(["word " * 400, *TEXTS])
        server.requests.clear()
        await embedder.embed(TEXTS)
        assert asked(server) == [3]


@pytest.mark.parametrize("status", [400, 422])
async def test_an_endpoint_that_refuses_base64_is_asked_for_numbers_from_then_on(status: int) -> None:
    async with embedding() as (server, embedder):
        server.script(fake.Status(status, "base64 encoding is not currently supported"))
        await embedder.embed(TEXTS)
        await embedder.embed(TEXTS)
        assert [request.body.get("encoding_format") for request in server.requests] == ["base64", "float", "float"]


async def test_an_endpoint_that_knows_base64_is_not_asked_for_numbers() -> None:
    async with embedding() as (server, embedder):
        await embedder.embed(TEXTS)
        server.script(fake.Status(400), fake.Status(400))
        with pytest.raises(EmbeddingFailed):
            await embedder.embed(["a"])
            await embedder.embed(["b"])
        assert {request.body["encoding_format"] for request in server.requests} == {"base64"}


@pytest.mark.parametrize("wrong", ["count", "indices", "zero", "nan", "types"])
async def test_a_text_that_stays_spoilt_fails_the_whole(wrong: Any) -> None:
    bad = (
        fake.Raw(b'{"data": [{"index": 7, "embedding": [1.0]}]}', "application/json")
        if wrong == "indices"
        else fake.Vectors(wrong)
    )
    async with embedding() as (server, embedder):
        server.script(fake.HTML, "", bad)
        with pytest.raises(EmbeddingFailed, match=r"The model e at http.* is no answer"):
            await embedder.embed(TEXTS)


@pytest.mark.parametrize("number", ["1e300", "1e999", "Infinity", "1" + "0" * 400, '"1"', "null"])
async def test_a_number_that_is_none_is_refused(number: str) -> None:
    async with embedding() as (server, embedder):
        server.script(fake.Raw(f'{{"data": [{{"index": 0, "embedding": [{number}, 1.0]}}]}}'.encode(), "application/json"))
        with pytest.raises(EmbeddingFailed):
            await embedder.embed(["a"])


async def test_too_few_vectors_are_counted_in_the_sentence() -> None:
    async with embedding() as (server, embedder):
        server.script(fake.Vectors("count"))
        with pytest.raises(EmbeddingFailed, match="0 vectors for 1 texts"):
            await embedder.embed(["a"])


async def test_a_dimension_that_changes_between_batches_fails_the_whole() -> None:
    async with embedding() as (server, embedder):
        server.script("", fake.Vectors("dimension"))
        with pytest.raises(EmbeddingFailed, match="different dimensions"):
            await embedder.embed([f"remark {n}" for n in range(65)])
    async with embedding() as (server, embedder):
        server.script(*[fake.Vectors("dimension")] * 3)
        with pytest.raises(EmbeddingFailed, match="different dimensions"):
            await embedder.embed(TEXTS)


FAILURES: dict[str, tuple[fake.Behaviour, str]] = {
    "busy": (fake.BUSY, "busy"),
    "broken": (fake.BROKEN, "failed"),
    "wrong key": (fake.DENIED, "does not accept the key"),
    "silence": (fake.Hang(), "no vectors within"),
}


@pytest.mark.parametrize(("fault", "sentence"), FAILURES.values(), ids=FAILURES.keys())
async def test_what_may_heal_with_time_is_asked_once(fault: fake.Behaviour, sentence: str) -> None:
    async with embedding(seconds=0.5 if isinstance(fault, fake.Hang) else 5.0) as (server, embedder):
        server.script(fault)
        with pytest.raises(EmbeddingFailed, match=sentence) as caught:
            await embedder.embed(TEXTS)
        assert asked(server) == [3]
        assert KEY not in str(caught.value)
        assert "Turing" not in str(caught.value)


async def test_a_text_too_long_is_embedded_by_its_beginning() -> None:
    too_long = fake.Status(400, "the input length exceeds the context length")
    async with embedding() as (server, embedder):
        server.script(too_long, too_long)
        await embedder.embed(["word " * 400])
        assert [len(request.body["input"][0]) for request in server.requests] == [2000, 1000, 500]
        server.script(too_long)
        with pytest.raises(EmbeddingFailed):
            await embedder.embed(["short"])


async def test_who_is_not_there_is_said() -> None:
    async with OpenAIServer() as server:
        address = server.base_url
    embedder = OpenAIEmbedder("main", Backend(base_url=address, model="e"), None)
    with pytest.raises(EmbeddingFailed, match=r"No model answers at .*\. Is it running\?"):
        await embedder.embed(TEXTS)
    await embedder.close()
