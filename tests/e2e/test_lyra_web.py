"""`lyra web` as a command: a link that lets one in, the page served until it is ended, and `lyra run` beside it."""

import http.cookiejar
import signal
import urllib.error
import urllib.parse
import urllib.request
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.pulse import PATIENCE
from tests.kits.lyra_kit import Home, ModelServer, one_sentence


class Browser:
    """A browser without scripts."""

    def __init__(self) -> None:
        self._jar = http.cookiejar.CookieJar()
        kept = urllib.request.HTTPCookieProcessor(self._jar)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), kept)

    def open(self, address: str) -> HTTPResponse:
        """Open something that goes on."""
        answer: HTTPResponse = self._opener.open(address, timeout=PATIENCE)
        return answer

    def enter(self, link: str) -> int:
        """Open a link that signs in, press its button, and return what came of it."""
        status, page = self.get(link)
        assert status == 200 and "Sign in" in page
        address, _, word = link.partition("?key=")
        return self.get(address, f"key={word}".encode())[0]

    def get(self, address: str, form: bytes | None = None) -> tuple[int, str]:
        """Open a page, or send a form."""
        request = urllib.request.Request(address, form, headers={"Accept": "text/html"})
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine where the page takes any free port."""
    home = Home(tmp_path, "[web]\nport = 0\n").begun()
    assert home.chat("the key is under the blue pot").code == 0
    return home


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_where_she_is_not_awake_the_page_is_served_until_it_is_ended(home: Home, number: int) -> None:
    with home.started("web", "--no-open") as process:
        link = process.reply()
        browser = Browser()
        assert browser.enter(link) == 200
        address = link.partition("/enter")[0]
        assert "the key is under the blue pot" in browser.get(f"{address}/talk")[1]
        assert browser.enter(link) == 403
        done = process.stop(number)
    assert (done.out, done.code) == ("", 0)
    assert "Traceback" not in done.err


def test_where_she_is_awake_it_only_makes_a_link(home: Home) -> None:
    with home.started("run") as process:
        process.note("Lyra is awake")
        done = home.lyra("web", "--no-open")
        assert (done.code, done.err) == (0, "")
        (link,) = done.lines
        browser = Browser()
        assert browser.enter(link) == 200
        assert "blue pot" in browser.get(f"{link.partition('/enter')[0]}/talk")[1]
        bobs = Browser()
        assert bobs.enter(home.lyra("web", "--as", "bob", "--no-open").lines[0]) == 200
        assert "blue pot" not in bobs.get(f"{link.partition('/enter')[0]}/talk")[1]
        assert process.stop().code == 0


def test_while_it_is_served_by_itself_lyra_run_says_so(home: Home) -> None:
    with home.started("web", "--no-open") as process:
        process.reply()
        refused = home.lyra("run")
        assert refused.code == 1
        assert one_sentence(refused).startswith("`lyra web` serves the memory page of this home already.")
        assert process.stop().code == 0


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ('host = "0.0.0.0"', "lets other machines reach the page"),
        ('host = "0.0.0.0"\nproxies = ["10.0.0.2"]', "name the address that people type"),
        ('certificate = "x.pem"', "certificate and certificate_key belong together"),
        ('address = "http://lyra.example.org"', "is not an address"),
        ('host = "lyra.example.org"', "is not an IP address"),
        ('address = "https://a.example"\ncertificate = "x.pem"\ncertificate_key = "y.pem"', "cannot be used"),
    ],
)
def test_beyond_this_machine_it_goes_only_over_an_encrypted_way(tmp_path: Path, section: str, sentence: str) -> None:
    done = Home(tmp_path, f"[web]\nport = 0\n{section}\n").lyra("web", "--no-open")
    assert (done.out, done.code) == ("", 1)
    assert sentence in done.err.splitlines()[-1]


def test_what_a_kill_left_unanswered_is_answered_when_the_page_is_opened(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.script(b.Held("too late"))
        home = Home(tmp_path, server.config("[web]\nport = 0\n")).begun()
        with home.started("chat") as process:
            process.write("where is the blue pot?")
            server.wait(1)
            process.kill()
        server.go()
        with home.started("web", "--no-open") as process:
            link = process.reply()
            browser = Browser()
            browser.enter(link)
            with browser.open(f"{link.partition('/enter')[0]}/talk/stream") as stream:
                answered = next(line for line in stream if b"html" in line)
            assert b"where is the blue pot?" in answered
            assert process.stop().code == 0
    assert [row["role"] for row in home.export()] == ["user", "assistant"]
