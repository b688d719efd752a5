"""Lyra vouches for her own device, and replaces an identity only when she is told to."""

from pathlib import Path

import pytest

from adapters.errors import PlatformFailure, PlatformRefused
from tests.fakes.matrix import Lost, People, Person, Proxy, PublicKeys, Refuse, Then
from tests.kits import matrix_account
from tests.kits.matrix_account import Home, device, heard, home, says, synced

pytest_plugins = ["tests.fakes.matrix.fixtures"]

IDENTITY, SIGNATURES = "POST /keys/device_signing/upload", "POST /keys/signatures/upload"
UNSIGNED = "exclude unsigned devices"
COMMAND = "lyra matrix replace-identity"

lyra = matrix_account.lyra


@pytest.fixture
async def ada(people: People) -> Person:
    """Somebody whose client talks with no device that its owner has not signed."""
    ada = await people.person("ada", encrypts=True)
    assert ada.keys
    ada.keys.signed_only = True
    await ada.signs_own_device()
    return ada


async def keys(lyra: Home) -> PublicKeys:
    return await lyra.owner.keys_of(lyra.owner.user)


async def test_others_see_a_sound_device_that_its_owner_signed(lyra: Home, ada: Person) -> None:
    async with lyra.awake(lyra.password) as account:
        seen, name = await ada.keys_of(lyra.owner.user), device(account)
        assert seen.sound(name) and seen.signed(name) and seen.vouched_by(name) and not account.said
    assert list(seen.devices) == [name]


async def test_who_excludes_unsigned_devices_talks_with_her(people: People, lyra: Home, ada: Person) -> None:
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        await synced(account)
        await ada.says(room, "are you one of us?")
        assert await heard(account, room, ada.user) == "are you one of us?"
        await says(account.client, room, "signed and sealed")
        await ada.hears_text(room, "signed and sealed")


@pytest.mark.torture
async def test_unsigned_she_would_be_mute_and_deaf_for_them(people: People, lyra: Home, ada: Person) -> None:
    """The twin: a homeserver that knows no cross-signing."""
    lyra.proxy.faults.always(IDENTITY, Refuse(404, "M_UNRECOGNIZED"))
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        assert not (await keys(lyra)).signed(device(account))
        [said] = account.said
        assert "M_UNRECOGNIZED" in said and UNSIGNED in said
        await synced(account)
        await ada.says(room, "are you one of us?")
        assert await heard(account, room, ada.user) == ""
        sent = await says(account.client, room, "I am")
        await ada.hears(room, lambda event: event.id == sent and event.trouble == "unsigned device")


@pytest.mark.torture
async def test_a_device_that_is_signed_is_not_signed_again(lyra: Home) -> None:
    await lyra.begun()
    before = await keys(lyra)
    async with lyra.awake(lyra.password):
        pass
    assert await keys(lyra) == before
    assert len(lyra.proxy.calls(IDENTITY)) == len(lyra.proxy.calls(SIGNATURES)) == 1


@pytest.mark.torture
async def test_a_device_that_was_not_signed_is_signed_at_the_next_start(lyra: Home) -> None:
    lyra.proxy.faults.script(SIGNATURES, Refuse(400, "M_INVALID_SIGNATURE"))
    async with lyra.awake(lyra.password) as account:
        assert UNSIGNED in account.said[0] and not (await keys(lyra)).signed(device(account))
    async with lyra.awake() as account:
        assert not account.said and (await keys(lyra)).signed(device(account))
    assert len(lyra.proxy.calls(IDENTITY)) == 1


@pytest.mark.parametrize("operation", [IDENTITY, SIGNATURES])
async def test_an_answer_that_is_lost_leaves_her_signed_in_the_end(lyra: Home, operation: str) -> None:
    lyra.proxy.faults.always(operation, Lost())
    with pytest.raises(PlatformFailure):
        await lyra.account(lyra.password).open()
    lyra.proxy.faults.lift()
    before = (await keys(lyra)).identity
    async with lyra.awake() as account:
        after = await keys(lyra)
        assert not account.said and after.signed(device(account)) and after.identity == before


