"""What goes wrong at a model's endpoint: what passes is tried again, and each failure has its name and says what to do."""

import asyncio

import pytest

from bot.errors import ContextTooLong, ModelBusy, ModelDenied, ModelDown, ModelError, ModelGarbled, ModelMissing, ModelRefused
from bot.models.port import complete
from tests.contract.test_model import ASKED, KEY, SECRET, free_address, model_at, talking
from tests.fakes import openai_behaviours as fake
from tests.fakes.pulse import PATIENCE


@pytest.mark.parametrize("fault", [fake.BUSY, fake.BROKEN, fake.DOWN, fake.HTML, fake.Cut("Good evening", 0)])
async def test_a_passing_trouble_is_not_noticed(fault: fake.Behaviour) -> None:
    async with talking() as (server, model):
        server.script(fault, fault, fault, "Here I am.")
        assert await complete(model, ASKED) == "Here I am."
        assert len(server.requests) == 4


NO_ANSWERS = {
    "no choices": fake.NO_CHOICES,
    "empty choices": fake.EMPTY_CHOICES,
    "null content": fake.NULL_CONTENT,
    "broken JSON in a stream": fake.INVALID_JSON,
    "broken JSON": fake.Raw(b'{"choices": [', "application/json"),
    "JSON of the wrong kind": fake.Raw(b"[1, 2]", "application/json"),
    "deep JSON": fake.Raw(b"[" * 100_000, "application/json"),
    "text of the wrong type": fake.WRONG_TYPES,
    "choices of the wrong type": fake.Events(('{"choices": {"0": 1}}',)),
    "a choice of the wrong type": fake.Events(('{"choices": [3]}',)),
    "white space": fake.Say(" \n  "),
    "nothing": fake.Say(""),
    "filtered away": fake.Say("", finish="content_filter"),
    "ten megabytes": fake.HUGE,
    "ten megabytes in a line": fake.HUGE_STREAM,
    "no bytes": fake.Raw(b"", "text/event-stream"),
}


