"""Whether there is room for what is said next is tried by writing, which leaves nothing behind."""

import pytest

from memory.core import Memory
from memory.errors import DiskFull
from memory.places.scope_settings import require_room

pytestmark = pytest.mark.file


async def test_a_memory_without_room_says_so_and_one_with_room_keeps_nothing_of_the_trial(memory: Memory) -> None:
    await require_room(memory.db)
    assert await memory.settings.get("install", "room") is None
    async with memory.db.transaction() as tx:
        await tx.one("PRAGMA max_page_count = 1")
    with pytest.raises(DiskFull, match="no room is left on that disk"):
        await require_room(memory.db)
