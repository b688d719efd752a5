"""Two people at the homeserver, as fixtures."""

import pytest

from tests.fakes.matrix import People, Person


@pytest.fixture
async def ada(people: People) -> Person:
    """Someone with a client that encrypts."""
    return await people.person("ada", encrypts=True)


@pytest.fixture
async def bob(people: People) -> Person:
    """Someone else."""
    return await people.person("bob", encrypts=True)
