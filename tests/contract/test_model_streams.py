"""Responses as real servers, gateways and proxies send them: whole answers come whole, and half of one counts as none."""

import gzip
import json
from typing import Any

import pytest

from bot.errors import ModelBusy, ModelDenied, ModelDown, ModelError, ModelFiltered, ModelMissing, ModelRefused
from bot.models.port import CutShort, complete
from tests.contract.test_model import ASKED, KEY, talking
from tests.fakes import openai_behaviours as fake

SAID = "Good evening."


def chunk(content: str | None = None, finish: str | None = None) -> str:
    """Return the data of one streamed chunk."""
    return json.dumps({"choices": [{"index": 0, "delta": {"content": content} if content else {}, "finish_reason": finish}]})


FIRST, SECOND, STOP = chunk("Good "), chunk("evening."), chunk(finish="stop")


def events(*data: str, lead: str = "data: ", end: str = "\n\n") -> bytes:
    """Return server-sent events as bytes."""
    return "".join(f"{lead}{one}{end}" for one in data).encode()


def stream(*data: str, kind: str = "text/event-stream", **more: Any) -> fake.Raw:
    """Return a response of events, declared as `kind`."""
    return fake.Raw(events(*data, **more), kind)


ANSWERED = json.dumps({"choices": [{"message": {"role": "assistant", "content": SAID}, "finish_reason": "stop"}]})
WHOLE = {
    "null choices, with the usage": stream(FIRST, '{"choices": null, "usage": {}}', SECOND, STOP, "[DONE]"),
    "no choices, with the usage": stream(FIRST, SECOND, STOP, '{"usage": {"total_tokens": 9}}', "[DONE]"),
    "an event without data": stream(FIRST, "", SECOND, STOP, "[DONE]"),
    "comments": fake.Raw(b": PROCESSING\n\n" + events(FIRST, SECOND) + b": PROCESSING\n\n" + events(STOP), "text/event-stream"),
    "no space behind the colon": stream(FIRST, SECOND, STOP, lead="data:"),
    "carriage returns": stream(FIRST, SECOND, STOP, end="\r\n\r\n"),
    "compressed": fake.Raw(gzip.compress(events(FIRST, SECOND, STOP)), "text/event-stream", headers={"Content-Encoding": "gzip"}),
    "events declared as JSON": stream(FIRST, SECOND, STOP, kind="application/json"),
    "events declared as lines of JSON": stream(FIRST, SECOND, STOP, kind="application/x-ndjson"),
    "a document declared as events": fake.Raw(ANSWERED.encode(), "text/event-stream"),
    "a document declared as text": fake.Raw(b"\xef\xbb\xbf\n\n" + ANSWERED.encode(), "text/plain"),
    "a whole message in one event": stream(ANSWERED, "[DONE]"),
    "parts as a gateway to another interface names them": stream(
        '{"choices": [{"delta": {"content": [{"type": "output_text", "text": "Good evening."}]}, "finish_reason": "stop"}]}'
    ),
    "an event over several lines": stream(json.dumps(json.loads(ANSWERED), indent=1).replace("\n", "\ndata: "), "[DONE]"),
    "an event over several lines, and nothing more": stream(ANSWERED.replace(', "fin', ',\ndata: "fin'), end=""),
    "words that keep the connection open": stream("null", FIRST, "ping", SECOND, "heartbeat", STOP, "null", "[DONE]"),
    "a text in place of a message": stream(
        *(json.dumps({"choices": [{"index": 0, "text": some, "finish_reason": None}]}) for some in ("Good ", "evening.")),
        "[DONE]",
    ),
    "a reason as an object": stream(
        FIRST, '{"choices": [{"delta": {"content": "evening."}, "finish_reason": {"type": "stop"}}]}'
    ),
    "an empty reason in each chunk": stream(chunk("Good ", ""), chunk("evening.", "null"), STOP),
}


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_whole_answer_comes_whole_however_it_is_sent(kind: str) -> None:
    async with talking(tries=1) as (server, model):
        server.script(WHOLE[kind])
        assert await complete(model, ASKED) == SAID
        assert len(server.requests) == 1


