"""A database on the server of the run, for one test."""

import os
from collections.abc import Iterator

import pytest

from memory.store.postgresql.database_server import DatabaseAddress
from tests.kits.fresh import server


@pytest.fixture
def address() -> Iterator[DatabaseAddress]:
    """A database of its own, which holds a fresh memory."""
    name = f"own{os.getpid()}"
    yield server().make(name)
    server().drop(name)
