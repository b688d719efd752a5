"""An authorization server that says odd things: she waits a sensible time all the same, and never asks it without a pause."""

import asyncio

import pytest

from tests.fakes.pulse import PATIENCE
from tests.flow import test_matrix_oauth as oauth

delegating, lyra = oauth.delegating, oauth.lyra
Home = oauth.Home


@pytest.mark.parametrize("interval", ["a while", "2", -5, 0, None, [1], True])
async def test_an_interval_that_is_none_lets_her_ask_at_the_usual_pace(lyra: Home, interval: object) -> None:
    lyra.server.odd = {"interval": interval, "expires_in": "long"}
    spans: list[float] = []

    async def pause(span: float) -> None:
        spans.append(span)
        await oauth.at_once(span)

    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner, pause))
    await lyra.server.agree(lyra.name)
    await signing
    assert spans and all(1 <= span <= 10 for span in spans)
    lyra.server.odd = {}
    await lyra.opened()


@pytest.mark.parametrize(("lasts", "renewed"), [(0, 1), (-1, 1), ("300", 210), (True, None), ("a while", None), ([300], None)])
async def test_a_lifetime_that_is_none_makes_no_renewal_without_a_pause(lyra: Home, lasts: object, renewed: float | None) -> None:
    await lyra.signed_in()
    account, spans = lyra.account(), asyncio.Queue[float]()

    async def pause(span: float) -> None:
        await spans.put(span)
        await asyncio.Event().wait()

    await account.open()
    lyra.server.odd = {"expires_in": lasts}
    keeping = asyncio.create_task(account.keep_signed_in(pause))
    try:
        if renewed is not None:
            assert await asyncio.wait_for(spans.get(), PATIENCE) == renewed
        else:
            await lyra.server.until_asked(oauth.REFRESH, 1)
            assert spans.empty() and not keeping.done()
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await account.close()


@pytest.mark.parametrize("pasted", ["http://127.0.0.1:1/?code=stolen&state=another", "http://[oops?code=1"])
async def test_an_address_of_another_try_is_answered_with_the_one_that_is_meant(lyra: Home, pasted: str) -> None:
    lyra.lacks("device_authorization_endpoint")
    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner))
    address, _ = await lyra.owner.reads()
    await lyra.owner.lines.put(f"{pasted}\n")
    assert await lyra.owner.reads(2) == (address, "")
    await lyra.owner.lines.put(await lyra.server.ends_at(address, lyra.name))
    await signing
    await lyra.opened()
