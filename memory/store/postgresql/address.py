"""Where a PostgreSQL database is, and how it is named to people: without who signs in, and without the password."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

SCHEMA = "lyra"
"""What holds a memory in its database; beside it there may be whatever else."""
LOCK = 1_819_898_465
"""The number under which processes lock what is theirs in a database."""


@dataclass(frozen=True, slots=True)
class DatabaseAddress:
    """A database by its URL, "postgresql://name@host/database".

    The password stands in the URL, or beside it; neither is ever shown.
    """

    url: str = field(repr=False)
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return where it is, for people."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
