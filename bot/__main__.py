"""The door: ends quietly whatever happens before a command begins."""

import os
import signal
import sys

from bot.imports import imported


def main() -> None:
    """Run `lyra` and end the process with 0 (done), 1 (failed) or 2 (wrong usage)."""
    _have_streams()
    # pydantic would look through whatever is installed for plugins of its own, which takes 10 ms of every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Ctrl-C while Lyra is still loading ends the process there and then, instead of a traceback from an import.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    outcome = imported("bot.cli.outcome:outcome")
    signal.signal(signal.SIGINT, before)
    sys.exit(outcome())


def _have_streams() -> None:
    """Let standard streams that are closed lead nowhere: the next file that is opened would take their place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


if __name__ == "__main__":
    main()
