"""Many connections, cut ones, and those of a browser that signed out: others are served, and nobody is shown what is not theirs."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.web import server_sent_events
from bot.web.connections import MOST_CONNECTIONS, OpenConnections
from tests.fakes.pulse import PATIENCE
from tests.kits.browsing import Site, site


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The page of a home."""
    async with site(tmp_path, monkeypatch) as served:
        yield served


async def test_who_fills_all_connections_and_says_nothing_keeps_nobody_out(served: Site) -> None:
    ada, port = await served.visitor(), int(served.url.rpartition(":")[2])
    async with ada.watching() as tab:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_CONNECTIONS + 10)]
        for _, writer in idle[::2]:
            writer.write(b"POST /enter HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nkey=")
        ben = await served.visitor("ben")
        assert (await ben.get("/talk")).status == 200
        assert (await ada.post("/talk", text="my dog is called Bruno")).status == 303
        assert (await tab.until("said"))["text"] == "my dog is called Bruno"
        assert await asyncio.wait_for(idle[0][0].read(), PATIENCE) == b""
        for _, writer in idle:
            writer.close()


async def test_without_the_guard_they_would_all_stay(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenConnections, "_close", lambda *_: None)
    port = int(served.url.rpartition(":")[2])
    idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(MOST_CONNECTIONS + 10)]
    assert (await (await served.visitor()).get("/talk")).status == 200
    assert not idle[0][0].at_eof()
    for _, writer in idle:
        writer.close()


async def test_who_signs_out_is_shown_nothing_more_in_any_tab(served: Site) -> None:
    here, there = await served.visitor(), await served.visitor()
    async with there.watching() as other, here.watching() as tab:
        assert (await here.post("/leave")).status == 200
        with pytest.raises((EOFError, aiohttp.ClientError)):
            await asyncio.wait_for(tab.next(), PATIENCE)
        assert (await there.post("/talk", text="this is for me alone")).status == 303
        assert (await other.until("said"))["text"] == "this is for me alone"


@pytest.mark.parametrize("path", ["/talk/stream", "/activity/stream"])
async def test_who_asks_for_the_head_of_a_stream_is_not_taken_for_a_tab(served: Site, path: str) -> None:
    ada = await served.visitor()
    async with ada.http.head(served.url + path) as came:
        assert came.status == 405


@pytest.mark.parametrize("path", ["/activity/stream", "/log"])
async def test_a_log_has_a_heartbeat_by_which_a_reader_that_went_is_noticed(
    served: Site, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(server_sent_events, "_LOOK_SECONDS", 0.001)
    token = (served.app.base.environment.home / "web-token").read_text().strip()
    ada = await served.visitor()
    headers = {"Authorization": f"Bearer {token}"} if path == "/log" else {}
    async with ada.http.get(ada.url + path, headers=headers) as stream, asyncio.timeout(PATIENCE):
        assert [await stream.content.readline() for _ in range(4)] == [b": listening\n", b"\n", b": here\n", b"\n"]