async def test_a_chunk_that_ends_within_a_character_costs_no_answer() -> None:
    async with talking(tries=1) as (server, model):
        server.script(fake.Raw(events(FIRST).replace(b"Good ", b"Good \xe2\x82") + events(STOP), "text/event-stream"))
        assert await complete(model, ASKED) == "Good \ufffd"


HALF = {
    "an error as its end": stream(FIRST, chunk(finish="error")),
    "a lack of resources as its end": stream(FIRST, chunk(finish="insufficient_system_resource"), "[DONE]"),
    "an empty reason, and nothing more": stream(chunk("Good ", "")),
    "nothing more in the middle of an event": fake.Raw(events(FIRST) + b'data: {"choices": [{"del', "text/event-stream"),
    "a reason called null, and nothing more": stream(chunk("Good ", "null")),
    "an error object without a name": stream(FIRST, '{"object": "error", "message": "died", "code": 500}', "[DONE]"),
    "an error in a field of its own": fake.Raw(events(FIRST) + b'error: {"code": 500}\n\n', "text/event-stream"),
}


@pytest.mark.parametrize("kind", HALF)
async def test_half_an_answer_is_not_taken_for_a_whole_one(kind: str) -> None:
    async with talking() as (server, model):
        server.script(HALF[kind])
        with pytest.raises(ModelDown):
            await complete(model, ASKED)
        document = {"choices": [{"message": {"content": "Good"}, "finish_reason": "error"}]}
        server.script(*[fake.Raw(json.dumps(document).encode(), "application/json")] * 4)
        with pytest.raises(ModelDown):
            await complete(model, ASKED)


async def test_what_a_limit_ended_is_known_where_the_reason_is_an_object() -> None:
    async with talking() as (server, model):
        server.script(stream(FIRST, '{"choices": [{"delta": {}, "finish_reason": {"type": "length", "length": 8}}]}'))
        assert [isinstance(piece, CutShort) async for piece in model.stream(ASKED)] == [False, True]


@pytest.mark.parametrize(
    "reason", ["length", "model_length", "max_tokens", "MAX_TOKENS", "content_filter", "PROHIBITED_CONTENT", "ERROR_LIMIT"]
)
async def test_what_a_limit_or_a_filter_ended_is_known_to_have_no_end(reason: str) -> None:
    async with talking() as (server, model):
        server.script(stream(FIRST, chunk(finish=reason), "[DONE]"))
        assert [isinstance(piece, CutShort) async for piece in model.stream(ASKED)] == [False, True]


def refused(status: int, message: str) -> fake.Raw:
    """Return a refusal as Google sends it: a list with one error."""
    return fake.Raw(json.dumps([{"error": {"code": status, "message": message}}]).encode(), "application/json", status)


