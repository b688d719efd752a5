"""What every platform has to say by itself: nothing that decides who is told something has a default."""

import pytest

from adapters.base import Adapter, Sending
from adapters.listener import Listener
from tests.kits.adapter_kit import Silent


class Unaware(Adapter):
    """A platform that does not say who reads a place."""

    platform = "unaware"

    async def run(self, listener: Listener) -> None: ...

    async def send(self, sending: Sending) -> str:
        return sending.key


def test_a_platform_that_does_not_say_who_reads_a_place_is_not_made() -> None:
    with pytest.raises(TypeError, match="locate_key"):
        Unaware()  # type: ignore[abstract]
    assert Silent()
