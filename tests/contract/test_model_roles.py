"""Models whose chat template takes roles in one order only: they answer what others are asked as well."""

from typing import Any

import pytest

from bot.errors import ModelRefused
from bot.models.endpoints.backend_facts import REFUSED, ROLES, TOOLS, BackendFacts
from bot.models.port import ChatMessage, Image, complete
from tests.contract.test_model import talking
from tests.contract.test_model_tools import Box
from tests.contract.test_model_tools import talking as with_tools
from tests.fakes import openai_behaviours as fake

LATER: list[ChatMessage] = [
    {"role": "system", "content": "You are Lyra."},
    {"role": "assistant", "content": "Good morning."},
    {"role": "user", "content": "Ada: morning"},
    {"role": "user", "content": "Ben: hello"},
    {"role": "assistant", "content": "Hello Ben."},
    {"role": "user", "content": "Ada: what is my boat called?", "images": [Image("image/png", b"1")]},
]
ASKED: list[ChatMessage] = [LATER[0], LATER[2]]


def roles(request: fake.Request) -> str:
    return " ".join(message["role"][0] for message in request.messages)


@pytest.mark.parametrize(("template", "sent"), [("alternating", "s u a u a u"), ("systemless", "u a u a u")])
async def test_a_conversation_of_several_is_answered_and_from_then_on_at_once(template: Any, sent: str) -> None:
    facts = BackendFacts()
    async with talking(facts=facts, sees=True) as (server, model):
        server.template = template
        await complete(model, LATER)
        first = len(server.requests)
        await complete(model, LATER)
        assert len(server.requests) == first + 1
        last = server.requests[-1]
        assert roles(last) == sent
        texts = [message["content"] for message in last.messages]
        assert "Ada: morning\n\nBen: hello" in texts
        assert texts[-1][0]["text"] == LATER[-1]["content"]
        assert len(last.images) == 1
        assert "You are Lyra." in texts[0]


async def test_what_such_a_template_takes_is_sent_as_it_is() -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.template = "alternating"
        await complete(model, ASKED)
        assert [roles(request) for request in server.requests] == ["s u"]
        assert facts.get(ROLES) is None


@pytest.mark.parametrize(
    "said",
    [
        "Only user and assistant roles are supported!",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
        "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
        "A conversation must alternate between user and assistant roles.",
        "deepseek-reasoner does not support successive user or assistant messages",
    ],
)
async def test_whichever_words_ask_for_another_order_it_is_tried(said: str) -> None:
    async with talking() as (server, model):
        server.script(fake.Status(400, said), "Wave.")
        assert await complete(model, LATER) == "Wave."


async def test_a_refusal_that_no_order_mends_ends_and_teaches_nothing() -> None:
    facts = BackendFacts()
    async with talking(facts=facts) as (server, model):
        server.script(*[fake.Status(400, "Conversation roles must alternate user/assistant/...")] * 9)
        with pytest.raises(ModelRefused):
            await complete(model, LATER)
        assert [roles(request) for request in server.requests] == ["s a u u a u", "s u a u a u", "u a u a u"]
        assert facts.get(ROLES) is None


async def test_a_refusal_of_roles_is_not_put_down_to_tools() -> None:
    facts = BackendFacts()
    async with with_tools(facts=facts) as (server, model):
        server.script(fake.Status(400, "System role not supported"), "At sea.")
        box = Box()
        box.prompt = lambda *, plain: ASKED  # type: ignore[method-assign]
        assert "".join([piece async for piece in model.stream(ASKED, box)]) == "At sea."
        assert [request.offered for request in server.requests] == [["look"], ["look"]]
        assert facts.get(TOOLS) != REFUSED
