"""Images on the wire: a model that sees gets them with the text, any other gets the text alone."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import Chain, ChatMessage, Image, Model, complete
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer

CAT = Image("image/png", b"\x89PNG the bytes of a cat")
DOG = Image("image/jpeg", b"\xff\xd8 the bytes of a dog")
ASKED: list[ChatMessage] = [
    {"role": "system", "content": "You are Lyra."},
    {"role": "user", "content": "Good evening."},
    {"role": "user", "content": "Who is this? [image cat.png]", "images": [CAT, DOG]},
]
AS_TEXT = [{"role": message["role"], "content": message["content"]} for message in ASKED]


def at(server: OpenAIServer, **options: Any) -> OpenAIModel:
    return model_at(server.base_url, **options)


@asynccontextmanager
async def talking(**options: Any) -> AsyncIterator[tuple[OpenAIServer, OpenAIModel]]:
    async with OpenAIServer() as server:
        model = at(server, **options)
        yield server, model
        await model.close()


async def asked(*models: Model) -> str:
    """Ask a chain, and close it."""
    chain = Chain(models)
    answer = await complete(chain, ASKED)
    await chain.close()
    return answer


async def test_a_model_that_sees_gets_text_and_images_in_order() -> None:
    async with talking(sees=True) as (server, model):
        assert await complete(model, ASKED) == "Echo: Who is this? [image cat.png]"
        [request] = server.requests
        assert request.messages == [
            *AS_TEXT[:2],
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Who is this? [image cat.png]"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64.b64encode(CAT.data).decode()}"}},
                    {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{base64.b64encode(DOG.data).decode()}"}},
                ],
            },
        ]


async def test_a_model_that_does_not_see_gets_the_text_alone() -> None:
    async with talking() as (server, model):
        await complete(model, ASKED)
        assert [request.messages for request in server.requests] == [AS_TEXT]


async def test_without_images_a_model_that_sees_gets_plain_text() -> None:
    plain: list[ChatMessage] = [*ASKED[:2], {"role": "user", "content": "And now?", "images": []}]
    async with talking(sees=True) as (server, model):
        await complete(model, plain)
        assert [message["content"] for message in server.requests[0].messages] == ["You are Lyra.", "Good evening.", "And now?"]


async def test_in_a_chain_each_model_decides_for_itself() -> None:
    async with OpenAIServer() as sighted, OpenAIServer() as blind:
        sighted.script(fake.DOWN)
        answer = await asked(at(sighted, sees=True, tries=1), at(blind))
        assert answer == "Echo: Who is this? [image cat.png]"
        assert len(sighted.requests[0].images) == 2
        assert [request.messages for request in blind.requests] == [AS_TEXT]


async def test_in_a_chain_the_second_sees_what_the_first_could_not() -> None:
    async with OpenAIServer() as sighted, OpenAIServer() as blind:
        blind.script(fake.DOWN)
        await asked(at(blind, tries=1), at(sighted, sees=True))
        assert [request.images for request in blind.requests] == [[]]
        assert len(sighted.requests[0].images) == 2


async def test_an_image_that_is_sent_again_is_whole() -> None:
    async with talking(sees=True) as (server, model):
        server.script(fake.DOWN, fake.Status(400, "new name", param="max_tokens"))
        await complete(model, ASKED)
        assert [len(request.images) for request in server.requests] == [2, 2, 2]


def test_what_an_image_shows_is_in_no_log() -> None:
    assert "cat" not in repr(CAT)
