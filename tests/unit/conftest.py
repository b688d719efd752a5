"""What several tests of single parts need: a memory of their own, and time that they move."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.core import Memory
from tests.kits.memory_kit import Clock, opened


@pytest.fixture
def clock() -> Clock:
    """Time that stands still until a test moves it."""
    return Clock()


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    """A fresh memory."""
    async with opened(tmp_path / "lyra.db") as memory:
        yield memory
