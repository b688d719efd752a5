"""How long a prompt may be: as each kind of server says it, as it is said by hand, or as a refusal teaches; over real HTTP."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import pytest

from bot.errors import ContextTooLong, ModelDown, ModelRefused
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.context_size import CONTEXT, FITS
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import ChatMessage, complete
from bot.models.writer import ModelWriter
from memory.derive.drafting import WritingTask, compose
from memory.errors import TooMuchToRead
from memory.ports import Source, Task
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.kits.size import few

Kind = Literal["", "llama.cpp", "vLLM", "Ollama", "LM Studio", "koboldcpp"]


def long(tokens: int) -> list[ChatMessage]:
    return [{"role": "user", "content": "abc" * tokens}]


@asynccontextmanager
async def asking(kind: Kind = "", holds: int = 0, **options: Any) -> AsyncIterator[tuple[OpenAIServer, OpenAIModel]]:
    async with OpenAIServer(fake.sensible) as server:
        server.kind, server.context = kind, holds
        model = model_at(server.base_url, model="fake-model", **options)
        yield server, model
        await model.close()


@pytest.mark.parametrize("kind", ["llama.cpp", "vLLM", "Ollama", "LM Studio", "koboldcpp"])
async def test_each_kind_of_server_says_what_fits_and_nothing_longer_is_sent(kind: Kind) -> None:
    facts = BackendFacts()
    async with asking(kind, 2048, facts=facts) as (server, model):
        room = await model.room()
        assert room and 1500 < room < 2048 - 64
        with pytest.raises(ContextTooLong) as caught:
            await complete(model, long(room))
        assert caught.value.room == room
        assert await complete(model, long(room - 10))
        assert (len(server.requests), server.probes) == (1, 1)
        assert facts.get(CONTEXT) == 2048


async def test_a_server_that_says_nothing_teaches_it_by_a_refusal_and_it_is_kept() -> None:
    facts = BackendFacts()
    async with asking(holds=2048, facts=facts) as (server, model):
        assert await model.room() is None
        with pytest.raises(ContextTooLong) as caught:
            await complete(model, long(4000))
        room = caught.value.room
        assert room and room < 2048
        assert await model.room() == room
        assert await complete(model, long(room - 10))
        assert len(server.requests) == 2
    async with asking(facts=facts) as (_, model):
        assert await model.room() == room


@pytest.mark.parametrize(
    ("refusal", "least", "most"),
    [
        (fake.Status(400, "maximum context length is 2048 tokens. However, you requested 6000 tokens"), 1500, 2048),
        (fake.Status(400, "You passed 6000 input tokens. However, the model's context length is only 2048 tokens"), 400, 1500),
        (fake.Status(400, "prompt is too long: 4000 tokens > 2048 maximum"), 400, 2048),
        (fake.Status(500, "Context size has been exceeded."), 1490, 1510),
        (fake.Raw(b"<html>413</html>", status=413), 1490, 1510),
    ],
)
async def test_whatever_a_refusal_says_the_next_prompt_is_shorter(refusal: fake.Behaviour, least: int, most: int) -> None:
    async with asking() as (server, model):
        server.script(refusal)
        with pytest.raises(ContextTooLong) as caught:
            await complete(model, long(3000))
        assert caught.value.room and least <= caught.value.room <= most
        assert await model.room() == caught.value.room


MUTE = fake.Status(400, "Something is wrong with this request.", None, "BadRequestError")
SAYS_NO_FIGURE = fake.Status(400, "input length exceeds maximum context length")


async def shrinking(model: OpenAIModel, tokens: int) -> str:
    """Ask with a prompt that is made shorter as refusals say."""
    while tokens > 0:
        try:
            return await complete(model, long(tokens))
        except ContextTooLong as refusal:
            tokens = (refusal.room or 0) - 10
    return ""


async def test_a_refusal_without_a_figure_is_halved_until_it_fits_and_what_fitted_is_kept() -> None:
    facts = BackendFacts()
    async with asking(holds=700, facts=facts) as (server, model):
        server.overfull = SAYS_NO_FIGURE
        assert await shrinking(model, 4000)
        fitted = await model.room()
        assert fitted and 400 < fitted < 700 * 4 / 3
    async with asking(holds=700, facts=facts) as (server, model):
        server.overfull = SAYS_NO_FIGURE
        assert await model.room() == fitted
        assert await shrinking(model, fitted - 10)
        assert len(server.requests) == 1


async def test_without_what_was_kept_every_start_would_be_refused_anew() -> None:
    refused = []
    for _ in range(2):
        async with asking(holds=700, facts=BackendFacts()) as (server, model):
            server.overfull = SAYS_NO_FIGURE
            assert await shrinking(model, 4000)
            refused.append(len(server.requests) - 1)
    assert refused[0] == refused[1] > 0


async def test_a_refusal_without_any_reason_is_found_out_by_a_much_shorter_prompt_and_learnt() -> None:
    facts = BackendFacts()
    async with asking(holds=1500, facts=facts) as (server, model):
        server.overfull = MUTE
        assert await shrinking(model, 4000)
        assert len(server.requests) == 2
    async with asking(holds=1500, facts=facts) as (server, model):
        server.overfull = MUTE
        room = await model.room()
        assert room and 1500 < room < 4000
        assert await shrinking(model, room - 10)
        assert len(server.requests) <= 2


BREAKS = fake.Status(500, "Internal server error.")


async def test_a_server_that_breaks_at_long_prompts_is_found_out_by_a_shorter_one() -> None:
    facts = BackendFacts()
    async with asking(holds=1500, facts=facts) as (server, model):
        server.overfull = BREAKS
        assert await shrinking(model, 4000)
        assert len(server.requests) == 4 + 1
        room = await model.room()
        assert room and 1500 < room < 4000
    async with asking(facts=facts) as (_, model):
        assert await model.room() == room


@pytest.mark.parametrize("how", [{"context": 8192}, {"kind": "vLLM", "holds": 8192}], ids=["said by hand", "said by the server"])
async def test_a_failure_at_what_is_known_to_fit_is_helped_by_a_shorter_prompt_and_teaches_nothing(how: dict[str, Any]) -> None:
    async with asking(**how) as (server, model):
        room = await model.room()
        server.script(*[BREAKS] * 4)
        assert await shrinking(model, 4000)
        assert await model.room() == room
        assert await complete(model, long(4000))


async def test_a_server_that_is_broken_altogether_is_asked_for_one_shorter_answer_and_then_waited_for() -> None:
    facts = BackendFacts()
    async with asking(facts=facts) as (server, model):
        server.script(*[BREAKS] * 9)
        with pytest.raises(ModelDown):
            await shrinking(model, 4000)
        assert len(server.requests) == 4 + 1
        with pytest.raises(ModelDown):
            await complete(model, long(4000))
        assert len(server.requests) == 9
        assert await model.room() is None
        assert await complete(model, long(4000))


async def test_what_a_failure_taught_is_forgotten_after_a_day() -> None:
    facts, now = BackendFacts(), int(time.time())
    for ago, room in ((3_600, 900), (90_000, None)):
        facts.recall(FITS, [900, now - ago])
        async with asking(facts=facts) as (_, model):
            assert await model.room() == room


async def test_what_is_longer_than_what_a_failure_taught_and_fits_raises_it() -> None:
    async with asking() as (server, model):
        server.script(SAYS_NO_FIGURE)
        with pytest.raises(ContextTooLong):
            await complete(model, long(3000))
        assert 1490 < (await model.room() or 0) < 1510
        assert await complete(model, long(2500))
        assert (await model.room() or 0) > 2400


async def test_a_refusal_that_is_not_about_length_is_found_out_by_one_more_request() -> None:
    facts = BackendFacts()
    async with asking(facts=facts) as (server, model):
        server.script(*[MUTE] * 5)
        with pytest.raises(ModelRefused):
            await shrinking(model, 4000)
        assert len(server.requests) == 2
        with pytest.raises(ModelRefused):
            await complete(model, long(4000))
        assert len(server.requests) == 3
        assert await model.room() is None


@pytest.mark.parametrize(
    "reason", [fake.Status(400, "no", "content_filter"), fake.Status(400, "no", param="temperature"), fake.Status(404, "no")]
)
async def test_a_refusal_that_gives_its_reason_is_not_put_down_to_the_length(reason: fake.Status) -> None:
    async with asking() as (server, model):
        server.script(reason)
        with pytest.raises(ModelRefused):
            await complete(model, long(4000))


async def test_a_server_that_refuses_whatever_it_is_asked_leaves_nothing_learnt() -> None:
    facts = BackendFacts()
    async with asking(facts=facts) as (server, model):
        server.script(*[SAYS_NO_FIGURE] * 10)
        for _ in range(10):
            with pytest.raises(ContextTooLong) as caught:
                await complete(model, long(await model.room() or 4000))
            assert caught.value.room is not None
        assert await complete(model, long(200))
    async with asking(facts=facts) as (_, model):
        assert await model.room() is None


async def test_what_is_said_by_hand_counts_and_no_server_is_asked() -> None:
    async with asking("llama.cpp", 8192, context=1024) as (server, model):
        room = await model.room()
        assert room and room < 1024
        assert server.probes == 0


async def test_a_server_that_is_down_is_asked_again_once_it_is_there() -> None:
    async with asking("vLLM", 2048) as (server, model):
        await server.__aexit__()
        assert await model.room() is None
        async with server:
            assert await model.room()


async def test_the_answer_has_its_share_of_a_small_context() -> None:
    for context, answer in ((400, 64), (120, 30)):
        async with asking(context=context) as (server, model):
            await complete(model, long(10))
            assert server.requests[0].body["max_tokens"] == answer


SAID = [Source(f"m{n}", "Ada", "2026-03-01 10:00", f"Boat number {n} sails to Linz on Sunday. {'la ' * 60}") for n in range(30)]


def order(dropped: list[str]) -> WritingTask:
    async def note(sentences: str) -> None:
        dropped.append(sentences)

    return WritingTask(Task("gist", tuple(SAID)), 24_000, note)


@pytest.mark.parametrize("kind", few(["", "llama.cpp"]))
async def test_a_transcript_is_cut_to_what_fits_and_at_most_one_request_is_refused(kind: Kind) -> None:
    async with asking(kind, 1500) as (server, model):
        written = await compose(ModelWriter(model), order([]))
        lengths = [sum(len(message["content"]) for message in request.messages) for request in server.requests]
        assert sum(length // 4 > 1500 for length in lengths) == (0 if kind else 1)
        assert len(server.requests) > 4
        asked = "".join(message["content"] for request in server.requests for message in request.messages)
        assert all(f"Boat number {n} " in asked for n in range(30)), "everything was read"
        assert written and all(one.cites and set(one.cites) <= {source.label for source in SAID} for one in written)


async def test_a_model_that_cannot_even_take_the_rules_is_not_asked_in_vain() -> None:
    async with asking("llama.cpp", 300) as (server, model):
        with pytest.raises(TooMuchToRead):
            await compose(ModelWriter(model), order([]))
        assert server.requests == []
