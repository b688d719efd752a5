"""Lyra by a clock that is given to her, in this process or in others, which are given ids as well.

The container makes its clock and ids by name; before it does, a process that was customized so has other classes there. Instants
for several processes stand in a file, which whoever runs them moves on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import count
from pathlib import Path

import pytest

from adapters.platform_clock import PlatformClock
from memory.ports import Clock
from tests.kits.customized import customized


class GivenClock:
    """The clock of several processes: the instant that stands in a file, in microseconds UTC."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._next = file.with_suffix(".next")

    def now(self) -> int:
        """Return the present instant."""
        return int(self.file.read_text())

    def set(self, at: int) -> None:
        """Make it another instant, in all processes at once."""
        self._next.write_text(str(at))
        self._next.rename(self.file)


class GivenIds:
    """Ids of 128 bits that one process gives in the same order in every run, and no other process gives."""

    def __init__(self, process: str) -> None:
        self._process = process
        self._numbers = count()

    def new(self) -> str:
        """Return the next id."""
        return blake2b(f"{self._process} {next(self._numbers)}".encode(), digest_size=16).hexdigest()


class Noon:
    """A clock that stands still."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return self._now


@contextmanager
def going_by(clock: Clock | None) -> Iterator[None]:
    """Have all of what is opened in the block go by a clock, if one is given: her conversations, her memory and her nights.

    By two clocks, what was said this month to the one is of a month that is over to the other: what is still talked about would be
    consolidated whenever she comes to it.
    """
    with pytest.MonkeyPatch.context() as patched:
        if clock:
            patched.setattr("bot.app.SystemClock", lambda: clock)
        yield


def pass_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the given time be that of the platform as well, whose answers keep the system's."""
    monkeypatch.setattr(PlatformClock, "note", lambda self, date: None)


def given(folder: Path, clock: Path, process: str, more: str = "") -> dict[str, str]:
    """Return an environment in which a process of that name goes by that clock; `more` is run in it before it begins."""
    return customized(
        folder / process,
        "from functools import partial\nfrom pathlib import Path\nimport bot.app\n"
        "from tests.kits.given_time import GivenClock, GivenIds\n"
        f"bot.app.SystemClock = partial(GivenClock, Path({str(clock)!r}))\n"
        f"bot.app.RandomIds = partial(GivenIds, {process!r})\n"
        # The platform's answers keep the system's time.
        "from adapters.platform_clock import PlatformClock\n"
        f"PlatformClock.note = lambda self, date: None\n{more}",
    )
