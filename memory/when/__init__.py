"""When a question asks about: its time expression as a window of time, or as a distance from an event."""

from memory.when.question import asked
from memory.when.values import Around, Asked, Window

__all__ = ["Around", "Asked", "Window", "asked"]
