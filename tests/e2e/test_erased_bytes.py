"""What was forgotten is on no page of any file any more within a minute, whoever else has the memory open and does nothing."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from tests.kits.lyra_kit import Home, Process
from tests.kits.pages import holding

SECRET = "the safe opens with quixotic-zanzibar-77"
WITHIN_SECONDS = 60.0


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A machine on which something ordinary was said."""
    home = Home(tmp_path)
    home.chat(*(f"an ordinary remark, number {n}" for n in range(5)))
    return home


@pytest.fixture
def idle(home: Home) -> Iterator[Process]:
    """A conversation that was told a secret, is left open, and holds the duty to fold the log in."""
    with home.started("chat") as chat:
        assert chat.say(SECRET) == "Kept."
        yield chat


def traces(home: Home) -> list[str]:
    """Return the files that hold the secret, each as often as it does."""
    return holding(home.path, bytes.fromhex(home.key.read_text("ascii")), "zanzibar")


def forget(home: Home) -> None:
    """Have another process forget the secret."""
    found = home.lyra("recall", "zanzibar", "--json", "-k", "1").rows[0]["hits"][0]["id"]
    assert home.lyra("forget", found).out.startswith("Forgotten: 1 message")


def test_what_another_process_forgets_is_gone_from_every_file_beside_an_idle_conversation(home: Home, idle: Process) -> None:
    assert traces(home) != []
    forget(home)
    assert traces(home) == []
    assert idle.say("are you still there?") and idle.finish().code == 0


def test_what_somebody_reads_meanwhile_is_gone_soon_after_he_read_it(home: Home, idle: Process) -> None:
    with closing(sqlcipher.connect(str(home.db))) as reader:
        reader.execute(f"PRAGMA key=\"x'{home.key.read_text('ascii').strip()}'\"")
        half_read = reader.execute("SELECT text FROM exchanges")
        half_read.fetchone()
        forget(home)
        assert traces(home) != [], "it cannot be gone while somebody reads it"
        half_read.close()
    until = time.monotonic() + WITHIN_SECONDS
    while traces(home) and time.monotonic() < until:
        time.sleep(0.2)
    assert traces(home) == []
    assert idle.running, "and nobody had to end for it"
