"""Finds what a method and a path ask for. A fixed segment goes before an open one: `@me` is nobody's id."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """One thing the interface can do, by its name in Discord's description."""

    name: str
    method: str
    segments: tuple[str, ...]

    @classmethod
    def at(cls, name: str, method: str, path: str) -> "Operation":
        """The operation with a path like `/channels/{channel_id}`."""
        return cls(name, method, _cut(path))

    def fits(self, segments: tuple[str, ...]) -> bool:
        """Whether a request's path is this operation's."""
        return all(bool(given) if _is_open(own) else own == given for own, given in zip(self.segments, segments, strict=True))

    def values(self, path: str) -> dict[str, str]:
        """The named parts of a path that fits."""
        pairs = zip(self.segments, _cut(path), strict=True)
        return {own[1:-1]: given for own, given in pairs if _is_open(own)}


class Paths:
    """Operations, to be found by what is asked."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], list[Operation]] = {}

    def add(self, operation: Operation) -> None:
        """Make an operation known."""
        same = self._known.setdefault((operation.method, len(operation.segments)), [])
        same.append(operation)
        same.sort(key=lambda one: sum(map(_is_open, one.segments)))

    def find(self, method: str, path: str) -> Operation | None:
        """The operation that is asked for; none, when there is no such path."""
        segments = _cut(path)
        return next((one for one in self._known.get((method, len(segments)), ()) if one.fits(segments)), None)


def _cut(path: str) -> tuple[str, ...]:
    return tuple(path.strip("/").split("/"))


def _is_open(segment: str) -> bool:
    return segment.startswith("{") and segment.endswith("}")
