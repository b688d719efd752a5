"""The homeserver and its people as fixtures. A test module takes them with `pytest_plugins = ["tests.fakes.matrix.fixtures"]`.

So there is one homeserver for a whole run, however many workers and modules ask for it. A module whose tests end
it has a fixture of this name of its own.
"""

import os
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes.matrix.people import People
from tests.fakes.matrix.proxy import Proxy
from tests.fakes.matrix.shared import SharedSynapse
from tests.fakes.matrix.synapse import Synapse


@pytest.fixture(scope="session")
def synapse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synapse]:
    """The homeserver of the run."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    with SharedSynapse(tmp_path_factory.getbasetemp().parent, worker) if worker else Synapse() as synapse:
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
