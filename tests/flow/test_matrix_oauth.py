"""A homeserver that leaves accounts to an authorization server (MSC3861): somebody lets her in on a page, and her device lasts.

The homeserver is a real Synapse; the authorization server is a strict one on loopback that Synapse asks about every token.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account.account import Account, Credentials
from adapters.matrix.account.device import DEVICE
from adapters.matrix.account.signing import REPLACE
from adapters.matrix.homeserver import SignedOut, ask
from tests.fakes.matrix import Proxy, Refuse, Status, Synapse
from tests.fakes.matrix.authorization import UNSTABLE, Authorization
from tests.fakes.matrix.synapse import free_port
from tests.fakes.pulse import PATIENCE, Pulse
from tests.kits.adapter_kit import Notebook
from tests.kits.matrix_account import device

REFRESH = "refresh_token"
METADATA = "GET /_matrix/client/v1/auth_metadata"


@pytest.fixture(scope="module")
def delegating() -> Iterator[tuple[Synapse, int]]:
    """A homeserver that asks who comes at a port."""
    port = free_port()
    settings: dict[str, Any] = Authorization(port).delegated()
    with Synapse(**settings) as synapse:
        yield synapse, port


class Owner:
    """Whoever owns the account, at another machine's browser: reads what is shown, and types."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.lines = asyncio.Queue[str]()
        self._pulse = Pulse()

    def show_address(self, address: str, code: str = "") -> None:
        """Read where to go."""
        self.shown.append((address, code))
        self._pulse.beat()

    async def typed(self) -> str:
        """Type a line."""
        return await self.lines.get()

    async def reads(self, times: int = 1) -> tuple[str, str]:
        """Wait until something is shown for that many times, and return the last."""
        await self._pulse.until(lambda: len(self.shown) >= times, "where to sign in")
        return self.shown[-1]


@dataclass
class Home:
    """A home of Lyra at such a homeserver."""

    synapse: Synapse
    proxy: Proxy
    server: Authorization
    folder: Path
    name: str
    notes: Notebook
    owner: Owner

    @property
    def user(self) -> str:
        """Her account."""
        return f"@{self.name}:{self.synapse.server_name}"

    def account(self, password: str = "", token: str = "") -> Account:
        """Return the account as it is at a start."""
        return Account(Credentials(self.proxy.url, self.user, password, token), self.folder, self.notes)

    def lacks(self, endpoint: str) -> None:
        """Let the authorization server be one without this endpoint."""
        self.proxy.faults.always(METADATA, Status(200, text=json.dumps(self.server.described(endpoint))))

    async def signed_in(self, by: str = "") -> str:
        """Have somebody let her in, open her account once, and return which device she is."""
        account = self.account()
        signing = asyncio.create_task(account.sign_in(self.owner, at_once))
        await self.server.agree(by or self.name)
        await signing
        return await self.opened()

    async def opened(self, **ways: str) -> str:
        """Open her account and close it again; return which device she is."""
        account = self.account(**ways)
        await account.open()
        try:
            assert not account.said
            return device(account)
        finally:
            await account.close()


async def held(_: float) -> None:
    """Never go on."""
    await asyncio.Event().wait()


async def at_once(_: float) -> None:
    """Let others run, and go on."""
    await asyncio.sleep(0.01)


@pytest.fixture
async def lyra(delegating: tuple[Synapse, int], tmp_path: Path) -> AsyncIterator[Home]:
    """A new account at it."""
    synapse, port = delegating
    async with Authorization(port) as server, Proxy(synapse.url) as proxy:
        server.homeserver = synapse.url
        name = synapse.unique("lyra")
        await server.provide(name)
        yield Home(synapse, proxy, server, tmp_path / "matrix", name, Notebook(), Owner())


async def test_somebody_lets_her_in_on_a_page_and_her_device_is_signed(lyra: Home) -> None:
    first = await lyra.signed_in()
    address, code = await lyra.owner.reads()
    assert code and address.endswith(f"link?code={code}")
    assert lyra.server.sessions[-1].scope == f"urn:matrix:client:api:* urn:matrix:client:device:{first}"
    assert await lyra.opened() == first
    assert len(lyra.owner.shown) == 1


