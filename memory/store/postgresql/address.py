"""The address of a PostgreSQL database, shown to people without user name and password."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

SCHEMA = "lyra"
"""The schema of a memory within its database; other schemas are left alone."""
LOCK = 1_819_898_465
"""The first key of all advisory locks."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A database by its URL, "postgresql://name@host/database".

    The password may be in the URL, given separately, or in a file that is read for each connection; it is never shown.
    """

    url: str = field(repr=False)
    password: str | None = field(default=None, repr=False)
    password_file: Path | None = None

    def current_password(self) -> str | None:
        """Return the password for the next connection, None if there is none."""
        if self.password_file is not None:
            with suppress(OSError, UnicodeDecodeError):
                return self.password_file.read_text("utf-8").strip()
        return self.password

    def __str__(self) -> str:
        """Return the address without user name and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
