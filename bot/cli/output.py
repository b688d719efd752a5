"""Printing for people, and asking for confirmation before something that cannot be undone."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.errors import BadInput, Cancelled
from bot.imports import imported
from bot.printing import OutputUnwritable, show
from localization.sentences import _, lazy_plural
from localization.yes_or_no import CHOICE, NO, YES

if TYPE_CHECKING:
    from adapters.console.progress_bar import ProgressBar
    from memory.ports import Progress

T = TypeVar("T")
_PAGE = 20
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
_MEGABYTE = 1_000_000


def system_failure(error: OSError) -> str:
    """Return in a sentence what the operating system refused."""
    match error:
        case OutputUnwritable():
            return _("Standard output cannot be written: {why}.", why=error.strerror)
        case FileNotFoundError():
            return _('"{file}" does not exist.', file=error.filename)
        case IsADirectoryError():
            return _('"{file}" is a folder; name a file in it.', file=error.filename)
        case PermissionError():
            return _('You may not read or write "{file}".', file=error.filename)
    return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}."


def home_relative(path: Path) -> str:
    """Return a path as people write it, with ~ for the user's home directory."""
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)


def has_screen(variables: Mapping[str, str]) -> bool:
    """Return whether a browser can be shown here, by the variables of the environment."""
    return sys.platform == "darwin" or any(variables.get(name) for name in _SCREENS)


def progress_bar(done: str) -> "ProgressBar":
    """Return what reports the progress of long work on standard error, in a block; `done` is a word like "Embedded"."""
    bar: type[ProgressBar] = imported("adapters.console.progress_bar:ProgressBar")
    return bar(done)


@contextmanager
def copy_progress() -> "Iterator[Progress]":
    """Report in megabytes how much of a memory is copied during the block; yield what is told it in bytes."""
    with progress_bar(_("Copied MB:")) as progress:
        yield lambda done, total: progress(done // _MEGABYTE, total // _MEGABYTE)


def page_of(entries: Sequence[T], page: int, *, everything: bool) -> tuple[Sequence[T], int, str]:
    """Return the entries to show, the number before them, and how to see the rest ('' if all are shown).

    At a terminal that is one page; elsewhere, or with `everything`, everything, unless a page (from 1 on) is given.
    """
    if everything or not (page or sys.stdout.isatty()):
        return entries, 0, ""
    page = page or 1
    begin = (page - 1) * _PAGE
    shown, last = entries[begin : begin + _PAGE], -(-len(entries) // _PAGE)
    if page > max(1, last):
        raise BadInput(lazy_plural("There is only {n} page of that.", "There are only {n} pages of that.", max(1, last)))
    more = (
        _("--page {next} shows the next, --all everything.", next=page + 1)
        if page < last
        else _("--all shows everything.")
        if page > 1
        else ""
    )
    return shown, begin, _("Page {page} of {last}; {more}", page=page, last=last, more=more) if more else ""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt within the block: asyncio defers it to its loop, which a blocking read holds up."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # Pressed just before, it has only marked the task, which the read would hold up until something is typed.
        if _is_cancelled():
            raise KeyboardInterrupt
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _is_cancelled() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop runs here
        return False
    return bool(task and task.cancelling())


def read_answer(question: str, read: Callable[[], str] = lambda: sys.stdin.readline()) -> str:
    """Ask on standard error, so that standard output holds results alone; return the answer given by `read`.

    The answer is a line with its line end, '' at the end of input. Raises Cancelled at Ctrl-C.
    """
    try:
        # Whoever reads the question may press Ctrl-C at once.
        with interruptible():
            show(question, sys.stderr, end=" ")
            sys.stderr.flush()
            answer = read()
    except KeyboardInterrupt:
        print(file=sys.stderr)
        raise Cancelled(_("Cancelled; nothing was changed.")) from None
    if not (answer and sys.stdin.isatty()):
        # Input that is not echoed ends no line, so end it here: each question gets a line of its own.
        print(file=sys.stderr, flush=True)
    return answer


def confirm(question: str, *, yes: bool) -> bool:
    """Ask for confirmation at the terminal; without a terminal, return `yes`. Raises Cancelled at Ctrl-C."""
    if yes or not sys.stdin.isatty():
        return yes
    while True:
        answer = read_answer(f"{question} {CHOICE}").strip().casefold()
        if answer in YES or not answer or answer in NO:
            return answer in YES
