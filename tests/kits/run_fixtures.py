"""What most tests of the real `lyra run` need: a Discord, and a model that repeats what it was told. Taken with `pytest_plugins`."""

from collections.abc import Iterator

import pytest

from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import ModelServer


@pytest.fixture
def discord() -> Iterator[DiscordThread]:
    """A Discord, to which nothing wrong may be said."""
    with DiscordThread() as discord:
        yield discord
        assert discord.server.violations == [] and discord.server.own_faults == []


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model server."""
    with ModelServer(lambda request: f"You said: {request.last_user.splitlines()[-1]}") as server:
        yield server
