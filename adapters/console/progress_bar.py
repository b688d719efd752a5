"""Progress of long work on standard error: on a terminal a transient bar, elsewhere a line now and then, ever less often."""

import sys
import time
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from localization.numerals import number
from localization.sentences import _, ngettext

_FIRST_SECONDS, _MOST_SECONDS = 2.0, 30.0


class ProgressBar:
    """Reports how much is done, how fast, and how long the rest takes. `done` is a word like "Embedded"."""

    def __init__(self, done: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare; `clock` counts seconds."""
        console = Console(stderr=True)
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._what = done
        self._task = self._bar.add_task(done, total=None)
        self._lines = not console.is_terminal
        self._clock = clock
        self._pause = _FIRST_SECONDS
        self._begun = clock()
        self._next = self._begun + self._pause
        self._done, self._total, self._first = 0, 0, -1

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int = 0) -> None:
        """Show that `done` of `total` are done (0: total unknown)."""
        if self._first < 0:
            # What was done before the start says nothing about the rate.
            self._first = done if done < total else 0
        self._done, self._total = done, total
        self._bar.update(self._task, completed=done, total=total or None, description=str(self))
        if self._lines and self._clock() >= self._next:
            self._pause = min(2 * self._pause, _MOST_SECONDS)
            self._next = self._clock() + self._pause
            print(str(self), file=sys.stderr, flush=True)

    @property
    def so_far(self) -> str:
        """How much is done, without the rate."""
        return f"{self._count()}."

    def __str__(self) -> str:
        return f"{self._count()}{self._pace()}."

    def _count(self) -> str:
        if not self._total and not self._done:
            return _("{what} nothing yet", what=self._what)
        done = number(self._done)
        return f"{self._what} {_('{done} of {total}', done=done, total=number(self._total)) if self._total else done}"

    def _pace(self) -> str:
        seconds, made = self._clock() - self._begun, self._done - max(self._first, 0)
        if seconds < 1 or made <= 0:
            return ""
        rate = made / seconds
        pace = _(", {n} a second", n=number(round(rate))) if rate >= 1 else _(", {n} a minute", n=number(round(60 * rate)))
        remaining = self._total - self._done
        return _("{pace}, {span} left", pace=pace, span=lasting(remaining / rate)) if remaining > 0 else pace


def lasting(seconds: float) -> str:
    """Return a duration as people say it: 40 seconds, 3 minutes, 2 hours 5 minutes."""
    if seconds < 90:
        return ngettext("{n} second", "{n} seconds", max(1, round(seconds)))
    minutes = round(seconds / 60)
    if minutes < 90:
        return _minutes(minutes)
    hours, rest = divmod(minutes, 60)
    text = ngettext("{n} hour", "{n} hours", hours)
    return f"{text} {_minutes(rest)}" if rest else text


def _minutes(n: int) -> str:
    return ngettext("{n} minute", "{n} minutes", n)