STATED = "You exceeded your current quota. Please retry in {}."
REFUSED: dict[str, tuple[fake.Behaviour, type[ModelError], str]] = {
    "a key that Google does not know": (refused(400, "API key not valid. Please pass a valid API key."), ModelDenied, "the key"),
    "a key that xAI does not know": (fake.Status(400, "Incorrect API key provided: s***."), ModelDenied, "the key"),
    "an empty account at Anthropic": (fake.Status(400, "Your credit balance is too low to …"), ModelDenied, "no credit"),
    "an address that LM Studio does not know": (
        fake.Raw(b'{"error": "Unexpected endpoint or method. (POST /chat/completions)"}', "application/json"),
        ModelMissing,
        "the address",
    ),
    "a status in digits": (stream('{"error": {"message": "no", "type": "None", "code": "401"}}'), ModelDenied, "the key"),
    "a model that is gone from OpenRouter": (
        fake.Status(400, "local/one is not a valid model ID", 400),
        ModelMissing,
        "model's name",
    ),
    "one gone from Groq": (fake.Status(400, "It has been decommissioned.", "model_decommissioned"), ModelMissing, "model's name"),
    "one gone from Mistral": (fake.Status(400, "Invalid model: local", "1500", "invalid_model"), ModelMissing, "model's name"),
    "one gone from DeepSeek": (fake.Status(400, "Model Not Exist", "invalid_request_error"), ModelMissing, "model's name"),
    "one gone from NVIDIA": (fake.Status(410, "The model has reached its end of life."), ModelMissing, "model's name"),
    "one that LM Studio has not loaded": (
        fake.Status(400, "No models loaded. Please load a model.", None),
        ModelMissing,
        "model's name",
    ),
    "one that this key may not use": (
        fake.Status(403, "No access to model `x`", "model_not_found"),
        ModelMissing,
        "model's name",
    ),
    "a message that OpenRouter's moderation stops": (
        fake.Status(403, "Your input was flagged", 403),
        ModelFiltered,
        r"does not accept the request \(status 403",
    ),
    "one that OpenAI flags": (
        fake.Status(400, "Your prompt was flagged as potentially violating our usage policy.", "invalid_prompt"),
        ModelFiltered,
        "invalid_prompt",
    ),
    "a prompt that Azure filters": (
        fake.Status(400, "The response was filtered due to the prompt triggering …", "content_filter", param="prompt"),
        ModelFiltered,
        r"does not accept the request \(status 400, content_filter",
    ),
    "one that Azure filters behind LiteLLM": (
        fake.Status(400, "litellm.ContentPolicyViolationError: … Azure OpenAI's content management policy.", "400"),
        ModelFiltered,
        "does not accept the request",
    ),
    "one that DashScope filters": (
        fake.Status(400, "Input data may …", "data_inspection_failed"),
        ModelFiltered,
        "data_inspection",
    ),
    "an overload that says when it is over": (
        fake.Raw(b'{"error": {"message": "Loading"}}', "application/json", 503, {"Retry-After": "7"}),
        ModelBusy,
        "asks to wait",
    ),
    "a limit in digits": (stream('{"error": {"message": "slow down", "code": "429"}}'), ModelBusy, "asks to wait"),
}


@pytest.mark.parametrize("kind", REFUSED)
async def test_a_refusal_that_is_no_questions_fault_says_what_to_do(kind: str) -> None:
    behaviour, error, sentence = REFUSED[kind]
    async with talking(tries=1) as (server, model):
        server.script(behaviour)
        with pytest.raises(error, match=sentence) as caught:
            await complete(model, ASKED)
        assert KEY not in str(caught.value)


async def test_a_refusal_that_quotes_talk_of_moderation_is_no_filter() -> None:
    async with talking(tries=1) as (server, model):
        server.script(fake.Status(422, "extra fields: 'tools', input: 'who does the moderation, and who flagged it?'"))
        with pytest.raises(ModelRefused) as caught:
            await complete(model, ASKED)
        assert not isinstance(caught.value, ModelFiltered)


@pytest.mark.parametrize(("said", "seconds"), [("37.5s", 37.5), ("840ms", 0.84), ("20 seconds", 20.0), ("a while", None)])
async def test_a_wait_that_only_the_text_states_is_kept(said: str, seconds: float | None) -> None:
    async with talking(tries=1) as (server, model):
        server.script(refused(429, STATED.format(said)))
        with pytest.raises(ModelBusy) as caught:
            await complete(model, ASKED)
        assert caught.value.retry_after == seconds


async def test_a_gateway_that_names_the_newer_limit_in_its_text_alone_gets_it() -> None:
    said = "litellm.BadRequestError: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    async with talking() as (server, model):
        server.script(fake.Status(400, said, "400", "None", "None"))
        await complete(model, ASKED)
        assert ["max_completion_tokens" in request.body for request in server.requests] == [False, True]
