"""Printing for people, from whatever part of a process."""

import sys
from collections.abc import Callable
from shutil import get_terminal_size
from typing import TextIO

from adapters.markup import printable
from bot.imports import imported
from localization.sentences import _


class OutputUnwritable(OSError):
    """Standard output is closed, nobody reads it any more, or what it leads to has no room left."""


def show(text: str, file: TextIO | None = None, *, end: str = "\n") -> None:
    """Print text without control and bidirectional characters; wrapped between words at a terminal."""
    file, said = file or sys.stdout, printable(text)
    if file.isatty():
        said = imported("adapters.console.rendering:wrapped")(said, get_terminal_size().columns)
    print(said, file=file, end=end)


def note(text: str) -> None:
    """Print a notice on standard error, so that standard output holds results alone."""
    show(text, sys.stderr)


def note_wait(say: Callable[[str], None] = note) -> None:
    """Say for what a command waits, on standard error if not otherwise."""
    say(_("Another process of Lyra writes to the memory just now, as an import does; this waits for it and then goes on."))
