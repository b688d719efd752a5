"""What end-to-end tests share: a home of its own, the real `lyra` as a process, and a model server to talk to.

Nothing here leaves this machine: the environment is cleaned of whatever could lead to a real server or a real home.
"""

import asyncio
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import pytest

from tests.fakes.openai_behaviours import Answerer, Behaviour, Request, echo
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits import forked
from tests.kits.fresh import fresh_file
from tests.kits.memory_kit import KEY
from tests.kits.words_alone import words_alone

REPO = Path(__file__).resolve().parents[2]
GUIDES = ("commands", "configuration", "discord", "dreams", "matrix", "memory-page", "privacy", "running", "what-she-does")
DOCUMENTS = (REPO / "README.md", *(REPO / "docs" / f"{name}.md" for name in GUIDES))
"""What is written for who uses or runs her."""
LYRA = (sys.executable, "-m", "bot")
"""The command. As it stands here it is run in a process that was forked from one which had loaded it already."""
STARTED = (*LYRA,)
"""The command in an interpreter of its own, for what is proven of its start."""
USER = "ada"
_WORDS = "words-alone.toml"
_REMOVED = (
    "COLUMNS",
    "LINES",
    "LANG",
    "LC_",
    "LYRA_",
    "OPENAI_",
    "OLLAMA_",
    "HTTP_",
    "HTTPS_",
    "ALL_PROXY",
    "http_",
    "https_",
    "all_proxy",
    "NO_COLOR",
)


@dataclass(frozen=True, slots=True)
class Done:
    """What a finished command left: standard output, standard error, exit code."""

    out: str
    err: str
    code: int

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.out.splitlines()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Standard output, read as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class Home:
    """A person's machine as far as Lyra sees it: a home folder, an environment, and the command `lyra`.

    Unless the configuration says what embeds, words alone find things.
    """

    embeds = False

    def __init__(self, folder: Path, config: str = "", **variables: str) -> None:
        self.folder = folder
        self.path = folder / ".lyra"
        self.db = self.path / "lyra.db"
        self.key = self.path / "key"
        self.variables = variables
        folder.mkdir(parents=True, exist_ok=True)
        if config:
            self.configure(config)

    def copied(self, folder: Path, config: str = "") -> Self:
        """Return a copy of this home elsewhere, with all that is kept in it; making one anew takes many times as long."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return type(self)(folder, config, **self.variables)

    def begun(self) -> Self:
        """Return this home as its first command leaves it, with a key and a memory that holds nothing; making those takes as long as most
        commands do.
        """
        self.path.mkdir(mode=0o700, exist_ok=True)
        with ThreadPoolExecutor(1) as beside:
            written = beside.submit(asyncio.run, fresh_file(KEY)).result()
        for file, raw in ((self.key, KEY.hex().encode()), (self.db, written)):
            file.write_bytes(raw)
            file.chmod(0o600)
        return self

    def configure(self, text: str) -> Path:
        """Write the configuration file of this home."""
        self.path.mkdir(mode=0o700, exist_ok=True)
        file = self.path / "lyra.toml"
        file.write_text(text if self.embeds else words_alone(text), "utf-8")
        return file

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of every process of this home."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_REMOVED)}
        own = {
            "HOME": str(self.folder), "LYRA_HOME": str(self.path), "LOGNAME": USER, "USER": USER, "TZ": "UTC",
            "OLLAMA_HOST": "127.0.0.1:1", "TERM": "xterm-256color", "PYTHONPATH": str(REPO), "PYTHONIOENCODING": "utf-8",
        }  # fmt: skip
        return {**kept, **own, **self._words(), **self.variables, **(more or {})}

    def _words(self) -> dict[str, str]:
        """Return what has Lyra read a file outside of this home where it has none, so that it stays as empty as a new one."""
        if self.embeds or (self.path / "lyra.toml").exists():
            return {}
        file = self.folder / _WORDS
        file.write_text(words_alone(""))
        return {"LYRA_CONFIG": str(file)}

    def lyra(
        self, *words: str, given: str | bytes = "", env: Mapping[str, str] | None = None, command: Sequence[str] = LYRA
    ) -> Done:
        """Run `lyra` to its end with something piped in, and return what it left."""
        raw, environment = given.encode() if isinstance(given, str) else given, self.environment(env)
        if command is LYRA and forked.serves(environment):
            out, err, code = forked.run(words, raw, self.folder, environment, PATIENCE)
            return Done(out.decode(), err.decode(), code)
        ended = subprocess.run(
            [*command, *words], input=raw, capture_output=True, cwd=self.folder, env=environment, timeout=PATIENCE, check=False
        )
        return Done(ended.stdout.decode(), ended.stderr.decode(), ended.returncode)

    def chat(self, *lines: str, options: Sequence[str] = ()) -> Done:
        """Say some lines in `lyra chat` and leave."""
        return self.lyra("chat", *options, given="".join(f"{line}\n" for line in lines))

    def export(self, *options: str) -> list[dict[str, Any]]:
        """Return every message that is kept, as the export has it."""
        done = self.lyra("export", *options)
        assert (done.code, done.err) == (0, "")
        return done.rows

    @contextmanager
    def started(self, *words: str, env: Mapping[str, str] | None = None, command: Sequence[str] = LYRA) -> Iterator["Process"]:
        """Start `lyra` and leave it running for the block; it is killed afterwards if it is still there."""
        environment = self.environment(env)
        if command is LYRA and forked.serves(environment):
            process = Process(forked.Piped(words, self.folder, environment))
        else:
            process = Process(_begun([*command, *words], self.folder, environment))
        try:
            yield process
        finally:
            process.close()


class NewMachine(Home):
    """A machine on which she embeds by default, as on everybody's."""

    embeds = True


