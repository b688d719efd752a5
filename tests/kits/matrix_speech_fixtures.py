"""Matrix's sender under test and two people who read it, as fixtures. A test module takes them with `pytest_plugins`."""

from pathlib import Path

import pytest

from tests.fakes.matrix import People, Proxy
from tests.kits.matrix_speech import Town

pytest_plugins = ["tests.kits.matrix_people_fixtures"]


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path) -> Town:
    """Where Lyra lives."""
    return Town(people, proxy, tmp_path)
