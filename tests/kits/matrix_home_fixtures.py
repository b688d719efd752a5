"""Who most tests of Lyra on Matrix need: a home in which she was not awake yet, and two people. Taken with `pytest_plugins`."""

from pathlib import Path

import pytest

from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_home import Home, home

pytest_plugins = ["tests.kits.matrix_people_fixtures"]


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home in which Lyra was not awake yet."""
    return await home(people, proxy, tmp_path, monkeypatch)
