"""The forward migrations.

Numbered SQL files come in; they are applied in order, each once, each in one transaction.
"""

from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable

from localization.sentences import lazy
from memory.errors import NewerDatabase


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step. `digest` shows whether the applied text is the present one."""

    version: int
    name: str
    text: str

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


def known(version: int, last: int | None = None) -> int:
    """Return the version of a memory, where the steps up to the `last` are known, by default the latest. Raises NewerDatabase."""
    last = last or newest()
    if version > last:
        raise NewerDatabase(
            lazy(
                "This memory was written by a newer Lyra (schema {version}, this one knows {known}). Start the newer "
                "version, or restore a backup made with this one.",
                version=version,
                known=last,
            )
        )
    return version


def _steps() -> list[Traversable]:
    return [entry for entry in files(__name__).iterdir() if entry.name.endswith(".sql")]


def _version(file: Traversable) -> int:
    return int(file.name[:4])
