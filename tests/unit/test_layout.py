"""A name means one thing: modules and classes share one only where they are counterparts."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("adapters", "bot", "localization", "memory")
COUNTERPARTS = (
    tuple(str(one.parent.relative_to(ROOT)) for one in (ROOT / "adapters").glob("*/__init__.py")),
    ("memory/store/postgresql", "memory/store/sqlite"),
)
"""Folders in which a name may come again, once in each: two platforms, two stores."""
PORTS = ("adapters/pace.py", "adapters/posting.py", "memory/store/database.py")
"""What counterparts are made after."""
_CLASS = re.compile(r"^\s*class ([A-Za-z]\w*)[(:\[]", re.MULTILINE)


def product() -> Iterator[Path]:
    """Yield the modules of the product."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name not in ("__init__.py", "errors.py"):
                yield path.relative_to(ROOT)


def side(path: Path) -> str:
    """Return the folder of counterparts that a module is in, or the module itself."""
    return next((one for some in COUNTERPARTS for one in some if path.is_relative_to(one)), str(path))


def shared(named: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Return the names that more than counterparts share, and where they are."""
    places: dict[str, list[Path]] = defaultdict(list)
    for name, path in named:
        if str(path) not in PORTS:
            places[name].append(path)
    return {name: [str(path) for path in paths] for name, paths in places.items() if not are_counterparts(paths)}


def are_counterparts(paths: list[Path]) -> bool:
    """Return whether modules are in different folders of one row of counterparts."""
    sides = [side(path) for path in paths]
    return len(paths) == 1 or (len(set(sides)) == len(paths) and any(set(sides) <= set(some) for some in COUNTERPARTS))


def classes(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Yield the public classes of modules."""
    for path in paths:
        for name in _CLASS.findall((ROOT / path).read_text("utf-8")):
            yield name, path


def test_no_two_modules_share_a_name() -> None:
    assert shared((path.stem, path) for path in product()) == {}


def test_no_two_classes_share_a_name() -> None:
    assert shared(classes(product())) == {}


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("adapters/discord/sending.py", "adapters/matrix/outgoing/sending.py", True),
        ("adapters/discord/sending.py", "adapters/discord/outgoing/sending.py", False),
        ("adapters/discord/sending.py", "memory/store/sqlite/sending.py", False),
        ("bot/web/sending.py", "bot/cli/sending.py", False),
    ],
)
def test_a_name_comes_again_in_counterparts_alone(one: str, other: str, may: bool) -> None:
    assert (shared([("sending", Path(one)), ("sending", Path(other))]) == {}) == may
