"""The forward migrations.

Numbered SQL files come in; they are applied in order, each once, each in one transaction.
"""

from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable


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


def migrations() -> list[Migration]:
    """Return all steps, oldest first."""
    found = [Migration(_version(file), file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in _steps()]
    return sorted(found, key=lambda step: step.version)


def newest() -> int:
    """Return the latest version, without reading the steps."""
    return max(map(_version, _steps()))


def titles() -> frozenset[str]:
    """Return the titles of all steps, without reading the steps."""
    return frozenset(file.name.removesuffix(".sql")[5:] for file in _steps())


def _steps() -> list[Traversable]:
    return [entry for entry in files(__name__).iterdir() if entry.name.endswith(".sql")]


def _version(file: Traversable) -> int:
    return int(file.name[:4])
