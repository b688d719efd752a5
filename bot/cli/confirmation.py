"""Asking before something that cannot be undone."""

import sys

import typer


def ask(question: str, *, yes: bool) -> bool:
    """Ask at the terminal and return the answer; where nobody can be asked, only `yes` means yes."""
    if yes or not sys.stdin.isatty():
        return yes
    return typer.confirm(question, default=False, err=True)
