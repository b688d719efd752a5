"""A homeserver that ends sessions after seconds: she stays the same device with the same keys, by what renews a token or the password."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from adapters.errors import PlatformRefused
from adapters.matrix.account.account import Account
from adapters.matrix.account.device import DEVICE
from adapters.matrix.homeserver import SignedOut, ask
from tests.fakes.matrix import People, Proxy, Synapse
from tests.fakes.pulse import PATIENCE
from tests.kits.matrix_account import Home, device, home

LOGIN, REFRESH = "POST /login", "POST /refresh"


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    """A homeserver of its own: tokens that cannot be renewed live for half a minute, others for two seconds."""
    with Synapse(nonrefreshable_access_token_lifetime="30s", refreshable_access_token_lifetime="2s") as synapse:
        yield synapse


@pytest.fixture
async def lyra(synapse: Synapse, tmp_path: Path) -> AsyncIterator[Home]:
    async with People(synapse) as people, Proxy(synapse.url) as proxy:
        yield await home(people, proxy, tmp_path)


async def test_a_session_that_ended_is_renewed_without_the_password_and_the_keys_stay(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        first, keys = device(account), account.client.olm.account.identity_keys
        await over(account)
    async with lyra.awake() as account:
        assert device(account) == first and account.client.olm.account.identity_keys == keys
        assert not account.said
    assert len(lyra.proxy.calls(LOGIN)) == 2 and len(lyra.proxy.calls(REFRESH)) == 1
    assert (await lyra.owner.keys_of(lyra.owner.user)).signed(first)


async def test_where_nothing_renews_it_the_password_does_and_without_it_she_says_what_to_give_her(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        first, keys = device(account), account.client.olm.account.identity_keys
        await over(account)
    name = f"{DEVICE} {lyra.owner.user}"
    await lyra.notes.put(name, await lyra.notes.get(name) | {"refresh": "unknown"})
    with pytest.raises(PlatformRefused, match="ended Lyra's session.*password_env"):
        await lyra.account().open()
    async with lyra.awake(lyra.password) as account:
        assert device(account) == first and account.client.olm.account.identity_keys == keys


@pytest.mark.torture
async def test_while_she_is_awake_her_token_is_renewed_in_time_and_the_old_one_ends(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        tokens, pauses = [account.client.access_token], asyncio.Queue[float]()

        async def pause(seconds: float) -> None:
            tokens.append(account.client.access_token)
            await ask(account.client, "GET", "account", "whoami")
            await pauses.put(seconds)

        keeping = asyncio.create_task(account.keep_signed_in(pause))
        waited = [await asyncio.wait_for(pauses.get(), PATIENCE) for _ in range(3)]
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        assert all(seconds == pytest.approx(1.4) for seconds in waited)
        assert len(set(tokens[:4])) == 4
        account.client.access_token = tokens[0]
        await over(account)
    async with lyra.awake():
        assert len(lyra.proxy.calls(LOGIN)) == 2, "what renews it was kept"


async def over(account: Account) -> None:
    """Wait until the homeserver has ended the session."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await ask(account.client, "GET", "sync", query={"timeout": "200"})
            except SignedOut:
                return
