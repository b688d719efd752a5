"""A home of Lyra, a model and somebody who talks to her, as fixtures. A test module takes them with `pytest_plugins`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.matrix import People, Person, Proxy
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_home import Home, home


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home in which Lyra was not awake yet."""
    return await home(people, proxy, tmp_path, monkeypatch)


@pytest.fixture
async def model() -> AsyncIterator[Thoughtful]:
    """A model that thinks as long as it is told to."""
    async with Thoughtful() as model:
        yield model


@pytest.fixture
async def ada(people: People) -> Person:
    """Somebody whose client encrypts."""
    return await people.person("ada", encrypts=True)
