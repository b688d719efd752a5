"""HTTP for scripts: what is asked under another name than this machine's, or with a token that is none, is refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.web.host_names import HostNames
from tests.kits.browsing import site


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
