"""The forward migrations.

Numbered SQL files come in; they are applied in order, each once, each in one transaction.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable

from memory.errors import NewerDatabase
from memory.store.database import Row


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step. `digest` shows whether the applied text is the present one."""

    version: int
    name: str
    text: str

    @property
    def title(self) -> str:
        """The name without its number, by which a memory knows what it has seen: branches of the sources may number otherwise."""
        return self.name[5:]

    @property
    def digest(self) -> str:
        return blake2b(self.text.encode(), digest_size=16).hexdigest()

    def statements(self) -> list[str]:
        """Return the statements one by one; no statement of a migration contains a semicolon."""
        return [s.strip() for s in self.text.split(";") if s.strip()]


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all steps, oldest first; they are read once."""
    found = [Migration(_version(file), file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in _steps()]
    return tuple(sorted(found, key=lambda step: step.version))


def newest() -> int:
    """Return the latest version, without reading the steps."""
    return max(map(_version, _steps()))


def titles() -> frozenset[str]:
    """Return the titles of all steps, without reading the steps."""
    return frozenset(file.name.removesuffix(".sql")[5:] for file in _steps())


def applied(ledger: Iterable[Row], last: int | None = None) -> frozenset[str]:
    """Return the titles of the steps in a memory's ledger, where those up to the `last` are known, by default all.

    The highest number is no measure: a branch of the sources may have lacked what is below. Raises NewerDatabase.
    """
    steps = {str(row["name"])[5:]: int(row["version"]) for row in ledger}
    version, last = max(steps.values(), default=0), last or newest()
    if version > last:
        raise NewerDatabase(
            "This memory was written by a newer Lyra (schema {version}, this one knows {known}). Start the newer "
            "version, or restore a backup made with this one.",
            version=version,
            known=last,
        )
    return frozenset(steps)


def _steps() -> list[Traversable]:
    return [entry for entry in files(__name__).iterdir() if entry.name.endswith(".sql")]


def _version(file: Traversable) -> int:
    return int(file.name[:4])
