"""Whatever is asked, of whatever path: an answer or a refusal, and never an error of hers."""

import asyncio
import json
import logging
import re
from pathlib import Path
from urllib.parse import quote

import aiohttp
import psycopg
import pytest
from yarl import URL

from memory.store.postgresql.database import PostgresDatabase
from tests.fakes.pulse import PATIENCE
from tests.kits.browsing import HTML, Site, Visitor, site
from tests.kits.fresh import POSTGRESQL, STORE, server
from tests.kits.lyra_kit import REPO
from tests.kits.postgres import unguarded
from tests.kits.size import few

FILES = [file.read_text("utf-8") for file in (REPO / "bot" / "web").rglob("*.py")]
ROUTES = sorted({
    (method.upper(), path, "request.query" in file)
    for file in FILES for method, path in re.findall(r'@routes\.(get|post)\("([^"]+)"', file)
})  # fmt: skip
ODD = few([
    "%00", "9999-12", "0000-01", "%20", "9999-12-31", "%FF", "x" * 500, "9" * 17,
    "%0A", "%ED%A0%80", "a%00b", quote("🐕") * 30, "..%2F..%2Fkey", "%25", "%22%3Cb%3E", "%E2%80%AE", "-1", "9" * 40, "1e9", "NaN",
    "2026-13", "0001-01-01", "2026-02-30", quote("١٢-٠٣"),
], 5)  # fmt: skip
NAMES = ("q", "who", "where", "since", "until", "in", "before", "month", "after", "past", "told", "look", "key")
FIELDS = ("text", "conversation", "question", "yes", "account", "key")
GOES_ON = ("/log", "/talk/stream", "/activity/stream")
FORM = "application/x-www-form-urlencoded"
UNREADABLE = (
    (b"text=%ff", f"{FORM}; charset=nothing"), (b"text=\xff", FORM), (b"text=hello", "multipart/form-data"),
    (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
    (b"--x\r\n\r\nhello\r\n--x--\r\n", "multipart/form-data; boundary=x"), (b"text=hello", f"{FORM}; charset=hex"),
)  # fmt: skip


async def status(ada: Visitor, method: str, path: str, body: bytes | None = None, **headers: str) -> int:
    """Ask for something exactly as it is written."""
    url = URL(ada.url + path, encoded=True)
    async with ada.http.request(method, url, data=body, headers={**HTML, **headers}, allow_redirects=False) as came:
        if path.partition("?")[0] not in GOES_ON:
            await came.read()
        return came.status


def scripts(path: str, served: Site) -> dict[str, str]:
    """Return the token where a path is for scripts."""
    token = (Path(served.app.base.environment.home) / "web-token").read_text("utf-8").strip()
    return {"Authorization": f"Bearer {token}"} if path.startswith(("/metrics", "/log", "/sessions/")) else {}


async def test_no_path_no_query_and_no_form_is_an_error_of_hers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(ROUTES) > 40
    async with site(tmp_path, monkeypatch) as served:
        await served.told("my cat is called Turing", "my dog Bruno is ill")
        ada, broken = await served.visitor(), []
        token = (await ada.get("/talk")).form_token
        for method, path, queried in ROUTES:
            for odd in ODD if path != "/leave" else ():
                named, known = (re.sub(r"{[^}]*}", one, path) for one in (odd, "main"))
                body, kind, asked = None, {}, [named] if "{" in path or not queried else []
                if method == "POST":
                    body, kind = (
                        (f"form_token={token}&" + "&".join(f"{name}={odd}" for name in FIELDS)).encode(),
                        {"Content-Type": FORM},
                    )
                elif queried:
                    asked += [f"{known}?" + "&".join(f"{name}={odd}" for name in NAMES), f"{known}?until={odd}&q=cat"]
                found = [(one, await status(ada, method, one, body, **kind, **scripts(path, served))) for one in asked]
                broken += [(method, one[:80], code) for one, code in found if code >= 500]
        assert broken == []
        assert await status(ada, "GET", "/people/%00") == 404
        assert [await status(ada, method, "/talk") for method in ("PUT", "DELETE", "PATCH")] == [405] * 3
        assert await status(ada, "POST", "/nothing-here") == 404
        assert (await ada.get("/talk")).status == 200


@pytest.mark.parametrize(("body", "kind"), UNREADABLE)
async def test_a_form_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: bytes, kind: str
) -> None:
    async with site(tmp_path, monkeypatch) as served:
        ada = await served.visitor()
        assert await status(ada, "POST", "/talk", body, **{"Content-Type": kind}) in (400, 403)
        assert await status(ada, "POST", "/enter", body, **{"Content-Type": kind}) == 403


