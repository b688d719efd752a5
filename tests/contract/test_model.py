"""The model port, over real HTTP on loopback, against a server that fails in every way."""

import asyncio
import json
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.config.sections import Backend
from bot.errors import BadSecret, ModelDown, ModelGarbled, ModelTimeout
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.endpoints.endpoint import Endpoint, retry_after
from bot.models.endpoints.llm import OpenAIModel
from bot.models.port import ChatMessage, CutShort, complete
from tests.fakes import openai_behaviours as fake
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE

KEY = "sk-very-secret"
SECRET = "my diagnosis is private"
ASKED: list[ChatMessage] = [{"role": "system", "content": "You are Lyra."}, {"role": "user", "content": SECRET}]


def model_at(
    base_url: str,
    api_key: str | None = KEY,
    facts: BackendFacts | None = None,
    *,
    name: str = "main",
    tries: int = 4,
    waits: Sequence[float] = (0.0,),
    **keys: Any,
) -> OpenAIModel:
    """Return a model that writes 64 tokens in five seconds at most, and is offered no tools, unless its configuration says else."""
    backend = Backend(**{"base_url": base_url, "model": "m", "timeout": 5.0, "max_tokens": 64, "tools": "off", **keys})
    return OpenAIModel(name, backend, api_key, facts or BackendFacts(), tries=tries, waits=waits)


@asynccontextmanager
async def talking(**options: Any) -> AsyncIterator[tuple[OpenAIServer, OpenAIModel]]:
    async with OpenAIServer() as server:
        model = model_at(server.base_url, **options)
        try:
            yield server, model
        finally:
            await model.close()


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


async def test_an_answer_comes_in_pieces_that_join_to_the_text() -> None:
    async with talking() as (server, model):
        server.script("Good  evening, Ada.\nTea?")
        pieces = [piece async for piece in model.stream(ASKED)]
        assert len(pieces) == 4
        assert "".join(pieces) == "Good  evening, Ada.\nTea?"


async def test_one_connection_serves_one_answer_after_the_other() -> None:
    async with talking() as (server, model):
        for _ in range(3):
            await complete(model, ASKED)
        assert len({request.connection for request in server.requests}) == 1


async def test_an_answer_that_is_complete_is_not_kept_waiting_by_a_body_without_an_end() -> None:
    async with talking() as (server, model):
        said = json.dumps({"choices": [{"delta": {"content": "Tea."}, "finish_reason": "stop"}]})
        server.script(fake.Events((said, "[DONE]"), held=True))
        async with asyncio.timeout(PATIENCE):
            assert await complete(model, ASKED) == "Tea."
            await server.left.wait()


async def test_the_whole_prompt_arrives_and_the_key_with_it() -> None:
    async with talking() as (server, model):
        assert await complete(model, ASKED) == f"Echo: {SECRET}"
        [request] = server.requests
        assert request.messages == ASKED
        assert request.body["max_tokens"] == 64
        assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [KEY, None])
async def test_user_and_password_of_a_url_go_where_http_has_them_and_stand_in_for_a_key(key: str | None) -> None:
    async with OpenAIServer() as server:
        model = model_at(server.base_url.replace("http://", "http://ada:hun%3Ater2@"), api_key=key)
        assert await complete(model, ASKED) == f"Echo: {SECRET}"
        await model.close()
    assert server.requests[0].headers["authorization"] == f"Basic {b64encode(b'ada:hun:ter2').decode()}"


async def test_without_a_key_none_is_sent_whatever_the_environment_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody-else")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    async with talking(api_key=None) as (server, model):
        await complete(model, ASKED)
        assert "somebody-else" not in str(server.requests[0].headers)
        assert "authorization" not in server.requests[0].headers


async def test_an_endpoint_that_cannot_stream_is_understood() -> None:
    async with talking() as (server, model):
        server.script(fake.Raw(b'{"choices": [{"message": {"content": "Hello."}}]}', "application/json"))
        assert await complete(model, ASKED) == "Hello."


async def test_an_answer_cut_at_the_token_limit_counts() -> None:
    async with talking() as (server, model):
        server.script(fake.Say("As far as I", finish="length"))
        assert await complete(model, ASKED) == "As far as I"
        cut = json.dumps({"choices": [{"message": {"content": "As far"}, "finish_reason": "length"}]}).encode()
        server.script(fake.Say("As far as I", finish="length"), fake.Raw(cut, "application/json"), fake.Say("Whole."))
        cut_short = [[isinstance(piece, CutShort) async for piece in model.stream(ASKED)][-1] for _ in range(3)]
        assert cut_short == [True, True, False]


async def test_half_characters_and_nul_do_not_get_in() -> None:
    async with talking() as (server, model):
        server.script(fake.Events((fake.delta("a\ud800\0b", "stop"), "[DONE]")))
        assert await complete(model, ASKED) == "a\ufffd\ufffdb"


