"""Connections to the page and its HTTP: many, cut, signed out, under another name or with a token that is none: nobody gets what is not theirs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bot.web import server_sent_events
from bot.web.connections import MOST_CONNECTIONS, OpenConnections
from bot.web.host_names import HostNames
from tests.fakes.pulse import PATIENCE
from tests.kits import browsing
from tests.kits.browsing import Site, site

served = browsing.served


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


@asynccontextmanager
async def listening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[int, bytes]]:
    """Serve HTTP for the block; give the port and the token."""
    async with site(folder, monkeypatch) as served:
        yield int(served.url.rpartition(":")[2]), (folder / "web-token").read_bytes().strip()


async def asked(port: int, path: str, *headers: bytes) -> int:
    """Send a request with these headers and no others; return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"\r\n".join([f"GET {path} HTTP/1.1".encode(), *headers, b"Connection: close", b"", b""]))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return int(answer.split()[1])


FOREIGN = (
    b"evil.example",
    b"127.0.0.1.evil.example",
    b"localhost.evil.example:80",
    b"127.0.0.1@evil.example",
    b"192.168.1.7",
    b"127.0.0.1:x",
    b"127.0.0.1:80:80",
    b"",
)


async def test_a_page_that_leads_its_own_name_to_this_machine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(tmp_path, monkeypatch) as (port, token):
        bearer = b"Authorization: Bearer " + token
        for host in (f"127.0.0.1:{port}".encode(), b"localhost", b"LOCALHOST:80", b"[::1]:80", b"[::1]"):
            assert await asked(port, "/metrics", b"Host: " + host, bearer) == 200
        for host in FOREIGN:
            for path in ("/metrics", "/healthz", "/talk", "/static/style.css"):
                assert await asked(port, path, b"Host: " + host, bearer) == 403


async def test_without_the_guard_it_would_be_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HostNames, "accepts_host", lambda *_: True)
    async with listening(tmp_path, monkeypatch) as (port, _):
        assert await asked(port, "/healthz", b"Host: evil.example") == 200


@pytest.mark.parametrize("given", [b"Bearer \xff\xfe", b"Bearer caf\xe9", "Bearer ключ".encode(), b"", b"Bearer"])
async def test_a_token_that_is_none_is_not_accepted_whatever_its_bytes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bytes
) -> None:
    async with listening(tmp_path, monkeypatch) as (port, _):
        assert await asked(port, "/metrics", b"Host: localhost", b"Authorization: " + given) == 401
