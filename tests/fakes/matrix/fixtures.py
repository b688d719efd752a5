"""The homeserver and its people as fixtures. A test module takes them with `pytest_plugins = ["tests.fakes.matrix.fixtures"]`.

So there is one homeserver for a whole worker, however many modules ask for it.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes.matrix.people import People
from tests.fakes.matrix.proxy import Proxy
from tests.fakes.matrix.synapse import Synapse


@pytest.fixture(scope="session")
def synapse() -> Iterator[Synapse]:
    """The worker's homeserver."""
    with Synapse() as synapse:
        yield synapse


@pytest.fixture
async def people(synapse: Synapse) -> AsyncIterator[People]:
    """Everyone of one test."""
    async with People(synapse) as people:
        yield people


@pytest.fixture
async def proxy(synapse: Synapse) -> AsyncIterator[Proxy]:
    """A way to the homeserver on which things go wrong."""
    async with Proxy(synapse.url) as proxy:
        yield proxy
