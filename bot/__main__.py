"""The door: ends quietly whatever happens before a command begins."""

import signal
import sys

# Ctrl-C while Lyra is still loading ends the process there and then, instead of a traceback from an import. Who started Python with
# this option (deploy/lyra.sh) had it ignore Ctrl-C until here.
_HANDLER = signal.default_int_handler if "lyra_listens_later" in sys._xoptions else signal.getsignal(signal.SIGINT)
if _HANDLER is not signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402

from bot.imports import imported  # noqa: E402

_STOPPED = 130
"""As a shell says it of a process that Ctrl-C ended."""


def main() -> None:
    """Run `lyra` and end the process with 0 (done), 1 (failed), 2 (wrong usage) or 130 (Ctrl-C)."""
    _have_streams()
    # pydantic would look through whatever is installed for plugins of its own, which takes 10 ms of every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    outcome = imported("bot.cli.outcome:outcome")
    try:
        signal.signal(signal.SIGINT, _HANDLER)
        code = outcome()
    except KeyboardInterrupt:
        code = _STOPPED
    if _HANDLER is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


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
