"""Lyra's mouth and two who hear it, as fixtures. A test module takes them with `pytest_plugins`."""

from pathlib import Path

import pytest

from tests.fakes.matrix import People, Person, Proxy
from tests.matrix_speech import Town


@pytest.fixture
async def town(people: People, proxy: Proxy, tmp_path: Path) -> Town:
    """Where Lyra lives."""
    return Town(people, proxy, tmp_path)


@pytest.fixture
async def ada(people: People) -> Person:
    """Someone with a client that encrypts."""
    return await people.person("ada", encrypts=True)


@pytest.fixture
async def bob(people: People) -> Person:
    """Someone else."""
    return await people.person("bob", encrypts=True)
