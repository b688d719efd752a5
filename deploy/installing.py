"""Install packages with pip and show progress: python deploy/installing.py MEGABYTES PIP-ARGUMENTS…

Runs before any of Lyra's dependencies are installed, so it uses the standard library alone. At a terminal, one line shows the
megabytes downloaded of the total, the speed and the time left; elsewhere nothing is shown. pip's output is shown only on
failure.
"""

import re
import subprocess
import sys
import time
from collections import deque

_CAME = re.compile(r"\s*(?:Downloading|Using cached) \S+ \((\d+(?:\.\d+)?) (bytes|kB|MB|GB)\)")
_UNITS = {"bytes": 1e-6, "kB": 1e-3, "MB": 1.0, "GB": 1e3}
_AT_LAST = "Installing"
_LAST_LINES = 20


def main(expected: str, *arguments: str) -> int:
    """Install; return pip's exit code."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--progress-bar", "off", *arguments]
    watched, begun, came, last = sys.stderr.isatty(), time.monotonic(), 0.0, deque[str](maxlen=_LAST_LINES)
    told = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as child:
        assert child.stdout is not None
        if watched:
            print(file=sys.stderr)
        for line in child.stdout:
            last.append(line)
            if found := _CAME.match(line):
                came += float(found[1]) * _UNITS[found[2]]
            told = (
                _AT_LAST if _AT_LAST in (line[: len(_AT_LAST)], told) else _pace(came, float(expected), time.monotonic() - begun)
            )
            if watched:
                print(f"\r\x1b[K  {told} … ", end="", file=sys.stderr, flush=True)
        if watched:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if child.returncode:
        print(*last, sep="", file=sys.stderr)
    return child.returncode


def _pace(came: float, expected: float, seconds: float) -> str:
    """Return the progress line: amount downloaded of the total, speed, time left."""
    told = f"{came:.0f} of {max(came, expected):.0f} MB"
    if seconds < 1 or not came:
        return told
    left = max(0.0, expected - came) * seconds / came
    return f"{told}, {came / seconds:.1f} MB a second, {left:.0f} seconds left"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
