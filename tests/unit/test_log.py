"""The log: one line an event, with numbers and names of things, and never anybody's words or secrets."""

import asyncio
import io
import logging
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from bot.service import log
from memory.errors import DatabaseAway
from tests.fakes.pulse import PATIENCE

URL = "https://discord.com/api/v10/webhooks/1/a-secret-token/messages/@original"


@pytest.fixture(autouse=True)
def loggers_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, levels = root.handlers[:], {name: logging.getLogger(name).level for name in ("root", "adapters", "discord")}
    yield
    root.handlers[:] = handlers
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Gives what was written to standard error since it was asked last."""
    return lambda: capsys.readouterr().err


def failing(logger: str, text: str) -> None:
    try:
        raise ConnectionError(f"no way to {URL}, she said: my secret wish")
    except ConnectionError:
        logging.getLogger(logger).exception(text, 1.5)


def test_what_discord_py_reports_is_one_line_without_a_traceback(written: Callable[[], str]) -> None:
    log.configure("warning")
    failing("discord.client", "Attempting a reconnect in %.2fs")
    [line] = written().splitlines()
    assert "Attempting a reconnect in 1.50s" in line and "ConnectionError" in line and "discord.client" in line
    assert "Traceback" not in line and "secret" not in line


def test_addresses_and_words_in_it_are_left_out(written: Callable[[], str]) -> None:
    log.configure("warning")
    logger = logging.getLogger("discord.http")
    logger.warning("We are being rate limited. %s %s responded with 429. Retrying in %.2f seconds.", "POST", URL, 0.25)
    logger.error("Ignoring exception in view %r", {"label": "my secret wish"})
    logger.warning("Shard ID %s heartbeat blocked for more than %s seconds.\nLoop thread traceback:\n%s", None, 10)
    lines = written().splitlines()
    assert len(lines) == 3 and "secret" not in "".join(lines)
    assert "We are being rate limited. … … responded with 429. Retrying in 0.25 seconds." in lines[0]
    assert "Shard ID None heartbeat blocked for more than 10 seconds." in lines[2]


class Trusting(log.Reports):
    """Writes what a library reports as it stands."""

    def as_line(self, record: logging.LogRecord) -> str:
        return record.getMessage()


def test_without_that_care_a_token_would_be_written(written: Callable[[], str]) -> None:
    log.configure("warning")
    logging.getLogger().handlers[:] = [Trusting()]
    logging.getLogger("discord.http").warning("%s %s responded with 429.", "POST", URL)
    assert "a-secret-token" in written()


@pytest.mark.parametrize("level", ["debug", "info", "warning"])
def test_what_discord_py_tells_in_passing_is_never_written(written: Callable[[], str], level: str) -> None:
    log.configure(level)
    logging.getLogger("discord.http").debug("POST %s with %s has returned 200", URL, "my secret wish")
    logging.getLogger("discord.gateway").info("Shard ID %s has connected (Session ID: %s).", None, "secret")
    assert written() == ""


def test_of_other_libraries_only_that_they_failed(written: Callable[[], str]) -> None:
    log.configure("debug")
    logging.getLogger("asyncio").warning("my secret wish")
    failing("asyncio", "Task exception was never retrieved: my secret wish %s")
    [line] = written().splitlines()
    assert "library.failed" in line and "asyncio" in line and "ConnectionError" in line and "secret" not in line


def test_of_a_server_that_is_away_not_every_attempt_to_connect_is_written(written: Callable[[], str]) -> None:
    # As psycopg sets it for itself when it is loaded.
    logging.getLogger("psycopg").setLevel(logging.WARNING)
    log.configure("debug")
    logging.getLogger("psycopg.pool").warning("error connecting in 'lyra'")
    assert written() == ""


def test_what_adapters_say_is_written_as_they_say_it(written: Callable[[], str]) -> None:
    log.configure("info")
    logging.getLogger("adapters.discord.incoming.backfill").info("More than %d messages were missed in channel %s.", 1000, "77")
    assert "More than 1000 messages were missed in channel 77." in written()


def test_the_level_decides(written: Callable[[], str]) -> None:
    log.configure("error")
    logging.getLogger("adapters.discord.incoming.backfill").warning("hidden")
    logging.getLogger("discord.http").warning("hidden")
    log.log.warning("hidden")
    assert written() == ""


def test_words_and_secrets_are_left_out_of_events(written: Callable[[], str]) -> None:
    log.configure("info")
    log.log.info("something.happened", text="my secret wish", token="a-secret-token", number=7)
    [line] = written().splitlines()
    assert "number=7" in line and "secret" not in line


def test_where_no_file_can_be_opened_it_is_silent_and_disturbs_nobody() -> None:
    exhausted = """
import logging, os
from bot.service import log
log.configure("warning")
try:
    while True: os.open("/dev/null", os.O_RDONLY)
except OSError: pass
logging.getLogger("asyncio").error("socket.accept() out of system resource")
print("goes on")
"""
    limited = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # noqa: E731
    ended = subprocess.run([sys.executable, "-c", exhausted], capture_output=True, text=True, preexec_fn=limited, check=False)
    assert (ended.stdout, ended.stderr) == ("goes on\n", "")


def test_it_writes_to_what_standard_error_is_at_that_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    with io.StringIO() as closed_meanwhile:
        monkeypatch.setattr(sys, "stderr", closed_meanwhile)
        log.configure("warning")
    now = io.StringIO()
    monkeypatch.setattr(sys, "stderr", now)
    log.log.warning("something.happened")
    logging.getLogger("adapters.discord.incoming.backfill").warning("Something was missed.")
    assert [line.partition("] ")[2].split()[0] for line in now.getvalue().splitlines()] == ["something.happened", "Something"]


async def test_a_job_that_fails_as_it_is_cancelled_is_not_begun_again() -> None:
    """As what is sent to a database is completed first, and then told to have failed."""
    begun = asyncio.Event()

    async def fails() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise DatabaseAway("It is away.") from None

    async def again() -> None:
        while True:
            await log.carried_on(fails(), "job")

    going = asyncio.create_task(again())
    await begun.wait()
    going.cancel()
    done, _ = await asyncio.wait({going}, timeout=PATIENCE)
    going.cancel()
    assert done and going.cancelled()
