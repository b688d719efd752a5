"""`lyra run` is gone in time once it is asked to end, whatever it stands still at."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.fakes.pulse import PATIENCE
from tests.kits.customized import customized
from tests.kits.lyra_kit import STARTED, Home
from tests.kits.size import TORTURE

_SECONDS = 9.0 if TORTURE else 0.5
_LATE = 1.0 if TORTURE else 30.0
"""A busy machine takes a while to end a process."""
_WITHIN = f"from bot.service import deadline\ndeadline.SECONDS = {_SECONDS}\n"
_NEVER = "from bot.service import deadline\ndeadline.Stop.begin = lambda self: None\n"
_LOOKUP = """
import socket, sys, threading
real = socket.getaddrinfo
def getaddrinfo(host, *given, **named):
    if host != "discord.example":
        return real(host, *given, **named)
    print("it is looked up", file=sys.stderr, flush=True)
    threading.Event().wait()
socket.getaddrinfo = getaddrinfo
"""
_CONFIG = """
[web]
port = 0
[discord]
token_env = "DISCORD_TOKEN"
api_url = "https://discord.example/api/v10"
gateway_url = "wss://discord.example"
"""


def _writes(pid: int, number: int) -> bool:
    """Say whether a process stands still in a call of the system on a file of this number."""
    return Path(f"/proc/{pid}/syscall").read_text("ascii").split()[1:2] == [hex(number)]


def test_a_lookup_of_a_name_that_never_ends_holds_nobody_up(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", _CONFIG, DISCORD_TOKEN="one.two.three")
    with home.started("run", env=customized(tmp_path / "custom", _WITHIN + _LOOKUP)) as lyra:
        lyra.note("it is looked up")
        began = time.monotonic()
        done = lyra.stop(signal.SIGTERM)
    assert done.code == 0 and time.monotonic() - began < _SECONDS + _LATE
    assert "lyra.cut_off" in done.err and "Traceback" not in done.err


def test_without_the_guard_a_thread_is_waited_for_for_ever(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", _CONFIG, DISCORD_TOKEN="one.two.three")
    with home.started("run", env=customized(tmp_path / "custom", _NEVER + _LOOKUP)) as lyra:
        lyra.note("it is looked up")
        lyra.send(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            lyra._child.wait(_SECONDS + _LATE)


@pytest.mark.parametrize("guard", [pytest.param(_WITHIN, id="guarded"), pytest.param(_NEVER, id="without the guard")])
def test_a_reader_of_its_output_that_stands_still_holds_nobody_up(tmp_path: Path, guard: str) -> None:
    """It stands still in the middle of its event loop, where it hears no signal."""
    home = Home(tmp_path / "home", "[web]\nport = 0\n")
    out, into = os.pipe()
    environment = home.environment(customized(tmp_path / "custom", guard))
    child = subprocess.Popen([*STARTED, "run"], stderr=into, cwd=home.folder, env=environment)
    try:
        with os.fdopen(os.dup(out), "rb") as lines:
            while b"Lyra is awake" not in lines.readline():
                pass
        os.set_blocking(into, False)
        while True:
            try:
                os.write(into, b"x" * 4096)
            except BlockingIOError:
                break
        os.set_blocking(into, True)
        child.send_signal(signal.SIGHUP)
        ends = time.monotonic() + PATIENCE
        while not _writes(child.pid, 2):
            assert time.monotonic() < ends
            time.sleep(0.01)
        began = time.monotonic()
        child.send_signal(signal.SIGTERM)
        if guard is _NEVER:
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(_SECONDS + _LATE)
        else:
            assert child.wait(_SECONDS + _LATE) == 0 and time.monotonic() - began < _SECONDS + _LATE
    finally:
        child.kill()
        child.wait()
        os.close(into)
        os.close(out)
