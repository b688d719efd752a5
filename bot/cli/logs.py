"""`lyra logs`: the end of her log."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from bot.config.environment import read_environment
from bot.service.log import FILE
from bot.service.log_file import newest
from localization.sentences import _

_LOOK_SECONDS = 0.5


async def logs(lines: int, *, follow: bool) -> None:
    """Print the last lines of the log and, with `follow`, new ones until Ctrl-C."""
    path = read_environment().home / FILE
    size = path.stat().st_size if path.is_file() else 0
    last = newest(path, lines)
    print(
        "\n".join(last) if last else _("Nothing has been logged yet; the log will be in {path}.", path=path),
        file=sys.stdout if last else sys.stderr,
    )
    # Ctrl-C is the regular way to end this.
    with suppress(asyncio.CancelledError):
        while follow:
            sys.stdout.flush()
            await asyncio.sleep(_LOOK_SECONDS)
            size = _print_from(path, size)


def _print_from(path: Path, begin: int) -> int:
    """Print a log from a byte offset on, or all of it if the file is new; return its current size."""
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(begin if begin <= size else 0)
        sys.stdout.write(file.read().decode("utf-8", "replace"))
        return file.tell()
