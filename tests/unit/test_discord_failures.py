"""What Discord refuses for now, as its code says, though its status says that it is for good."""

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from adapters.discord.failures import failure, is_final


@pytest.mark.parametrize(("code", "final"), [(40003, False), (40004, False), (40006, False), (130000, False), (50035, True)])
def test_what_is_switched_off_for_a_while_is_tried_again(code: int, final: bool) -> None:
    refused = forbidden(code)
    assert (failure(refused).final, is_final(refused)) == (final, final)


@pytest.mark.parametrize("code", [50007, 50278], ids=["blocked", "no server in common"])
def test_a_dm_that_takes_no_message_says_how_to_open_it(code: int) -> None:
    closed = failure(forbidden(code))
    assert closed.final and "allow direct messages from a server that you share with her" in str(closed)


def forbidden(code: int) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=403, reason="Forbidden", headers={})
    return discord.HTTPException(response, {"code": code, "message": "no"})