async def test_where_only_a_browser_lets_in_she_listens_for_it_or_takes_the_address_where_it_ended(lyra: Home) -> None:
    lyra.lacks("device_authorization_endpoint")
    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner))
    address, _ = await lyra.owner.reads()
    assert "close this page" in await lyra.server.browse(address, lyra.name)
    await signing
    first = await lyra.opened()
    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner))
    address, _ = await lyra.owner.reads(2)
    await lyra.owner.lines.put("what is this?\n")
    await lyra.owner.lines.put(await lyra.server.ends_at(address, lyra.name))
    await signing
    assert await lyra.opened() == first


async def test_where_the_homeserver_is_older_it_is_asked_where_that_is_by_older_names(lyra: Home) -> None:
    lyra.proxy.faults.always("GET /_matrix/client/*/auth_metadata", Refuse(404, "M_UNRECOGNIZED"))
    issuer = Status(200, text=json.dumps({"issuer": lyra.server.issuer}))
    lyra.proxy.faults.always("GET /_matrix/client/unstable/org.matrix.msc2965/auth_issuer", issuer)
    assert await lyra.signed_in()


async def test_a_server_that_knows_the_older_names_of_scopes_is_asked_by_them(lyra: Home) -> None:
    lyra.server.scopes = UNSTABLE
    first = await lyra.signed_in()
    assert lyra.server.sessions[-1].scope.split() == [f"{UNSTABLE}api:*", f"{UNSTABLE}device:{first}"]
    lyra.lacks("device_authorization_endpoint")
    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner))
    await lyra.server.browse((await lyra.owner.reads(2))[0], lyra.name)
    await lyra.server.browse((await lyra.owner.reads(3))[0], lyra.name)
    await signing
    assert await lyra.opened() == first


@pytest.mark.parametrize("seconds", [30, 300])
async def test_tokens_are_renewed_in_time_and_kept_before_they_are_used(lyra: Home, seconds: int) -> None:
    lyra.server.seconds = seconds
    await lyra.signed_in()
    account, pauses = lyra.account(), asyncio.Queue[float]()

    async def pause(span: float) -> None:
        note = await lyra.notes.get(f"{DEVICE} {lyra.user}")
        assert note["token"] == account.client.access_token and note["refresh"] == lyra.server.sessions[-1].refresh
        await ask(account.client, "GET", "account", "whoami")
        await pauses.put(span)

    await account.open()
    keeping = asyncio.create_task(account.keep_signed_in(pause))
    assert [await asyncio.wait_for(pauses.get(), PATIENCE) for _ in range(3)] == [pytest.approx(0.7 * seconds)] * 3
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    await account.close()
    assert len(lyra.server.calls(REFRESH)) >= 3


async def test_a_token_that_ended_while_she_was_away_is_renewed_at_her_start(lyra: Home) -> None:
    first = await lyra.signed_in()
    lyra.server.sessions[-1].access.clear()
    # Synapse remembers for two minutes what it was told of a token.
    await lyra.notes.put(f"{DEVICE} {lyra.user}", await lyra.notes.get(f"{DEVICE} {lyra.user}") | {"token": "ended"})
    assert await lyra.opened() == first
    assert len(lyra.server.calls(REFRESH)) == 1


async def test_a_renewal_whose_answer_is_lost_is_asked_for_again(lyra: Home) -> None:
    first = await lyra.signed_in()
    lyra.server.broken = 1
    account, spans = lyra.account(), list[float]()
    done = asyncio.Event()

    async def pause(span: float) -> None:
        spans.append(span)
        if len(spans) == 2:
            done.set()
            await asyncio.Event().wait()

    await account.open()
    keeping = asyncio.create_task(account.keep_signed_in(pause))
    await asyncio.wait_for(done.wait(), PATIENCE)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    await account.close()
    assert spans[0] < 10 < spans[1]
    assert await lyra.opened() == first


async def test_where_a_lost_answer_ends_the_session_she_is_let_in_again_as_the_same_device_with_her_keys(lyra: Home) -> None:
    lyra.server.grace = False
    first = await lyra.signed_in()
    note = f"{DEVICE} {lyra.user}"
    keys = (await lyra.notes.get(note))["key"]
    before = await lyra.notes.get(note)
    account = lyra.account()
    await account.open()
    renewing = asyncio.create_task(account.keep_signed_in(held))
    await lyra.server.until_asked(REFRESH, 1)
    async with asyncio.timeout(PATIENCE):
        while (await lyra.notes.get(note)) == before:
            await asyncio.sleep(0)
    renewing.cancel()
    await asyncio.gather(renewing, return_exceptions=True)
    await account.close()
    # Killed before it was kept.
    await lyra.notes.put(note, before | {"token": "ended"})
    with pytest.raises(PlatformRefused, match="`lyra matrix login` lets her in again"):
        await lyra.opened()
    assert await lyra.signed_in() == first
    assert (await lyra.notes.get(note))["key"] == keys