async def test_what_is_too_long_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as served:
        ada, stranger = await served.visitor(), await served.stranger()
        token = (await ada.get("/talk")).form_token
        body = {"form_token": token, "text": "x" * 600_000}
        for one, path in ((ada, "/talk"), (stranger, "/enter")):
            async with one.http.post(served.url + path, data=body, headers=HTML) as came:
                assert (came.status, "That is too long; send it in pieces." in await came.text()) == (413, True), path
        found = await ada.get("/search?q=" + quote("🐕" * 500) + "&who=" + quote("é" * 2000))
        assert found.status == 200


async def test_headers_and_files_that_nobody_means_are_no_error_of_hers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as served:
        ada = await served.visitor()
        token = (await ada.get("/talk")).form_token
        for name in ("Origin", "Sec-Fetch-Site", "Cookie", "Accept-Language", "X-Forwarded-For", "Range", "If-Modified-Since"):
            for value in ("", "[", "http://[::1", "é", "de;q=nan,en;q=inf", "bytes=9-1", "lyra=;=", "x" * 3000):
                for method, path in (("GET", "/talk"), ("GET", "/static/style.css"), ("POST", "/talk")):
                    assert (
                        await status(ada, method, path, f"form_token={token}".encode(), **{name: value, "Content-Type": FORM})
                        < 500
                    )
        for path in ("/talk", "/talk/answer", "/talk/stop", "/read", "/persona", "/facts/x/correct"):
            form = aiohttp.FormData({"form_token": token})
            for field in FIELDS:
                form.add_field(field, b"\xff\x00", filename="a.bin", content_type="application/octet-stream")
            async with ada.http.post(served.url + path, data=form, allow_redirects=False) as came:
                assert came.status < 500, path


MALFORMED = (b"FOO / HTTP/1.1", b"GET /talk HTTP/9.9", b"GET", b"\x16\x03\x01\x02\x00", b"GET /talk HTTP/1.1\r\nHost 127.0.0.1")
GOOD = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def said_to(port: int, *lines: bytes) -> str:
    """Send bytes as they are; return everything that comes back until she ends it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"".join(lines))
    came = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    await writer.wait_closed()
    return came.decode()


@pytest.mark.parametrize("before", [b"", GOOD])
async def test_what_is_no_request_is_answered_in_a_sentence_and_is_no_error_of_hers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, before: bytes
) -> None:
    async with site(tmp_path, monkeypatch) as served:
        port = int(served.url.rpartition(":")[2])
        for line in MALFORMED:
            answer = (await said_to(port, before, line, b"\r\n\r\n")).partition(" 400 ")[2]
            head, _, body = answer.partition("\r\n\r\n")
            assert body == json.dumps({"error": "That cannot be done here."}), (line, answer)
            assert "Content-Security-Policy" in head
        assert (await (await served.visitor()).get("/talk")).status == 200
    assert [one for one in caplog.records if one.levelno >= logging.ERROR] == []


@pytest.mark.torture
async def test_while_the_database_cannot_be_reached_every_page_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STORE, POSTGRESQL)
    async with site(tmp_path, monkeypatch) as served:
        ada, db = await served.visitor(), served.app.memory.db
        assert isinstance(db, PostgresDatabase)
        name = db.address.url.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(unguarded(server().address("postgres")), autocommit=True) as owner:
            owner.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false'.encode())
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            answer = await ada.get("/talk")
            assert (answer.status, "Check that it runs, then try again" in answer.words) == (503, True)
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            owner.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true'.encode())
        assert (await ada.get("/talk")).status == 200
