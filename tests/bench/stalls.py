"""How long the event loop stands still while messages of 30,000 characters are taken in, answered, summed up and recalled.

By the wall that is what the machine makes of it as well, so a bare loop in a process of its own runs at the same time; the
model's server is a process of its own too, as it is elsewhere.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from bot.app import open_app
from tests.kits.lyra_kit import ModelServer
from tests.kits.stalls import LONG, long_talk, say, stalls

Row = Callable[[str, float, str, float, str], None]
_IDLE_SECONDS = 2.0
# An answer that counts would be cut off.
_LINKS = " ".join(f"https://{sha256(str(n).encode()).hexdigest()[:12]}.example/x" for n in range(2_400))


async def measure(row: Row, messages: int = 20) -> None:
    """Measure the longest stall, by the loop's own processor time and by the wall."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["LYRA_HOME"] = name
        async with beside("tests.fakes.openai_server", "--hashed", "--port-file", str(Path(name) / "port")) as (server, _):
            config = f'chat = "main"\n[models.main]\nbase_url = "http://127.0.0.1:{server}/v1"\nmodel = "m"\n'
            (Path(name) / "lyra.toml").write_text(config)
            async with open_app() as app:
                # What is loaded when it is first needed is not counted: it is no work on a text.
                await say(app, ["hello", "/recall hello", "/summarize"])
                async with stalls(time.thread_time) as idle:
                    await asyncio.sleep(_IDLE_SECONDS)
                async with stalls(time.thread_time) as own, stalls() as busy, beside("tests.bench.bare_loop") as (_, bare):
                    await long_talk(app, messages)
                    at_that_time = float(await bare())
    what = f"{messages} messages of {LONG:,} characters"
    row(f"longest step of the event loop, its own processor time, {what}", own.longest, "nothing to do", idle.longest, "ms")
    row(f"longest stall of the event loop by the wall, {what}", busy.longest, "a bare loop at that time", at_that_time, "ms")
    await _links(row, idle.longest)


async def _links(row: Row, idle: float) -> None:
    with tempfile.TemporaryDirectory() as name, ModelServer(lambda request: _LINKS) as model:
        os.environ["LYRA_HOME"] = name
        (Path(name) / "lyra.toml").write_text(model.config())
        async with open_app() as app:
            await say(app, ["hello"])
            async with stalls(time.thread_time) as own:
                await say(app, ["which links are there?"])
    row(
        "longest step of the event loop, its own processor time, an answer of 2,400 links",
        own.longest,
        "nothing to do",
        idle,
        "ms",
    )


@asynccontextmanager
async def beside(module: str, *arguments: str) -> AsyncIterator[tuple[str, Callable[[], "asyncio.Future[str]"]]]:
    """Run a module in a process of its own; give its first line, and what ends it and returns its last."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", module, *arguments, stdin=pipe, stdout=pipe)
    assert process.stdin and process.stdout
    reader, writer = process.stdout, process.stdin

    async def ended() -> str:
        writer.close()
        return (await reader.read()).decode().strip()

    first = (await reader.readline()).decode().strip()
    try:
        yield first, lambda: asyncio.ensure_future(ended())
    finally:
        writer.close()
        await process.wait()