def test_retry_after_is_read_in_all_its_spellings() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "1.5"}, now) == 1.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}, now) == 0.25
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, now) == 30.0
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, now) == 0.0
    assert [retry_after({"retry-after": value}, now) for value in ("soon", "nan", "inf", "")] == [None] * 4
    assert retry_after({}, now) is None


async def test_where_no_waits_are_given_the_next_try_is_made_at_once() -> None:
    async with talking(waits=[]) as (server, model):
        server.script(fake.DOWN)
        assert await complete(model, ASKED) == f"Echo: {SECRET}"


@pytest.mark.parametrize("politely", [True, False])
async def test_an_answer_cut_in_the_middle_is_no_answer_and_not_repeated(politely: bool) -> None:
    async with talking() as (server, model):
        server.script(fake.Cut("one two three four", 2, politely))
        got: list[str] = []
        with pytest.raises(ModelDown):
            async for piece in model.stream(ASKED):
                got.append(piece)
        assert "".join(got) == "one two"
        assert len(server.requests) == 1


async def test_garbage_after_the_first_piece_is_said_and_not_repeated() -> None:
    async with talking() as (server, model):
        server.script(fake.Events((fake.delta("Good"), "{{{")))
        with pytest.raises(ModelGarbled):
            await complete(model, ASKED)
        assert len(server.requests) == 1


STALLS = {"silence": fake.Hang(), "silence after a word": fake.Hang("Well,")}


@pytest.mark.parametrize("stall", STALLS.values(), ids=STALLS.keys())
async def test_the_deadline_is_for_the_whole_answer(stall: fake.Behaviour) -> None:
    async with talking(timeout=2) as (server, model):
        server.script(stall)
        with pytest.raises(ModelTimeout, match="within 2 seconds"):
            await complete(model, ASKED)
        assert len(server.requests) <= 1


async def test_an_answer_that_still_comes_at_the_deadline_is_cut_there() -> None:
    async with talking(timeout=2) as (server, model):
        server.script(fake.Drip("a b c d e f g h " * 20, 0.05))
        pieces = [piece async for piece in model.stream(ASKED)]
        assert isinstance(pieces[-1], CutShort) and "".join(pieces).startswith("a b")
        assert len(server.requests) == 1


async def test_the_deadline_does_not_disturb_what_the_caller_does_between_pieces() -> None:
    async with talking(timeout=2) as (server, model):
        server.script(fake.Hang("a"))
        stream = model.stream(ASKED)
        assert await anext(stream) == "a"
        await asyncio.sleep(2.05)
        with pytest.raises(ModelTimeout):
            await anext(stream)


async def test_a_line_without_an_end_is_not_kept() -> None:
    async with talking(tries=1) as (server, model):
        server.script(fake.Raw(b"data: " + b"x" * 3_000_000, "text/event-stream"))
        with pytest.raises(ModelGarbled, match="a line of more than"):
            await complete(model, ASKED)


async def test_an_endless_answer_ends_at_the_byte_cap() -> None:
    async with talking() as (server, model):
        server.script(fake.Endless(f"{{}}{'x' * 20_000} "))
        with pytest.raises(ModelGarbled, match="longer than 1048576 bytes"):
            await complete(model, ASKED)
        await asyncio.wait_for(server.left.wait(), 5)


async def test_an_answer_nobody_wants_any_more_is_hung_up() -> None:
    async with talking() as (server, model):
        server.script(fake.Endless(delay=0.01))
        async with aclosing(model.stream(ASKED)) as pieces:
            await anext(pieces)
        await asyncio.wait_for(server.left.wait(), 5)


@pytest.mark.parametrize("stall", [fake.Hang(), fake.Hang("Well,")])
async def test_cancelling_stops_at_once(stall: fake.Behaviour) -> None:
    async with talking() as (server, model):
        server.script(stall)
        task = asyncio.create_task(complete(model, ASKED))
        await server.heard(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 5)
        assert len(server.requests) == 1


async def test_cancelling_during_a_wait_stops_at_once() -> None:
    waiting = asyncio.Event()

    class Waits(list[float]):
        def __iter__(self) -> Iterator[float]:
            waiting.set()
            return super().__iter__()

    async with talking(waits=Waits([4.0])) as (server, model):
        server.script(fake.DOWN)
        task = asyncio.create_task(complete(model, ASKED))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(server.requests) == 1


@pytest.mark.parametrize("key", ["", "two\nlines", " padded", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(BadSecret) as caught:
        model_at("http://127.0.0.1/v1", key)
    assert not key or key not in str(caught.value)


def test_neither_key_nor_password_is_shown() -> None:
    endpoint = Endpoint("http://ada:pass@[::1]:8080/v1/?token=abc", "m", KEY)
    assert endpoint.shown == "http://[::1]:8080/v1"
    assert KEY not in repr(endpoint)


async def test_equal_prompts_give_equal_answers_where_the_answer_is_their_hash() -> None:
    async with talking() as (server, model):
        server.default = fake.hashed
        first, again = await complete(model, ASKED), await complete(model, ASKED)
        other = await complete(model, [*ASKED, {"role": "user", "content": "?"}])
        assert first == again != other