class Process:
    """A running `lyra`, its lines as they come."""

    def __init__(self, child: subprocess.Popen[bytes] | forked.Piped) -> None:
        self._child = child
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._input = self._child.stdin
        self._out = _Lines(self._child.stdout)
        self._err = _Lines(self._child.stderr)

    def write(self, *lines: str) -> None:
        """Type lines, without waiting for an answer."""
        self._input.write("".join(f"{line}\n" for line in lines).encode())
        self._input.flush()

    def say(self, line: str) -> str:
        """Type a line and return the line that is answered."""
        self.write(line)
        return self.reply()

    def reply(self) -> str:
        """Return the next line of standard output."""
        return self._out.next()

    def note(self, containing: str = "", *, within: float = PATIENCE) -> str:
        """Return the next line of standard error that holds a text; each line has to come within so many seconds."""
        while containing not in (line := self._err.next(within)):
            pass
        return line

    def end_input(self) -> None:
        """Type Ctrl-D, so to say."""
        self._input.close()

    def finish(self) -> Done:
        """End the input, wait for the end, and return what was not read yet."""
        self.end_input()
        return self.wait()

    def wait(self) -> Done:
        """Wait for the end, and return what was not read yet."""
        code = self._child.wait(PATIENCE)
        return Done(self._out.rest(), self._err.rest(), code)

    def stop(self, number: int = signal.SIGTERM) -> Done:
        """Ask the process to end, and return what was not read yet."""
        self.send(number)
        return self.wait()

    def send(self, number: int) -> None:
        """Send the process a signal that does not end it."""
        self._child.send_signal(number)

    def kill(self) -> Done:
        """End the process as a power cut would."""
        return self.stop(signal.SIGKILL)

    def kill_now(self) -> None:
        """End the process as a power cut would, in the middle of whatever this test does with it."""
        self._child.kill()

    @property
    def running(self) -> bool:
        """Whether the process is still there."""
        return self._child.poll() is None

    def close(self) -> None:
        """Make sure that nothing of it is left."""
        if self.running:
            self._child.kill()
        self._child.wait()
        for stream in (self._out, self._err):
            stream.rest()
        # What was typed and never read is of no interest any more.
        with suppress(BrokenPipeError):
            self._input.close()


def _begun(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment
    )


class _Lines:
    """The lines of a stream, read by a thread so that they can be waited for."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._found: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._stream:
            self._found.put(line.decode().rstrip("\n"))
        self._stream.close()
        self._found.put(None)

    def next(self, within: float = PATIENCE) -> str:
        line = self._found.get(timeout=within)
        assert line is not None, "the output ended before the line that was expected"
        return line

    def rest(self) -> str:
        """Everything up to the end of the stream that was not asked for; the process has ended."""
        self._thread.join(PATIENCE)
        lines = [self._found.get() for _ in range(self._found.qsize())]
        return "".join(f"{line}\n" for line in lines if line is not None)


class ModelServer:
    """The loopback model server in a thread of its own, for tests that wait for processes."""

    def __init__(self, default: Answerer = echo, models: tuple[str, ...] = ("fake-model",)) -> None:
        self.server = OpenAIServer(default, models)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self.server.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self.server.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def host(self) -> str:
        """What OLLAMA_HOST would be."""
        return f"127.0.0.1:{self.server.port}"

    def config(self, more: str = "", backend: str = "") -> str:
        """Return a configuration that has Lyra chat through this server; `more` goes to the top, `backend` to the model."""
        model = f'[models.main]\nbase_url = "{self.server.base_url}"\nmodel = "fake-model"\n'
        return f'chat = "main"\n{more}\n{model}{backend}\n'

    def script(self, *steps: Behaviour | Answerer | str) -> None:
        """Queue what the next requests get."""
        self.server.script(*steps)

    def go(self) -> None:
        """Let the answers that are held go on."""
        self._loop.call_soon_threadsafe(self.server.go.set)

    @property
    def chats(self) -> list[Request]:
        """The requests for an answer, so far."""
        return [request for request in self.server.requests if request.path.endswith("/chat/completions")]

    def wait(self, chats: int) -> None:
        """Wait until that many answers were asked for."""
        self._do(self._asked(chats))

    async def _asked(self, chats: int) -> None:
        while len(self.chats) < chats:
            await self.server.heard(len(self.server.requests) + 1)

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)


def jsonl(*messages: Mapping[str, object]) -> str:
    """Return messages as a file of one JSON object a line."""
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


def one_sentence(done: Done) -> str:
    """Return what a failed command said, which must be one clear sentence on one line and no traceback."""
    assert "Traceback" not in done.err
    said = done.err.splitlines()
    assert len(said) == 1, done.err
    sentence = said[0]
    assert sentence.strip() == sentence and len(sentence) > 10
    return sentence


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine on which nothing was said yet, as a fixture."""
    return Home(tmp_path).begun()


@pytest.fixture
def home_with_model(tmp_path: Path, model: ModelServer) -> Home:
    """A machine with a model, as a fixture."""
    return Home(tmp_path, model.config()).begun()
