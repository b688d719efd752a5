"""Coming in: a link that works once, a cookie that only this page reads, and nothing without either."""

import socket
import ssl
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from pathlib import Path

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from bot.web.serving import link
from bot.web.signins import SignedIn, SignIns
from memory.types import MINUTE, Identity
from tests.kits.browsing import Site, site
from tests.kits.memory_kit import DAY, Clock


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


PAGES = ("/", "/talk", "/search", "/timeline", "/timeline/2026-03", "/talk/stream")
ADA = Identity("console", "ada")


@pytest.fixture
async def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    """The page of a home in which ada said something."""
    async with site(tmp_path, monkeypatch) as served:
        await served.told("my cat is called Turing")
        yield served


async def test_nobody_sees_a_page_without_coming_in(served: Site) -> None:
    stranger = await served.stranger()
    for path in PAGES:
        answer = await stranger.get(path)
        assert answer.status == 401, path
        assert "Turing" not in answer.text
    assert "lyra web" in (await stranger.get("/talk")).words


async def test_a_browser_that_keeps_no_cookie_is_told_so(served: Site) -> None:
    forgetful = await served.stranger()
    entered = await forgetful.enter(await link(served.app, "", "ada"))
    forgetful.http.cookie_jar.clear()
    refused = await forgetful.follows(entered)
    assert refused.status == 401 and "cookie" in refused.words and "lyra web" in refused.words
    assert "cookie" not in (await forgetful.get("/talk")).words, "where nobody came in by a link, none is missing"


async def test_a_link_works_once(served: Site) -> None:
    path = await link(served.app, "", "ada")
    assert (await (await served.stranger()).enter(path)).status == 303
    second = await (await served.stranger()).enter(path)
    assert second.status == 403
    assert "used already" in second.words


@pytest.mark.parametrize("method", ["HEAD", "GET", "OPTIONS"])
async def test_who_only_looks_at_a_link_as_a_preview_does_leaves_it_as_it_is(served: Site, method: str) -> None:
    path, preview = await link(served.app, "", "ada"), await served.stranger()
    async with preview.http.request(method, served.url + path) as looked:
        assert "Set-Cookie" not in looked.headers
    assert (await preview.get("/talk")).status == 401
    ada = await served.stranger()
    assert "Turing" in (await ada.follows(await ada.enter(path))).words


async def test_a_link_is_good_for_ten_minutes_and_a_cookie_for_thirty_days(served: Site) -> None:
    clock = Clock(served.app.base.clock.now())
    signins = SignIns(served.app.memory.settings, clock)
    late = await signins.create_link(ADA)
    clock.forward(10 * MINUTE)
    assert await signins.redeem_link(late) is None
    cookie = await signins.redeem_link(await signins.create_link(ADA))
    assert cookie
    clock.forward(30 * DAY - 1)
    assert (await signins.signed_in(cookie) or SignedIn(Identity("", ""), "", Identity("", ""))).identity == ADA
    clock.forward(1)
    assert await signins.signed_in(cookie) is None


async def test_the_cookie_is_for_this_page_alone(served: Site) -> None:
    entered = await (await served.stranger()).enter(await link(served.app, "", "ada"))
    (cookie,) = SimpleCookie(entered.headers["Set-Cookie"]).values()
    assert cookie["httponly"] is True
    assert (cookie["samesite"], cookie["path"], cookie["max-age"], cookie["secure"]) == ("Strict", "/", str(30 * 24 * 3600), "")
    assert cookie.value not in entered.text


async def test_signing_out_ends_it_for_good(served: Site) -> None:
    ada = await served.visitor()
    kept = list(ada.http.cookie_jar)
    assert (await ada.get("/talk")).status == 200
    assert "signed out" in (await ada.post("/leave")).words
    assert (await ada.get("/talk")).status == 401
    ada.http.cookie_jar.update_cookies({one.key: one.value for one in kept})
    assert (await ada.get("/talk")).status == 401


async def test_a_browser_stays_signed_in_over_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as before:
        kept = {one.key: one.value for one in (await before.visitor()).http.cookie_jar}
    async with site(tmp_path, monkeypatch) as after:
        ada = await after.stranger()
        ada.http.cookie_jar.update_cookies(kept)
        assert (await ada.get("/talk")).status == 200


async def test_a_form_that_another_page_sends_is_refused(served: Site) -> None:
    ada = await served.visitor()
    token = (await ada.get("/talk")).form_token
    foreign = (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    )
    for headers in foreign:
        assert (await ada.post("/talk", headers, text="hello", form_token=token)).status == 403
    for wrong in ("", "x", token[:-1], token + "x", "ключ"):
        assert (await ada.post("/talk", text="hello", form_token=wrong)).status == 403
    other = await served.visitor("bob")
    assert (await ada.post("/talk", text="hello", form_token=(await other.get("/talk")).form_token)).status == 403
    assert [one.text async for _, one in (await served.view()).messages.all()] == ["my cat is called Turing"]
    assert (await ada.post("/talk", {"Origin": served.url}, text="hello", form_token=token)).status == 303