@pytest.mark.parametrize("fault", NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
async def test_what_is_no_answer_is_tried_again_once_and_then_said(fault: fake.Behaviour) -> None:
    async with talking(tries=4) as (server, model):
        server.script(*[fault] * 4)
        with pytest.raises(ModelGarbled, match=r"The model m at http://127.* is no answer: .+\.") as caught:
            await complete(model, ASKED)
        assert caught.value.attempts == 2
        assert len(server.requests) == 2


FAULTS: dict[str, tuple[fake.Behaviour, type[ModelError], int]] = {
    "busy": (fake.BUSY, ModelBusy, 2),
    "broken": (fake.BROKEN, ModelDown, 2),
    "overloaded": (fake.Status(529), ModelDown, 2),
    "cut before the first word": (fake.Cut("Good evening", 0), ModelDown, 2),
    "an error in the stream": (fake.Events(('{"error": {"message": "cuda", "code": 500}}',)), ModelDown, 2),
    "a web page": (fake.HTML, ModelDown, 2),
    "wrong key": (fake.DENIED, ModelDenied, 1),
    "forbidden": (fake.Status(403), ModelDenied, 1),
    "no credit": (fake.Status(429, "You exceeded your current quota", "insufficient_quota"), ModelDenied, 1),
    "unknown model": (fake.Status(404, "model 'm' not found"), ModelMissing, 1),
    "no endpoint that sees": (fake.Status(404, "No endpoints found that support image input"), ModelRefused, 1),
    "no money": (fake.Status(402, "Insufficient Balance"), ModelDenied, 1),
    "bad request": (fake.Status(400, SECRET, "invalid_value", param="temperature"), ModelRefused, 1),
    "unprocessable": (fake.Status(422), ModelRefused, 1),
    "redirect": (fake.Raw(b"", status=307, headers={"Location": "http://127.0.0.1:1/v1"}), ModelRefused, 1),
    "body too large": (fake.Raw(b"<html>413</html>", status=413), ContextTooLong, 1),
}


@pytest.mark.parametrize(("fault", "error", "asked"), FAULTS.values(), ids=FAULTS.keys())
async def test_each_failure_has_its_name(fault: fake.Behaviour, error: type[ModelError], asked: int) -> None:
    async with talking(tries=2) as (server, model):
        server.script(fault, fault)
        with pytest.raises(error) as caught:
            await complete(model, ASKED)
        assert type(caught.value) is error
        assert len(server.requests) == asked
        assert KEY not in str(caught.value)
        assert SECRET not in str(caught.value)


TOO_LONG: dict[str, fake.Behaviour] = {
    "OpenAI": fake.TOO_LONG,
    "Ollama": fake.Status(400, "the input length exceeds the context length"),
    "Ollama, older": fake.Status(400, "input length exceeds maximum context length"),
    "Ollama, chat": fake.Status(400, "prompt too long; exceeded max context length by 12 tokens"),
    "llama.cpp": fake.Status(
        400, "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", 400
    ),
    "llama.cpp, type": fake.Status(400, "no", 400, "exceed_context_size_error"),
    "llama.cpp, 500": fake.Status(500, "Context size has been exceeded.", 500, "server_error"),
    "vLLM": fake.Status(400, "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens", 400),
    "vLLM, engine": fake.Status(400, "The decoder prompt (length 17772) is longer than the maximum model length of 16384."),
    "vLLM, old shape": fake.Raw(b'{"object":"error","message":"maximum context length is 9"}', "application/json", 400),
    "LM Studio": fake.Raw(
        b'{"error":"Trying to keep the first 5023 tokens when context the overflows. However, the model is loaded with context length '
        b'of only 2048 tokens, which is not enough."}',
        "application/json",
        400,
    ),
    "LM Studio, older": fake.Raw(
        b'{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}',
        "application/json",
        400,
    ),
    "LM Studio, newer": fake.Raw(
        b'{"error":"Cannot truncate prompt with n_keep (5023) >= n_ctx (2048)"}', "application/json", 400
    ),
    "TGI": fake.Raw(
        b'{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 5023 `inputs` tokens and 64 '
        b'`max_new_tokens`","error_type":"validation"}',
        "application/json",
        422,
    ),
    "TGI, inputs": fake.Raw(
        b'{"error":"Input validation error: `inputs` must have less than 2048 tokens. Given: 5023"}', "application/json", 422
    ),
    "TabbyAPI": fake.Raw(b'{"detail":"Request length 5023 + 64 is greater than max_seq_len 2048"}', "application/json", 400),
    "Mistral": fake.Raw(
        b'{"object":"error","message":"Prompt contains 5023 tokens and 0 draft tokens, too large for model with 2048 maximum context '
        b'length","type":"invalid_request_message_error","code":"3051"}',
        "application/json",
        400,
    ),
    "Groq": fake.Status(
        413,
        "Request too large for model `x` on tokens per minute (TPM): Limit 2048, Requested 5087, please reduce "
        "your message size and try again.",
        "rate_limit_exceeded",
        "tokens",
    ),
    "Groq, messages": fake.Status(400, "Please reduce the length of the messages or completion.", "context_length_exceeded"),
    "OpenAI, a minute's share": fake.Status(
        429, "Request too large for gpt-4o on tokens per min (TPM): Limit 2048, Requested 5087.", "rate_limit_exceeded", "tokens"
    ),
    "SGLang": fake.Status(400, "The input (5023 tokens) is longer than the model's context length (2048 tokens).", 400),
    "SGLang, newer": fake.Status(400, "Input length (5023 tokens) exceeds the maximum allowed length (2048 tokens).", 400),
    "SGLang, sum": fake.Status(
        400,
        "Requested token count exceeds the model's maximum context length of 2048 tokens. You requested a total of 5087 tokens: "
        "5023 tokens from the input messages and 64 tokens for the completion.",
        400,
    ),
    "xAI": fake.Status(400, "This model's maximum prompt length is 2048 but the request contains 5023 tokens."),
    "Google": fake.Status(400, "The input token count (5023) exceeds the maximum number of tokens allowed (2048)."),
    "DashScope": fake.Status(400, "Range of input length should be [1, 2048]", "invalid_parameter_error"),
    "DeepInfra": fake.Status(400, "Requested input length 5023 exceeds maximum input length 2048"),
    "TensorRT-LLM": fake.Status(
        400, "The sum of prompt length (5023) and max_tokens (64) should not exceed max_num_tokens (2048)"
    ),
    "SambaNova": fake.Status(
        400, "The provided prompt is 5023 tokens long, but the maximum supported sequence length is just 2048!", "Bad Request"
    ),
    "Cerebras": fake.Status(
        400,
        "Please reduce the length of the messages or completion. Current length is 5023 while limit is 2048",
        "context_length_exceeded",
    ),
    "Anthropic": fake.Status(400, "input length and `max_tokens` exceed context limit: 5023 + 64 > 2048, decrease input length"),
    "Zhipu": fake.Status(400, "Prompt exceeds max length", "1261"),
    "Volcengine": fake.Status(400, "Total tokens of image and text exceed max message tokens.", "InvalidParameter"),
    "Bedrock": fake.Status(400, "Too many input tokens. Max input tokens: 2048, request input token count: 5023", "validation"),
    "in the stream": fake.Events(('{"error": {"message": "Context size has been exceeded.", "code": 500}}',)),
}


@pytest.mark.parametrize("fault", TOO_LONG.values(), ids=TOO_LONG.keys())
async def test_a_prompt_that_is_too_long_is_told_apart_and_not_repeated(fault: fake.Behaviour) -> None:
    async with talking() as (server, model):
        server.script(fault)
        with pytest.raises(ContextTooLong):
            await complete(model, ASKED)
        assert len(server.requests) == 1


TOLD = ["LM Studio", "LM Studio, newer", "TGI", "TGI, inputs", "TabbyAPI", "Mistral", "SGLang", "SGLang, newer", "SGLang, sum",
        "xAI", "Google", "DeepInfra", "TensorRT-LLM", "SambaNova", "Cerebras", "Anthropic", "Bedrock"]  # fmt: skip


@pytest.mark.parametrize("kind", TOLD)
async def test_what_a_refusal_says_of_the_context_and_of_the_prompt_is_read(kind: str) -> None:
    async with talking() as (server, model):
        server.script(TOO_LONG[kind])
        with pytest.raises(ContextTooLong) as caught:
            await complete(model, ASKED)
        assert (caught.value.limit, caught.value.asked) == (2048, 5023)


async def test_a_newer_model_gets_the_limit_under_its_new_name() -> None:
    refusal = fake.Status(400, "Use 'max_completion_tokens' instead.", "unsupported_parameter", param="max_tokens")
    async with talking() as (server, model):
        server.script(refusal)
        await complete(model, ASKED)
        await complete(model, ASKED)
        assert ["max_completion_tokens" in request.body for request in server.requests] == [False, True, True]


async def test_who_is_not_there_is_said_with_what_to_do() -> None:
    address = free_address()
    model = model_at(address, tries=2)
    with pytest.raises(ModelDown) as caught:
        await complete(model, ASKED)
    assert str(caught.value) == f"No model answers at {address}. Is it running?"
    await model.close()


@pytest.mark.parametrize(
    "sent", [b"", b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"]
)
async def test_who_is_there_and_does_not_answer_is_told_from_who_is_not_there(sent: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"}]")
        writer.write(sent)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = model_at(address)
        with pytest.raises(ModelDown) as caught:
            await complete(model, ASKED)
        assert str(caught.value) == f"The connection to {address} broke."
        await model.close()


async def test_a_wrong_model_name_is_in_the_sentence() -> None:
    async with talking(model="llama9") as (server, model):
        server.script(fake.Status(404))
        with pytest.raises(ModelRefused, match="llama9"):
            await complete(model, ASKED)


async def test_the_endpoint_says_how_long_to_wait() -> None:
    async with talking(waits=[1_000.0]) as (server, model):
        server.script(fake.Status(429, headers={"Retry-After": "0"}), "Here I am.")
        assert await complete(model, ASKED) == "Here I am."
        # Its own pause would have outlasted the deadline.
        server.script(fake.BUSY)
        with pytest.raises(ModelBusy):
            await complete(model, ASKED)


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    async with talking() as (server, model):
        server.script(fake.Status(429, headers={"Retry-After": "3600"}))
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ModelBusy) as caught:
                await complete(model, ASKED)
        assert caught.value.retry_after == 3600.0
        assert len(server.requests) == 1
