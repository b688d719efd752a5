"""HTTP on loopback: what is asked under another name than this machine's, or with a token that is none, is refused."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.app import RandomIds, opened
from bot.service import web
from tests.kits.words_alone import words_alone

TOKEN = "a-token"


@asynccontextmanager
async def listening(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """Serve HTTP for the block, on the port that is given."""
    monkeypatch.setenv("LYRA_HOME", str(folder))
    (folder / "lyra.toml").write_text(words_alone(""))
    async with opened() as app:
        served = web.Web(app.memory, app.maintenance, TOKEN, RandomIds())
        try:
            yield await served.start(0)
        finally:
            await served.stop()


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
    b"",
)


async def test_a_page_that_leads_its_own_name_to_this_machine_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(tmp_path, monkeypatch) as port:
        bearer = b"Authorization: Bearer " + TOKEN.encode()
        for host in (f"127.0.0.1:{port}".encode(), b"localhost", b"LOCALHOST:80", b"[::1]:80"):
            assert await asked(port, "/metrics", b"Host: " + host, bearer) == 200
        for host in FOREIGN:
            for path in ("/metrics", "/healthz"):
                assert await asked(port, path, b"Host: " + host, bearer) == 403


async def test_without_the_guard_it_would_be_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_LOOPBACK", re.compile(".*"))
    async with listening(tmp_path, monkeypatch) as port:
        assert await asked(port, "/healthz", b"Host: evil.example") == 200


@pytest.mark.parametrize("given", [b"Bearer \xff\xfe", b"Bearer caf\xe9", "Bearer ключ".encode(), b"", b"Bearer"])
async def test_a_token_that_is_none_is_not_accepted_whatever_its_bytes_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: bytes
) -> None:
    async with listening(tmp_path, monkeypatch) as port:
        assert await asked(port, "/metrics", b"Host: localhost", b"Authorization: " + given) == 401
