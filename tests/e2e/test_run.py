"""`lyra run` beside everything else: housekeeping, and HTTP for scripts on this machine."""

import json
import re
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer, Process, jsonl, one_sentence

TALK = jsonl(*({"session": "garden", "content": f"Tulip number {n} opened.", "id": str(n)} for n in range(6)))


@dataclass(frozen=True, slots=True)
class Awake:
    """A running `lyra run`, and where it listens."""

    home: Home
    process: Process
    url: str
    token: str

    def ask(self, path: str, *, method: str = "GET", token: str | None = None) -> tuple[int, str]:
        """Send a request and return status and body."""
        try:
            with self.open(path, method=method, token=token) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def open(self, path: str, *, method: str = "GET", token: str | None = None) -> HTTPResponse:
        """Send a request and return the answer, still open."""
        request = urllib.request.Request(self.url + path, method=method)
        bearer = self.token if token is None else token
        if bearer:
            request.add_header("Authorization", f"Bearer {bearer}")
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answer: HTTPResponse = direct.open(request, timeout=30)
        return answer


@contextmanager
def awake(home: Home) -> Iterator[Awake]:
    """Keep Lyra awake for the block."""
    with home.started("run") as process:
        told = process.note("Lyra is awake")
        found = re.fullmatch(r"Lyra is awake: (http://127\.0\.0\.1:\d+), the token is in (.+)\.", told)
        assert found, told
        token = Path(found[2])
        assert token.stat().st_mode & 0o077 == 0
        yield Awake(home, process, found[1], token.read_text("ascii").strip())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine where `lyra run` takes any free port."""
    return Home(tmp_path, "[web]\nport = 0\n").begun()


def events(stream: HTTPResponse) -> Iterator[tuple[str, dict[str, object]]]:
    """Read server-sent events: the kind and the data of each."""
    kind = ""
    for raw in stream:
        line = raw.decode().rstrip("\n")
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


def test_she_wakes_answers_health_and_ends_when_asked(home: Home) -> None:
    with awake(home) as lyra:
        assert lyra.ask("/healthz", token="")[0] == 200
        assert lyra.ask("/readyz", token="")[0] == 200
        metrics = lyra.ask("/metrics")
        assert metrics[0] == 200
        assert "lyra_exchanges_unsummarized 0.0" in metrics[1]
        assert lyra.ask("/nothing")[0] == 404
        done = lyra.process.stop(signal.SIGTERM)
    assert (done.out, done.code) == ("", 0)
    assert "Traceback" not in done.err
    with awake(home) as lyra:
        assert lyra.process.stop(signal.SIGINT).code == 0


def test_everything_but_health_needs_the_token(home: Home) -> None:
    with awake(home) as lyra:
        for token in ("", "wrong", lyra.token + "x"):
            for path in ("/metrics", "/log", "/nothing"):
                assert lyra.ask(path, token=token) == (401, '{"error": "A bearer token is needed."}')
            assert lyra.ask("/sessions/x/summarize", method="POST", token=token)[0] == 401


def test_a_second_one_is_refused_and_everything_else_works_beside_it(home: Home) -> None:
    with awake(home) as lyra:
        second = home.lyra("run")
        assert (second.out, second.code) == ("", 1)
        assert one_sentence(second).startswith("Lyra is awake in this home already.")
        assert home.lyra("import", "-", given=TALK).code == 0
        assert home.chat("and the roses?").code == 0
        assert len(home.export()) == 8
        assert home.lyra("backup", "copy.lyra").code == 0
        restore = home.lyra("restore", "copy.lyra", "--yes")
        assert restore.code == 1
        assert one_sentence(restore).startswith("Lyra is at work in this home.")
        assert "Lyra is awake" in home.lyra("doctor").out
        assert "lyra_sessions 2.0" in lyra.ask("/metrics")[1]
        assert lyra.process.stop().code == 0
    assert len(home.export()) == 8


def test_scripts_have_a_conversation_summarized(home: Home) -> None:
    home.lyra("import", "-", given=TALK)
    session = home.lyra("sessions", "--json").rows[0]["id"]
    with awake(home) as lyra:
        status, body = lyra.ask(f"/sessions/{session}/summarize", method="POST")
        assert status == 200
        assert "Tulip" not in body
        answer = json.loads(body)
        assert answer["session"] == session
        kept = {row["id"] for row in home.lyra("memory", "--json").rows}
        assert answer["digests"] and set(answer["digests"]) <= kept
        for unknown in ("nope", "a" * 26, "%2e%2e", "garden"):
            missing = lyra.ask(f"/sessions/{unknown}/summarize", method="POST")
            assert missing == (404, '{"error": "There is no session with that id."}')
        assert lyra.ask(f"/sessions/{session}/summarize")[0] == 405


def test_the_log_tells_what_other_processes_do_and_holds_no_text(home: Home) -> None:
    home.chat()
    with awake(home) as lyra, lyra.open("/log") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert stream.readline() == b": listening\n"
        happened = events(stream)
        home.lyra("import", "-", given=TALK)
        kind, detail = next(happened)
        assert kind == "import"
        assert detail["stored"] == 6
        home.lyra("summarize", "garden")
        told = [next(happened)]
        assert told[0][0] == "gist"
        assert "Tulip" not in json.dumps(told) and "opened" not in json.dumps(told)
        assert lyra.process.stop().code == 0


def test_the_log_goes_on_where_a_listener_stopped(home: Home) -> None:
    home.lyra("import", "-", given=TALK)
    with awake(home) as lyra:
        request = urllib.request.Request(
            lyra.url + "/log", headers={"Authorization": f"Bearer {lyra.token}", "Last-Event-ID": "0"}
        )
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(request, timeout=30) as stream:
            assert next(events(stream))[0] == "import"
        spoilt = urllib.request.Request(
            lyra.url + "/log", headers={"Authorization": f"Bearer {lyra.token}", "Last-Event-ID": "x"}
        )
        with pytest.raises(urllib.error.HTTPError) as refused, direct.open(spoilt, timeout=30):
            pass
        with refused.value as error:
            assert error.code == 400


def test_an_empty_token_file_is_refused_and_opens_nothing(home: Home) -> None:
    home.chat()
    (home.path / "web-token").write_text("\n")
    done = home.lyra("run")
    assert (done.out, done.code) == ("", 1)
    assert "web-token is empty. Remove it, and the next start makes a new one." in one_sentence(done)


def test_a_port_that_is_taken_is_named(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        home.configure(f"[web]\nport = {port}\n")
        done = home.lyra("run")
    assert (done.out, done.code) == ("", 1)
    assert f"Port {port} is taken." in done.err
    assert "[web] port" in done.err
    assert "Traceback" not in done.err


def test_a_model_that_hangs_holds_up_neither_the_start_nor_the_end(tmp_path: Path) -> None:
    old = jsonl(*({"session": "garden", "content": f"Tulip {n} opened.", "created_at": "2026-01-05T10:00:00Z"} for n in range(6)))
    with ModelServer() as model, DiscordThread() as discord:
        home = Home(tmp_path, f"{model.config()}{discord.config()}[web]\nport = 0\n", **discord.variables).begun()
        home.lyra("import", "-", given=old)
        model.script(b.Hang())
        with home.started("run") as lyra:
            lyra.note("Discord: connected.")
            model.wait(1)
            assert lyra.stop().code == 0


def test_it_listens_on_this_machine_only(home: Home) -> None:
    with awake(home) as lyra:
        port = int(lyra.url.rpartition(":")[2])
        with socket.socket() as other:
            # Another loopback address is another interface as far as listening goes.
            assert other.connect_ex(("127.0.0.2", port)) != 0
