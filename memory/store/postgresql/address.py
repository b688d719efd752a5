"""The address of a PostgreSQL database, shown to people without user name and password."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

SCHEMA = "lyra"
"""The schema of a memory within its database; other schemas are left alone."""
LOCK = 1_819_898_465
"""The first key of all advisory locks."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A database by its URL, "postgresql://name@host/database".

    The password may be in the URL or given separately; it is never shown.
    """

    url: str = field(repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return the address without user name and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
