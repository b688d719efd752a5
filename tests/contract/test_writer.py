"""Digests and thoughts written by a model over real HTTP on loopback, also where its context is small."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from bot.models.port import Chain
from bot.models.queued_models import ServedModel
from bot.models.request_queue import RequestQueue
from bot.models.writer import ModelWriter
from memory.errors import WriterFailed, WriterRefused
from memory.ports import Entry, Source, Task, Writer
from tests.contract.test_model import model_at
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.kits.dream_kit import forced
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import at_home

TASK = Task(
    "gist",
    (
        Source("m1", "Ada", "2024-05-03 10:00", "My cat is called Turing."),
        Source("m2", "Lyra", "2024-05-03 10:01", "A fine name."),
    ),
)


@asynccontextmanager
async def writing(tries: int = 1) -> AsyncIterator[tuple[OpenAIServer, ModelWriter]]:
    async with OpenAIServer(fake.sensible) as server:
        model = model_at(server.base_url, tries=tries, max_tokens=512)
        yield server, ModelWriter(model)
        await model.close()


async def test_a_gist_is_written_and_cites_its_messages() -> None:
    async with writing() as (_, writer):
        port: Writer = writer
        assert await port.write(TASK) == [
            Entry("Ada said: My cat is called Turing.", ("m1",)),
            Entry("Lyra said: A fine name.", ("m2",)),
        ]


async def test_digests_are_joined() -> None:
    async with writing() as (server, writer):
        entries = await writer.write(Task("merge", (Source("g1", "", "2024-05-03", "Ada has a cat."),)))
        assert entries == [Entry("Ada has a cat.", ("g1",))]
        assert "You join digests" in server.requests[0].messages[0]["content"]


async def test_it_says_who_it_is() -> None:
    async with writing() as (_, writer):
        assert writer.name == "model:main"
        assert not writer.extractive


@pytest.mark.parametrize("background", [False, True], ids=["itself", "behind the line of its server"])
async def test_an_answer_that_the_deadline_cuts_is_no_digest(background: bool) -> None:
    cited = "Ada's cat {} is called Turing. [m1]\n"
    async with OpenAIServer() as server:
        model = model_at(server.base_url, tries=1, timeout=2.0, max_tokens=512)
        writer = ModelWriter(ServedModel("main", lambda: model, RequestQueue(1), background=True) if background else model)
        server.script(fake.Endless(cited, 0.05))
        with pytest.raises(WriterFailed, match="did not finish within 2 seconds"):
            await writer.write(TASK)
        await model.close()


async def test_the_chain_is_named_whole() -> None:
    model = model_at("http://127.0.0.1:1/v1", max_tokens=512)
    assert ModelWriter(Chain([model, model])).name == "model:main → main"
    await model.close()


@pytest.mark.parametrize(
    "fault", [fake.DOWN, fake.BUSY, fake.DENIED, fake.HTML, fake.Status(404), fake.Cut("Ada is", 1)], ids=str
)
async def test_a_model_out_of_reach_is_no_digest_and_no_refusal(fault: fake.Behaviour) -> None:
    async with writing() as (server, writer):
        server.script(fault)
        with pytest.raises(WriterFailed, match=r"127\.0\.0\.1") as caught:
            await writer.write(TASK)
        assert "Turing" not in str(caught.value)


async def test_a_transient_trouble_is_over_before_the_writer_notices() -> None:
    async with writing(tries=3) as (server, writer):
        server.script(fake.DOWN, fake.HTML)
        assert len(await writer.write(TASK)) == 2


async def test_an_unusable_answer_is_kept() -> None:
    async with writing() as (server, writer):
        server.script("I cannot summarize private conversations.")
        with pytest.raises(WriterRefused) as caught:
            await writer.write(TASK)
        assert caught.value.answer == "I cannot summarize private conversations."


async def test_sources_too_long_for_the_model_are_a_refusal_as_trying_again_would_not_help() -> None:
    async with writing() as (server, writer):
        server.script(fake.TOO_LONG)
        with pytest.raises(WriterRefused, match="a prompt that long"):
            await writer.write(TASK)


async def test_an_empty_answer_is_a_refusal_that_counts_as_often_as_it_was_asked_for() -> None:
    async with writing(tries=5) as (server, writer):
        server.script(*[fake.Say("")] * 5)
        with pytest.raises(WriterRefused) as caught:
            await writer.write(TASK)
        assert len(server.requests) == caught.value.asked == 2


def thoughtful(request: fake.Request) -> str:
    """Think about the first two messages that stand there."""
    labels = re.findall(r"^\[(m\d+)\]", request.last_user, re.MULTILINE)[:2]
    return json.dumps({"text": "it sings in the kitchen", "cites": labels, "post": True, "feeling": 0.2})


@pytest.mark.parametrize("kind", ["llama.cpp", pytest.param("", marks=pytest.mark.torture)])
async def test_a_thought_is_had_of_what_fits_into_a_small_context(tmp_path: Path, kind: Literal["", "llama.cpp"]) -> None:
    async with OpenAIServer(thoughtful) as server, at_home(tmp_path, habits=PAIRS) as here:
        server.context, server.kind = 1300, kind
        for n in range(12):
            await here.say(f"the zebrafinch number {n} sings in the kitchen {'and sings ' * 60}")
        model = model_at(server.base_url, model="fake-model")
        report = await forced(here, Teller(), ModelWriter(model))
        assert report.reflection == "waits to be said"
        assert len(server.requests) <= 3
        await model.close()
