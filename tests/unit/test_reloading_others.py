"""`lyra model reload` reaches everybody who is awake in a home, and nobody else's process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.service import awake
from memory.store.file_locks import FileLock
from tests.kits import forked

AWAKE = """
import pathlib, signal, sys
from bot.service.awake import reloadable
signal.signal(signal.SIGHUP, lambda *_: sys.exit(7))
with reloadable(pathlib.Path(sys.argv[1])):
    print("ready", flush=True)
    signal.pause()
"""
STRANGER = """
import signal, sys
signal.signal(signal.SIGHUP, lambda *_: sys.exit(7))
print("ready", flush=True)
sys.stdin.read()
"""
REACHED = 7


@contextmanager
def process(code: str, *arguments: str) -> Iterator[forked.Piped]:
    """Run a process until the end of the block, which begins once it is ready."""
    child = forked.started(code, *arguments)
    assert child.stdout.readline() == b"ready\n"
    try:
        yield child
    finally:
        child.kill()
        child.ended()


def test_each_process_of_a_home_is_reached(tmp_path: Path) -> None:
    with process(AWAKE, str(tmp_path)) as one, process(AWAKE, str(tmp_path)) as other:
        assert awake.reload(tmp_path)
        assert (one.wait(), other.wait()) == (REACHED, REACHED)
    assert not awake.reload(tmp_path) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("is_awake", [False, True], ids=["a killed one's number", "the twin: awake"])
def test_a_process_that_only_has_the_number_of_a_killed_one_is_left_alone(tmp_path: Path, is_awake: bool) -> None:
    with process(STRANGER) as stranger:
        left = tmp_path / f"run-{stranger.pid}.lock"
        left.touch()
        held = FileLock(left)
        if is_awake:
            held.take()
        assert awake.reload(tmp_path) == is_awake
        held.release()
        stranger.stdin.close()
        assert stranger.wait() == (REACHED if is_awake else 0)