async def test_another_page_signs_nobody_in(served: Site) -> None:
    path, headers = await link(served.app, "", "mallory"), {"Sec-Fetch-Site": "cross-site"}
    ada = await served.visitor()
    asked = await ada.get(path, **headers)
    assert ("Sign in" in asked.words, "/static/enter.js" in asked.text) == (True, False)
    assert "/static/enter.js" in (await ada.get(path, **{"Sec-Fetch-Site": "none"})).text
    for elsewhere in (headers, {"Origin": "http://evil.example"}):
        assert (await ada.enter(path, **elsewhere)).status == 403
    assert "Signed in as ada" in (await ada.get("/talk")).words
    assert (await ada.enter(path, Origin=served.url)).status == 303


async def test_without_the_guard_it_would_sign_in_whom_it_likes(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.web.pages.entry_page.is_foreign", lambda _: False)
    ada = await served.visitor()
    assert (await ada.enter(await link(served.app, "", "mallory"), Origin="http://evil.example")).status == 303
    assert "Signed in as mallory" in (await ada.get("/talk")).words


async def test_without_the_guard_it_would_be_taken(served: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = await served.visitor()
    monkeypatch.setattr(SignedIn, "wrote_form", lambda *_: True)
    assert (await ada.post("/talk", text="hello", form_token="x")).status == 303


async def test_wrong_tokens_are_slowed_down_and_right_ones_never_are(served: Site) -> None:
    ada, stranger = await served.visitor(), await served.stranger()
    token = (Path(served.app.base.environment.home) / "web-token").read_text().strip()
    shown = [(await stranger.get("/metrics", Authorization="Bearer wrong")).status for _ in range(12)]
    assert shown == [401] * 10 + [429] * 2
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert (await stranger.get("/metrics", Authorization=f"{scheme} {token}")).status == 200
    assert (await stranger.get("/metrics", Authorization="Bearer wrong")).status == 429
    assert (await stranger.enter(await link(served.app, "", "ada"))).status == 303
    assert (await ada.get("/talk")).status == 200


async def test_a_wrong_link_is_a_wrong_token(served: Site) -> None:
    stranger = await served.stranger()
    assert [(await stranger.enter(f"/enter?key={n}")).status for n in range(11)] == [403] * 10 + [429]


async def test_every_answer_says_what_a_browser_may_do_with_it(served: Site) -> None:
    ada = await served.visitor()
    for path in ("/talk", "/search", "/static/style.css", "/nothing", "/enter?key=x", "/export/lyra.jsonl"):
        headers = (await ada.get(path)).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"], path
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
    assert (await ada.get("/talk")).headers["Cache-Control"] == "no-store"


async def test_a_page_that_leads_its_own_name_here_is_refused_also_with_a_cookie(served: Site) -> None:
    ada = await served.visitor()
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "lyra.example.org"):
        assert (await ada.get("/talk", Host=host)).status == 403
    assert (await ada.get("/talk", Host="localhost:1")).status == 200


async def test_behind_a_named_proxy_it_answers_to_its_address_and_keeps_the_cookie_to_encrypted_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    config = f'[web]\nport = {port}\naddress = "https://lyra.example.org"\nproxies = ["127.0.0.1"]\n'
    async with site(tmp_path, monkeypatch, config) as served:
        assert served.url == "https://lyra.example.org"
        proxy = replace(await served.stranger(), url=f"http://127.0.0.1:{port}")
        entered = await proxy.enter(await link(served.app, "", "ada"), Host="lyra.example.org")
        assert "; Secure" in entered.headers["Set-Cookie"]
        assert (await proxy.get("/talk", Host="other.example.org")).status == 403


async def test_with_a_certificate_it_is_encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = certified(tmp_path, "lyra.example.org")
    port = free_port()
    config = (
        f'[web]\nport = {port}\naddress = "https://lyra.example.org"\ncertificate = "{certificate}"\ncertificate_key = "{key}"\n'
    )
    async with site(tmp_path, monkeypatch, config) as served:
        trusting = ssl.create_default_context(cafile=str(certificate))
        async with aiohttp.ClientSession() as http:
            word, headers = (await link(served.app, "", "ada")).partition("?")[2], {"Host": "lyra.example.org"}
            asked = http.post(
                f"https://127.0.0.1:{port}/enter", data=dict([word.split("=")]), headers=headers, ssl=trusting,
                server_hostname="lyra.example.org", allow_redirects=False,
            )  # fmt: skip
            async with asked as entered:
                assert entered.status == 303
                assert "; Secure" in entered.headers["Set-Cookie"]
            with pytest.raises(aiohttp.ClientError):
                await http.get(f"http://127.0.0.1:{port}/talk", headers=headers)


def certified(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate of a name that signs itself, and its key; return their files."""
    key = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(
            named, named, key.public_key(), x509.random_serial_number(), now - timedelta(days=1), now + timedelta(days=1)
        )
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "certificate.key"
    files[0].write_bytes(certificate.public_bytes(Encoding.PEM))
    files[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return files
