"""What a client of a homeserver does once it is closed."""

from pathlib import Path

import pytest

from adapters.errors import PlatformFailure
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.homeserver import ask


async def test_a_client_that_is_closed_opens_no_further_connection(tmp_path: Path) -> None:
    """Where a session ended softly while an answer was sent again and again, each attempt left one open."""
    async with KeyStores(tmp_path, "key").briefly("http://127.0.0.1:1", "@lyra:lyra.test", "DEVICE") as client:
        with pytest.raises(PlatformFailure, match="ClientConnectorError"):
            await ask(client, "GET", "sync")
    with pytest.raises(PlatformFailure, match="ClientError"):
        await ask(client, "GET", "sync")
