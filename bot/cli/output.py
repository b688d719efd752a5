"""What the commands print for people, and ask them before something that cannot be undone."""

import sys
from typing import TextIO

import typer

from adapters.markup import printable


def show(text: str, file: TextIO | None = None, *, end: str = "\n") -> None:
    """Print text without what could move a terminal's cursor, hide or turn around what is read."""
    print(printable(text), file=file or sys.stdout, end=end)


def ask(question: str, *, yes: bool) -> bool:
    """Ask at the terminal and return the answer; where nobody can be asked, only `yes` means yes."""
    if yes or not sys.stdin.isatty():
        return yes
    return typer.confirm(question, default=False, err=True)
