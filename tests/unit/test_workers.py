"""The workers that run the tests: everything is run once, and what goes wrong in one of them is told."""

import os
import sys
from pathlib import Path

import pytest

from tests.kits.forked import REPO, Piped

GOOD = "import os\ndef test_{n}(tmp_path):\n    print('heard')\n    os.write(os.open('{ran}', os.O_WRONLY | os.O_APPEND | os.O_CREAT), b'{n}\\n')\n"
BAD = """
import os, signal
import pytest
def test_wrong(tmp_path): print("seen"); assert 1 == 2
@pytest.mark.parametrize("n", range(3))
def test_ends(n):
    if n == 1: os.kill(os.getpid(), signal.SIGKILL)
"""


def told(folder: Path, *more: str) -> tuple[int, str]:
    """Run the tests of a folder in two workers, in a child of this process; return its exit code and what it printed."""
    out = folder / "out"
    child = os.fork()
    if not child:
        stream = out.open("w")
        sys.stdout = sys.stderr = stream
        words = [
            "-p",
            "tests.kits.workers",
            "--workers",
            "2",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            "-q",
            str(folder),
            *more,
        ]
        code = pytest.main(words)
        stream.flush()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), out.read_text()


def filled(folder: Path) -> Path:
    """Put six files of a test each into a folder, which write down that they ran; return where."""
    ran = folder / "ran"
    for n in range(6):
        (folder / f"test_good{n}.py").write_text(GOOD.format(n=n, ran=ran))
    return ran


def test_each_test_is_run_once_and_what_fails_or_ends_its_worker_is_told(tmp_path: Path) -> None:
    ran = filled(tmp_path)
    (tmp_path / "test_bad.py").write_text(BAD)
    code, printed = told(tmp_path)
    assert (code, sorted(ran.read_text().split())) == (1, [*"012345"])
    assert "2 failed, 7 passed" in printed and "seen" in printed
    assert "test_bad.py::test_wrong" in printed and "test_bad.py::test_ends[1]" in printed
    assert "test_ends[2]" not in printed and "heard" not in printed


def test_it_ends_at_the_first_failure_where_that_is_wanted(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "test_a.py").write_text(BAD)
    code, printed = told(tmp_path, "--exitfirst")
    assert code == 1 and "1 failed" in printed and "stopping after 1 failures" in printed


def goes_on(code: str) -> bool:
    """Run code in a process that may go on after it; say whether it does."""
    one = Piped(["-c", code], REPO, {**os.environ, "PYTHONPATH": str(REPO)}, lasting=True)
    one.ended()
    try:
        os.kill(one.pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "left",
    [
        "import os; os.open(os.devnull, 0)",
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "import concurrent.futures as f; pool = f.ThreadPoolExecutor(); pool.submit(int); import builtins; builtins.pool = pool",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "import os; os.umask(0)",
        "import gc; gc.disable()",
        "import os; print('unread'); os.close(1); os.open(os.devnull, 0)",
    ],
    ids=["an open file", "a thread", "a pool", "a handler", "a mask", "no collecting", "something unwritten"],
)
def test_a_process_that_a_command_left_changed_runs_no_other(left: str) -> None:
    assert any(goes_on("pass") for _ in range(3)), "one that was left as it was goes on"
    assert not goes_on(left)


def test_a_process_that_goes_on_has_nothing_of_the_command_before(tmp_path: Path) -> None:
    look = "import os, sys, logging; print(os.getcwd(), 'LEFT' in os.environ, sys.argv, len(logging.root.handlers), sys.stdin.read())"
    leaves = "import os, logging; os.environ['LEFT'] = ''; os.chdir('/'); logging.basicConfig()"
    for _ in range(3):
        goes_on(leaves)
        one = Piped(["-c", look], tmp_path, {**os.environ, "PYTHONPATH": str(REPO)}, lasting=True)
        assert one.ended() == (f"{tmp_path} False ['-c'] 0 \n", "", 0)
