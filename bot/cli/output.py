"""What the commands print for people."""

import sys
from typing import TextIO

from adapters.markup import printable


def show(text: str, file: TextIO | None = None, *, end: str = "\n") -> None:
    """Print text without what could move a terminal's cursor, hide or turn around what is read."""
    print(printable(text), file=file or sys.stdout, end=end)
