"""A digest before it is stored: its place in a session's tree, and its sentences with what they cite."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DigestPlace:
    """The position of a digest in a session's tree."""

    tier: str
    level: int
    position: int


@dataclass(frozen=True, slots=True)
class DigestLine:
    """One sentence of a digest with the items it cites."""

    text: str
    cited: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WrittenDigest:
    """A digest's sentences, their writer, and what it derives from."""

    lines: tuple[DigestLine, ...]
    writer: str
    extractive: bool
    first_at: int
    last_at: int
    parents: tuple[int, ...]

    @property
    def text(self) -> str:
        """The sentences, one per line."""
        return "\n".join(line.text for line in self.lines)
