"""Lyra comes into her account: by password once or by a token, and afterwards as the same device."""

import json
import logging
import os
import stat
from pathlib import Path

import pytest

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.account.account import Account, Credentials
from adapters.matrix.homeserver import SignedOut
from tests.fakes.matrix import UNKNOWN_TOKEN, Lost, People, RateLimit, Refuse, Status
from tests.kits import matrix_account
from tests.kits.matrix_account import Home, device, home

pytest_plugins = ["tests.fakes.matrix.fixtures"]

LOGIN, UPLOAD = "POST /login", "POST /keys/upload"

lyra = matrix_account.lyra


async def refused(account: Account) -> str:
    with pytest.raises(PlatformRefused) as error:
        await account.open()
    return str(error.value)


async def test_the_password_is_needed_once(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        first = device(account)
    async with lyra.awake() as account:
        assert device(account) == first and not account.said
    async with lyra.awake(lyra.password) as account:
        assert device(account) == first
    assert len(lyra.proxy.calls(LOGIN)) == 1
    assert await lyra.devices() == {lyra.owner.device, first}


@pytest.mark.torture
async def test_a_second_start_changes_nothing_on_the_homeserver(lyra: Home) -> None:
    await lyra.begun()
    for _ in range(2):
        before = len(lyra.proxy.requests)
        async with lyra.awake():
            later = lyra.proxy.requests[before:]
        # Asking how many one-time keys are left takes an upload of none.
        changing = [call for call in later if call.method != "GET" and call.name not in ("POST /keys/query", UPLOAD)]
        assert later and not changing
        assert [call.body for call in later if call.name == UPLOAD] == [{}]


@pytest.mark.torture
async def test_opening_again_goes_on_as_before(lyra: Home) -> None:
    account = lyra.account(lyra.password)
    await account.open()
    first = device(account)
    await account.open()
    assert device(account) == first and len(lyra.proxy.calls(LOGIN)) == 1
    await account.close()
    await account.close()


@pytest.mark.torture
async def test_her_device_has_the_name_that_it_was_given(lyra: Home) -> None:
    access = Credentials(lyra.proxy.url + "/", lyra.owner.user, lyra.password, device_name="Lyra at home")
    account = Account(access, lyra.folder, lyra.notes)
    await account.open()
    found = await lyra.owner.client.call("GET", "devices", device(account))
    assert found["display_name"] == "Lyra at home"
    await account.close()


async def test_the_password_is_written_down_nowhere(lyra: Home) -> None:
    await lyra.begun()
    kept = json.dumps(lyra.notes.values).encode() + b"".join(file.read_bytes() for file in lyra.folder.iterdir())
    assert lyra.password.encode() not in kept


async def test_no_secret_shows_in_what_is_printed_or_logged(lyra: Home, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with lyra.awake(lyra.password) as account:
        client = account.client
        key = await account.recovery_key()
        access = Credentials(lyra.proxy.url, lyra.owner.user, lyra.password, "given token")
        shown = [repr(one) for one in (access, account, client, client.config, client.store, client.olm, vars(account))]
        secrets = [lyra.password, "given token", client.access_token, client.config.pickle_key, key, key.replace(" ", "")]
    seeds = await lyra.notes.get(f"identity {lyra.owner.user}")
    told = caplog.text + "".join(shown)
    assert len(seeds) == 3 and not [one for one in (*secrets, *seeds.values()) if one in told]


async def test_the_folder_is_hers_alone_whatever_the_umask(lyra: Home) -> None:
    before = os.umask(0)
    try:
        await lyra.begun()
        assert _mode(lyra.folder) == 0o700 and {_mode(file) for file in lyra.folder.iterdir()} == {0o600}
        lyra.folder.chmod(0o755)
        for file in lyra.folder.iterdir():
            file.chmod(0o644)
        async with lyra.awake():
            assert _mode(lyra.folder) == 0o700 and {_mode(file) for file in lyra.folder.iterdir()} == {0o600}
    finally:
        os.umask(before)


@pytest.mark.torture
async def test_a_folder_that_she_cannot_use_is_said_by_name(lyra: Home) -> None:
    lyra.folder.parent.mkdir()
    lyra.folder.write_text("a file where the folder should be")
    said = await refused(lyra.account(lyra.password))
    assert str(lyra.folder) in said and "let her write there" in said


async def test_a_wrong_password_is_final_and_the_right_one_helps(lyra: Home) -> None:
    said = await refused(lyra.account("battery staple"))
    assert "does not accept" in said and "correct user_id or the password" in said and "battery" not in said
    await lyra.begun()


async def test_without_a_way_in_she_says_what_to_give_her(lyra: Home) -> None:
    assert "password_env" in await refused(lyra.account())
    assert not lyra.proxy.requests


async def test_an_account_that_may_not_log_in_is_final_and_says_why(lyra: Home) -> None:
    lyra.proxy.faults.script(LOGIN, Refuse(403, "M_USER_DEACTIVATED"))
    assert "M_USER_DEACTIVATED" in await refused(lyra.account(lyra.password))


@pytest.mark.parametrize("fault", [Status(502), Lost(accepted=False), RateLimit(), Status(404)], ids=str)
@pytest.mark.parametrize("operation", [LOGIN, "POST /keys/query", UPLOAD])
async def test_a_homeserver_that_is_away_is_tried_again(lyra: Home, operation: str, fault: Lost | RateLimit | Status) -> None:
    lyra.proxy.faults.always(operation, fault)
    account = lyra.account(lyra.password)
    with pytest.raises(PlatformFailure, match="tries again") as error:
        await account.open()
    assert not isinstance(error.value, PlatformRefused)
    lyra.proxy.faults.lift()
    await account.open()
    assert await lyra.devices() == {lyra.owner.device, device(account)}
    await account.close()


@pytest.mark.torture
async def test_a_login_whose_answer_is_lost_leaves_no_device_behind(lyra: Home) -> None:
    lyra.proxy.faults.always(LOGIN, Lost())
    with pytest.raises(PlatformFailure):
        await lyra.account(lyra.password).open()
    lyra.proxy.faults.lift()
    assert await lyra.devices() == {lyra.owner.device, await lyra.begun()}


async def test_a_token_of_a_device_of_her_own_lets_her_in(people: People, lyra: Home) -> None:
    fresh = await people.second_device(lyra.owner, encrypts=False)
    async with lyra.awake(token=fresh.client.token) as account:
        assert device(account) == fresh.device and not account.said
        assert (await lyra.owner.keys_of(lyra.owner.user)).signed(fresh.device)
    async with lyra.awake() as account:
        assert device(account) == fresh.device
    assert not lyra.proxy.calls(LOGIN)


async def test_a_token_of_somebody_elses_device_is_not_taken(people: People, lyra: Home) -> None:
    ada = await people.person("ada")
    assert ada.user in await refused(lyra.account(token=ada.client.token))
    element = await people.second_device(lyra.owner)
    assert "give her a new one" in await refused(lyra.account(token=element.client.token))
    assert (await lyra.owner.keys_of(lyra.owner.user)).sound(element.device)
    assert element.device in await lyra.devices()
    assert "signed out" in await refused(lyra.account(token="nonsense"))


@pytest.mark.torture
async def test_another_account_does_not_take_over_what_belongs_to_the_first(people: People, lyra: Home, tmp_path: Path) -> None:
    first = await lyra.begun()
    other = await home(people, lyra.proxy, tmp_path)
    other.notes = lyra.notes
    await other.begun()
    async with lyra.awake() as account:
        assert device(account) == first and not account.said


async def test_a_token_that_was_revoked_is_final_without_the_password(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        first = device(account)
        await account.client.logout()
    said = await refused(lyra.account())
    assert "signed out" in said and "password_env" in said
    async with lyra.awake(lyra.password) as account:
        assert device(account) != first and (await lyra.owner.keys_of(lyra.owner.user)).signed(device(account))
        [told] = account.said
        assert "signed out" in told and device(account) in told
    async with lyra.awake() as account:
        assert not account.said


@pytest.mark.torture
async def test_a_token_that_is_revoked_while_she_is_awake_takes_a_new_connection(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        lyra.proxy.faults.always(UPLOAD, UNKNOWN_TOKEN)
        answer = await account.client.sync()
        answer.device_key_count.signed_curve25519 = 0
        with pytest.raises(SignedOut):
            await account.keep_keys(answer)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
