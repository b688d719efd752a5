"""What adapters keep: the newest of many, and values that survive restarts."""

from typing import Any

import pytest

from adapters.listener import NotedValues
from adapters.recent import Recent


class Shelf:
    """Notes that can be out of order."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.broken = False

    async def get(self, name: str) -> Any:
        return self.values.get(name)

    async def put(self, name: str, value: Any) -> None:
        if self.broken:
            raise OSError
        self.values[name] = dict(value)


class Colours(NotedValues[str]):
    """Values for a test."""

    note = "colours"

    def paint(self, what: str, colour: str) -> None:
        self._values[what], self._changed = colour, True

    def of(self, what: str) -> str | None:
        return self._values.get(what)


def test_of_many_the_newest_are_kept_and_what_is_set_again_is_new() -> None:
    recent = Recent(3, {"a": 1, "b": 2, "c": 3, "d": 4})
    recent["b"] = 5
    recent["e"] = 6
    assert list(recent.items()) == [("d", 4), ("b", 5), ("e", 6)]


async def test_what_could_not_be_noted_is_noted_the_next_time() -> None:
    shelf = Shelf()
    colours = Colours(shelf)
    colours.paint("door", "blue")
    shelf.broken = True
    with pytest.raises(OSError):
        await colours.settle()
    shelf.broken = False
    await colours.settle()
    later = Colours(shelf)
    await later.load()
    assert later.of("door") == "blue"