async def test_a_device_that_its_owner_signs_out_comes_back_as_itself_when_let_in_again(lyra: Home) -> None:
    first = await lyra.signed_in()
    await lyra.server.sign_out(lyra.server.sessions[-1])
    with pytest.raises(PlatformRefused, match="`lyra matrix login`"):
        await lyra.opened()
    assert await lyra.signed_in() == first


async def test_keys_that_are_lost_make_a_new_device_and_the_old_one_is_signed_out(lyra: Home) -> None:
    first = await lyra.signed_in()
    for file in lyra.folder.glob("*.db"):
        file.unlink()
    with pytest.raises(PlatformRefused, match="are not in their folder.*`lyra matrix login`"):
        await lyra.opened()
    assert await lyra.signed_in() != first
    assert lyra.server.sessions[0].over


async def test_what_was_agreed_to_is_not_asked_for_again_after_a_kill(lyra: Home) -> None:
    killed = asyncio.create_task(lyra.account().sign_in(lyra.owner, held))
    await lyra.owner.reads()
    killed.cancel()
    await asyncio.gather(killed, return_exceptions=True)
    await lyra.server.agree(lyra.name, lyra.owner.shown[0][1])
    await lyra.account().sign_in(lyra.owner, at_once)
    assert len({code for _, code in lyra.owner.shown}) == 1 and len(lyra.server.sessions) == 1
    await lyra.opened()


async def test_another_account_or_a_refusal_lets_nobody_in_and_is_told(lyra: Home) -> None:
    other = lyra.synapse.unique("other")
    await lyra.server.provide(other)
    with pytest.raises(PlatformRefused, match=f"lets @{other}:.* in, and not {lyra.user}"):
        await lyra.signed_in(other)
    assert lyra.server.sessions[-1].over
    signing = asyncio.create_task(lyra.account().sign_in(lyra.owner, at_once))
    await lyra.server.decline()
    with pytest.raises(PlatformRefused, match="declined"):
        await signing
    with pytest.raises(PlatformRefused, match="`lyra matrix login` signs her in"):
        await lyra.opened()


async def test_a_password_is_not_taken_and_a_compatibility_token_is_the_other_way(lyra: Home) -> None:
    with pytest.raises(PlatformRefused, match="takes no password.*`lyra matrix login`"):
        await lyra.opened(password="whatever")
    lyra.lacks("registration_endpoint")
    with pytest.raises(PlatformRefused, match="issue-compatibility-token.*token_env"):
        await lyra.account().sign_in(lyra.owner, at_once)
    token = await lyra.server.compatible(lyra.name, "COMPAT")
    assert await lyra.opened(token=token) == "COMPAT"
    assert await lyra.opened() == "COMPAT"


async def test_a_session_that_is_over_while_she_is_awake_is_told_as_one(lyra: Home) -> None:
    await lyra.signed_in()
    account = lyra.account()
    await account.open()
    lyra.server.sessions[-1].over = True
    with pytest.raises(PlatformFailure, match="does not renew Lyra's session") as failed:
        await account.keep_signed_in(at_once)
    assert not isinstance(failed.value, SignedOut)
    await account.close()


async def test_a_new_identity_is_allowed_on_a_page_and_takes_no_password(lyra: Home) -> None:
    await lyra.signed_in()
    account = lyra.account()
    await account.open()
    try:
        with pytest.raises(PlatformRefused, match=f"sign in at http://.*cross_signing_reset.*`?{REPLACE}") as refused:
            await account.replace_identity("")
        assert str(refused.value).count(". ") == 0
        await lyra.server.allow_reset(lyra.name)
        await account.replace_identity("")
        assert "verify her again" in account.said[-1]
    finally:
        await account.close()


# An authorization server that says odd things: she waits a sensible time all the same, and never asks it without a pause.


@pytest.mark.parametrize("interval", ["a while", "2", -5, 0, None, [1], True])
async def test_an_interval_that_is_none_lets_her_ask_at_the_usual_pace(lyra: Home, interval: object) -> None:
    lyra.server.odd = {"interval": interval, "expires_in": "long"}
    spans: list[float] = []

    async def pause(span: float) -> None:
        spans.append(span)
        await at_once(span)

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
            await lyra.server.until_asked(REFRESH, 1)
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
