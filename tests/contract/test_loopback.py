"""The servers of the fakes: whoever connects while one ends is let go of, and does not stay behind for another test to find."""

import asyncio
import gc
import socket
import warnings
from contextlib import suppress

import pytest
from aiohttp import web

from tests.fakes.loopback import Loopback

MOMENTS = range(6)


async def ends_while_somebody_comes(moment: int) -> None:
    served = Loopback(web.Application())
    port = await served.begin()
    with socket.create_connection(("127.0.0.1", port)) as coming:
        for _ in range(moment):
            await asyncio.sleep(0)
        await served.end()
        coming.settimeout(5)
        with suppress(ConnectionResetError):
            assert coming.recv(1) == b"", "the connection is still there"


@pytest.mark.parametrize("moment", MOMENTS)
def test_whoever_comes_while_a_server_ends_is_let_go_of(moment: int) -> None:
    with warnings.catch_warnings(record=True) as left:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(ends_while_somebody_comes(moment))
        gc.collect()
    assert [str(one.message) for one in left if one.category is ResourceWarning] == []
