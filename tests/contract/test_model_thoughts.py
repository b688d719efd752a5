"""Models that think aloud, over real HTTP: their thoughts reach nobody, and the choice that counts is the first."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.errors import ModelGarbled
from bot.models.endpoints.backend_facts import NONE, THOUGHTS, UNOPENED, BackendFacts
from bot.models.port import ChatMessage, Restart, complete
from bot.models.queued_models import ServedModel
from bot.models.request_queue import RequestQueue
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer

ASKED: list[ChatMessage] = [{"role": "user", "content": "What is my boat called?"}]


@asynccontextmanager
async def asking(name: str = "m", facts: BackendFacts | None = None) -> AsyncIterator[tuple[OpenAIServer, ServedModel]]:
    async with OpenAIServer() as server:
        model = model_at(server.base_url, facts=facts, tries=2, model=name)
        yield server, ServedModel("main", lambda: model, RequestQueue(1), background=False)
        await model.close()


def chunk(content: str, index: object = 0, finish: str | None = None, **more: object) -> str:
    """Return a streamed chunk of one choice."""
    return json.dumps({"choices": [{"index": index, "delta": {"content": content, **more}, "finish_reason": finish}]})


async def test_what_stands_between_tags_is_neither_streamed_nor_answered() -> None:
    async with asking() as (server, model):
        server.script("<think>\nThe boat? I should say Wave.\n</think>\n\nIt is called Wave.")
        pieces = [piece async for piece in model.stream(ASKED)]
        assert "".join(pieces) == "It is called Wave."
        assert len(pieces) > 2
        assert not any(isinstance(piece, Restart) for piece in pieces)


MARKED = {
    "Gemma": "<|channel>thought\nThe boat?\n<channel|>Wave.",
    "gpt-oss": "<|channel|>analysis<|message|>The boat?<|end|><|start|>assistant<|channel|>final<|message|>Wave.<|return|>",
    "gpt-oss, without a thought": "<|channel|>final<|message|>Wave.",
    "Cohere": "<|START_THINKING|>The boat?<|END_THINKING|>Wave.",
    "Granite": "<reasoning>\nThe </think> boat?\n</reasoning>\nWave.",
}


@pytest.mark.parametrize("kind", MARKED)
async def test_thoughts_are_marked_in_many_ways(kind: str) -> None:
    async with asking() as (server, model):
        server.script(MARKED[kind], MARKED[kind])
        said = [piece async for piece in model.stream(ASKED)]
        assert "".join(said) == "Wave."
        assert await complete(model, ASKED) == "Wave."


async def test_thoughts_that_only_a_closing_tag_ends_are_taken_back_once_and_waited_for_from_then_on() -> None:
    facts = BackendFacts()
    said = "The boat? I should say Wave.\n</think>\n\nIt is called Wave."
    async with asking(facts=facts) as (server, model):
        server.script(said, said)
        first = [piece async for piece in model.stream(ASKED)]
        anew = next(at for at, piece in enumerate(first) if isinstance(piece, Restart))
        assert "".join(first[anew:]) == "It is called Wave."
        assert facts.get(THOUGHTS) == UNOPENED
        assert "".join([piece async for piece in model.stream(ASKED)]) == "It is called Wave."


async def test_a_model_called_like_one_that_thinks_is_waited_for_until_it_is_known_to_be_none() -> None:
    facts = BackendFacts()
    async with asking("deepseek-r1:8b", facts) as (server, model):
        server.script("The boat? Wave.\n</think>\n\nWave.", "Wave.")
        assert "".join([piece async for piece in model.stream(ASKED)]) == "Wave."
        assert await complete(model, ASKED) == "Wave."
    async with asking("qwen3", facts := BackendFacts()) as (server, model):
        server.script("It is Wave.", "It is Wave.")
        assert len([piece async for piece in model.stream(ASKED)]) == 1
        assert facts.get(THOUGHTS) == NONE
        assert len([piece async for piece in model.stream(ASKED)]) > 1


async def test_an_endpoint_that_cannot_stream_keeps_its_thoughts_to_itself_too() -> None:
    async with asking() as (server, model):
        said = {"content": "<think>hm</think>\n\nWave.", "reasoning_content": "hm"}
        server.script(fake.Raw(json.dumps({"choices": [{"message": said}]}).encode(), "application/json"))
        assert await complete(model, ASKED) == "Wave."


async def test_thoughts_in_a_field_of_their_own_are_no_answer() -> None:
    async with asking() as (server, model):
        server.script(
            fake.Events((chunk("", reasoning_content="hm"), chunk("", reasoning="hm"), chunk("Wave.", finish="stop"), "[DONE]"))
        )
        assert await complete(model, ASKED) == "Wave."


async def test_thoughts_in_a_part_of_their_own_are_no_answer() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    async with asking() as (server, model):
        server.script(fake.Events((fake.delta([thinking]), fake.delta([{"type": "text", "text": "Wave."}], "stop"), "[DONE]")))
        assert await complete(model, ASKED) == "Wave."


@pytest.mark.parametrize("thought", ["<think>The boat? It was", "<think>The boat?</think>\n"])
async def test_who_only_thought_gave_no_answer(thought: str) -> None:
    async with asking() as (server, model):
        server.script(*[fake.Say(thought, "length")] * 2)
        with pytest.raises(ModelGarbled):
            await complete(model, ASKED)


SPENT: dict[str, fake.Behaviour] = {
    "in a field of their own": fake.Events((chunk("", reasoning_content="The boat?"), chunk("", finish="length"), "[DONE]")),
    "in no field at all": fake.Events((chunk("", finish="length"), "[DONE]")),
    "between tags": fake.Say("<think>The boat? It was", "length"),
    "as a whole": fake.Raw(
        b'{"choices": [{"message": {"content": "", "reasoning": "x"}, "finish_reason": "length"}]}', "application/json"
    ),
}


@pytest.mark.parametrize("kind", SPENT)
async def test_a_model_whose_thoughts_take_the_tokens_of_its_answer_gets_more(kind: str) -> None:
    facts = BackendFacts()
    async with asking(facts=facts) as (server, model):
        server.script(SPENT[kind], "Wave.")
        assert await complete(model, ASKED) == "Wave."
        await complete(model, ASKED)
        first, *later = [request.body["max_tokens"] for request in server.requests]
        assert all(most > first for most in later)


async def test_an_answer_that_thoughts_cut_short_gets_more_the_next_time() -> None:
    async with asking() as (server, model):
        server.script(fake.Say("<think>The boat?</think>It is", "length"), fake.Say("It is called", "length"))
        await complete(model, ASKED)
        await complete(model, ASKED)
        first, second = [request.body["max_tokens"] for request in server.requests]
        assert second > first
    async with asking() as (server, model):
        server.script(fake.Say("It is", "length"))
        await complete(model, ASKED)
        await complete(model, ASKED)
        assert len({request.body["max_tokens"] for request in server.requests}) == 1


async def test_with_more_a_small_context_keeps_room_for_the_question() -> None:
    async with asking() as (server, model):
        server.context, server.kind = 160, "llama.cpp"
        server.script(SPENT["between tags"], "Wave.")
        await complete(model, ASKED)
        assert [request.body["max_tokens"] for request in server.requests] == [40, 80]


async def test_a_model_that_only_ever_thinks_says_what_to_raise() -> None:
    async with asking() as (server, model):
        server.script(*[SPENT["between tags"]] * 4)
        with pytest.raises(ModelGarbled, match="max_tokens"):
            await complete(model, ASKED)
        assert len(server.requests) == 2


async def test_a_digest_holds_no_thoughts_either() -> None:
    async with asking() as (server, model):
        background = ServedModel("main", lambda: model, RequestQueue(1), background=True)
        server.script("Ada? She has a boat.\n</think>\nAda has a boat [m1].")
        assert await complete(background, ASKED) == "Ada has a boat [m1]."


async def test_a_model_that_declines_in_a_field_of_its_own_has_answered() -> None:
    async with asking() as (server, model):
        parts = ("I can't help ", "with that.")
        server.script(fake.Events((*(chunk("", refusal=part) for part in parts), chunk("", finish="stop"), "[DONE]")))
        assert await complete(model, ASKED) == "I can't help with that."
        body = {"choices": [{"message": {"content": None, "refusal": "I can't."}}]}
        server.script(fake.Raw(json.dumps(body).encode(), "application/json"))
        assert await complete(model, ASKED) == "I can't."


async def test_of_several_answers_at_once_the_first_counts_alone() -> None:
    both = json.dumps({"choices": [{"index": 1, "delta": {"content": "B. "}}, {"index": 0, "delta": {"content": "A. "}}]})
    data = (both, chunk("B too.", 1, "stop"), chunk("A too.", 0), chunk("", 0, "stop"), "[DONE]")
    async with asking() as (server, model):
        server.script(fake.Events(data))
        assert await complete(model, ASKED) == "A. A too."
        whole = {"choices": [{"index": 1, "message": {"content": "B."}}, {"index": 0, "message": {"content": "A."}}]}
        server.script(fake.Raw(json.dumps(whole).encode(), "application/json"))
        assert await complete(model, ASKED) == "A."
