"""The servers of the fakes: as a process of their own, as other clients see them, and for whoever connects while one ends."""

import asyncio
import gc
import socket
import sys
import warnings
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path

import openai
import pytest
from aiohttp import web

from tests.fakes import openai_behaviours as fake
from tests.fakes.loopback import Loopback
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.openai_vectors import DIMENSION
from tests.kits.size import few

MOMENTS = range(6)


async def ends_while_somebody_comes(moment: int) -> None:
    served = Loopback(web.Application())
    port = await served.begin()
    with socket.create_connection(("127.0.0.1", port)) as coming:
        for _ in range(moment):
            await asyncio.sleep(0)
        await served.end()
        coming.settimeout(5)
        with suppress(ConnectionResetError):
            assert coming.recv(1) == b"", "the connection is still there"


@pytest.mark.parametrize("moment", MOMENTS)
def test_whoever_comes_while_a_server_ends_is_let_go_of(moment: int) -> None:
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(ends_while_somebody_comes(moment))
        gc.collect()
    assert [str(one.message) for one in left if one.category is ResourceWarning] == []


ROOT = Path(__file__).parents[2]


def client(base_url: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)


@pytest.mark.parametrize(("style", "reply"), few([(None, "Echo: Tea?"), ("--echo", "Echo: Tea?"), ("--hashed", "Answer ")]))
async def test_it_runs_as_a_process_and_ends_with_its_input(tmp_path: Path, style: str | None, reply: str) -> None:
    port_file = tmp_path / "port"
    arguments = ["-m", "tests.fakes.openai_server", "--port-file", str(port_file), *([style] if style else [])]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdin=PIPE, stdout=PIPE, cwd=ROOT)
    assert process.stdin is not None
    assert process.stdout is not None
    port = (await asyncio.wait_for(process.stdout.readline(), 20)).decode().strip()
    assert port_file.read_text() == port
    async with client(f"http://127.0.0.1:{port}/v1") as talk:
        done = await talk.chat.completions.create(model="m", messages=[{"role": "user", "content": "Tea?"}])
        assert (done.choices[0].message.content or "").startswith(reply)
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_the_openai_library_finds_every_shape_as_it_expects() -> None:
    async with OpenAIServer() as server, client(server.base_url) as talk:
        assert [model.id async for model in talk.models.list()] == ["fake-model"]
        done = await talk.chat.completions.create(model="m", messages=[{"role": "user", "content": "Tea?"}])
        assert done.choices[0].finish_reason == "stop"
        assert done.usage is not None
        assert done.usage.total_tokens == 3
        stream = await talk.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Tea?"}], stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Echo: Tea?"
        assert chunks[-1].usage is not None
        for encoding in ("float", "base64"):
            made = await talk.embeddings.create(model="e", input=["a cat", "b"], encoding_format=encoding)
            assert len(made.data) == 2
        plain = await talk.embeddings.create(model="e", input="a cat")
        assert len(plain.data[0].embedding) == DIMENSION


async def test_scripted_errors_reach_the_openai_library_as_its_own() -> None:
    async with OpenAIServer() as server, client(server.base_url) as talk:
        server.script(fake.TOO_LONG)
        with pytest.raises(openai.BadRequestError) as caught:
            await talk.chat.completions.create(model="m", messages=[{"role": "user", "content": "Tea?"}])
        assert caught.value.code == "context_length_exceeded"
