"""The entry point of the process; exits cleanly whatever happens before a command begins."""

import signal
import sys

# Ctrl-C while Lyra is still loading ends the process at once, without a traceback from an import. Whoever started Python with
# this option (deploy/lyra.sh) had Ctrl-C ignored until here.
_HANDLER = signal.default_int_handler if "lyra_listens_later" in sys._xoptions else signal.getsignal(signal.SIGINT)
if _HANDLER is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402
from io import BufferedWriter, FileIO, TextIOWrapper  # noqa: E402
from typing import Any  # noqa: E402

from bot.imports import imported  # noqa: E402
from bot.printing import OutputUnwritable  # noqa: E402

_STOPPED = 130
"""The exit code that shells report for a process ended by Ctrl-C."""


def main() -> None:
    """Run `lyra` and end the process with 0 (done), 1 (failed), 2 (wrong usage) or 130 (Ctrl-C)."""
    _have_streams()
    # pydantic would search all installed packages for plugins, which adds 10 ms to every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    outcome = imported("bot.cli.outcome:run_cli")
    try:
        signal.signal(signal.SIGINT, _HANDLER)
        code = outcome()
    except KeyboardInterrupt:
        code = _STOPPED
    if _HANDLER is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


def _have_streams() -> None:
    """Open closed standard streams on the null device: otherwise the next opened file would take their descriptor.

    A closed standard output is opened for reading alone, so that a result that cannot be written fails as on a full disk.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if name == "stdout" else os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    before = sys.stdout
    if isinstance(before, TextIOWrapper):
        whole = before.write_through
        output = _Output(1, "w", closefd=False)
        sys.stdout = TextIOWrapper(
            output if whole else BufferedWriter(output),
            encoding=before.encoding, errors=before.errors, line_buffering=before.line_buffering, write_through=whole,
        )  # fmt: skip


class _Output(FileIO):
    """Standard output, which is told apart from other files where it cannot be written."""

    def write(self, data: Any) -> int:
        """Write bytes. Raises OutputUnwritable."""
        try:
            return super().write(data)
        except OSError as error:
            raise OutputUnwritable(error.errno, error.strerror) from error


if __name__ == "__main__":
    main()