@pytest.mark.parametrize("password", [True, False])
async def test_an_identity_of_others_stays_until_she_is_told_to_replace_it(lyra: Home, password: bool) -> None:
    await lyra.begun()
    for note in ("identity", "recovery"):
        lyra.notes.forget(note)
    identity = (await keys(lyra)).identity
    async with lyra.awake(lyra.password if password else "") as account:
        [said] = account.said
        assert "does not have" in said and COMMAND in said
        with pytest.raises(PlatformRefused, match=COMMAND):
            await account.recovery_key()
    assert (await keys(lyra)).identity == identity and len(lyra.proxy.calls(IDENTITY)) == 1


@pytest.mark.torture
async def test_on_command_she_replaces_it_and_is_signed_again(people: People, proxy: Proxy, tmp_path: Path, ada: Person) -> None:
    lyra = await home(people, proxy, tmp_path, encrypts=True)
    await lyra.owner.signs_own_device()
    room = await people.together(ada, lyra.owner, encrypted=True)
    async with lyra.awake(lyra.password) as account:
        before = await keys(lyra)
        assert COMMAND in account.said[0] and before.signed(lyra.owner.device) and not before.signed(device(account))
        await account.replace_identity(lyra.password)
        after = await keys(lyra)
        assert after.identity != before.identity and not after.signed(lyra.owner.device)
        assert after.signed(device(account)) and after.vouched_by(device(account))
        assert "verify her again" in account.said[-1]
        await synced(account)
        await ada.says(room, "and now?")
        assert await heard(account, room, ada.user) == "and now?"
    async with lyra.awake() as account:
        assert not account.said and await keys(lyra) == after


@pytest.mark.torture
async def test_a_wrong_password_replaces_nothing(lyra: Home) -> None:
    await lyra.begun()
    before = await keys(lyra)
    async with lyra.awake() as account:
        with pytest.raises(PlatformRefused, match="was not replaced") as error:
            await account.replace_identity("battery staple")
        assert "battery" not in str(error.value) and await keys(lyra) == before
    async with lyra.awake() as account:
        assert not account.said and await keys(lyra) == before
        await account.replace_identity(lyra.password)
        assert (await keys(lyra)).identity != before.identity


@pytest.mark.torture
async def test_a_homeserver_that_takes_no_password_for_it_is_final(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        lyra.proxy.faults.script(IDENTITY, Refuse(401, "M_UNAUTHORIZED"))
        with pytest.raises(PlatformRefused, match="where the account is managed"):
            await account.replace_identity(lyra.password)


@pytest.mark.torture
async def test_a_replacement_whose_answer_is_lost_is_hers_all_the_same(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        before = (await keys(lyra)).identity
        # It is asked for without the password first, which is refused.
        lyra.proxy.faults.script(IDENTITY, Then(_nothing), Lost())
        with pytest.raises(PlatformFailure):
            await account.replace_identity(lyra.password)
        between = await keys(lyra)
        assert between.identity != before and not between.signed(device(account))
    async with lyra.awake() as account:
        after = await keys(lyra)
        assert not account.said and after.signed(device(account)) and after.identity == between.identity


@pytest.mark.torture
async def test_a_replacement_that_was_refused_after_one_that_was_lost_harms_nothing(lyra: Home) -> None:
    async with lyra.awake(lyra.password) as account:
        lyra.proxy.faults.script(IDENTITY, Then(_nothing), Lost())
        with pytest.raises(PlatformFailure):
            await account.replace_identity(lyra.password)
        between = (await keys(lyra)).identity
        await account.replace_identity(lyra.password)
        after = await keys(lyra)
        assert after.identity == between and after.signed(device(account))


async def _nothing() -> None:
    """Let a request pass."""
