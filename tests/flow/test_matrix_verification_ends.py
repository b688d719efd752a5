"""How comparing emoji with Lyra ends: what differs, is forged, late, cut off or strange verifies nothing."""

import asyncio

import pytest

from adapters.matrix.verification.channel import Channel
from adapters.matrix.verification.records import Records, attestations
from tests.fakes.matrix import People, Person
from tests.fakes.matrix.sas import Comparison
from tests.flow.test_matrix_verification import SHOWN, compared, her_device, notes, one_of, said
from tests.kits import matrix_account
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

ada = matrix_account.signed_ada


async def test_both_may_begin_at_once(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room = await dm(at_home, ada, encrypted=True)
        app = Comparison(ada, at_home.user, room=room)
        await ada.says(room, "!verify")
        await app.is_asked()
        # The smaller name is the one who began: ada, before lyra.
        await app.hears("start")
        await app.starts()
        await app.exchanges()
        await app.agrees()
        await said(at_home, ada, room, SHOWN)
        await ada.says(room, "!verify yes")
        assert await app.verified()


@pytest.mark.parametrize("where", ["in the chat", "in the app", "at the terminal"])
async def test_emoji_that_differ_verify_nothing(at_home: Home, ada: Person, where: str) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        if where == "in the chat":
            question = await said(at_home, ada, room, SHOWN)
            await ada.reacts(room, question, "❌")
        elif where == "at the terminal":
            kept = Records(notes(lyra), at_home.user)
            await kept.say(one_of(await kept.under_way(), app.id), same=False)
        else:
            await app.says("cancel", {"code": "m.mismatched_sas", "reason": "not the same"})
        if where != "in the app":
            assert await app.cancelled() == "m.mismatched_sas"
        await said(at_home, ada, room, "Somebody may stand between us")
        assert not await attestations(notes(lyra), at_home.user)
        assert not await Records(notes(lyra), at_home.user).under_way()


async def test_a_key_that_was_not_promised_or_not_proven_ends_it(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        await app.agrees(forged=True)
        await ada.says(room, "!verify yes")
        assert await app.cancelled() == "m.key_mismatch"
        await said(at_home, ada, room, "were not those that were promised")

        app = Comparison(ada, at_home.user, room=room)
        await ada.says(room, "!verify")
        await app.is_asked()
        await app.takes_part(commitment="Zm9yZ2Vk")
        assert await app.cancelled() == "m.mismatched_commitment"
        assert not await attestations(notes(lyra), at_home.user)


async def test_after_ten_minutes_it_is_over_and_can_begin_anew(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        at_home.clock.ahead += 601
        assert await app.cancelled() == "m.timeout"
        await said(at_home, ada, room, "took more than ten minutes")
        at_home.clock.ahead = 0
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        assert await app.exchanges()


async def test_a_restart_ends_what_was_under_way_and_says_so(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
    async with at_home.lyra() as lyra:
        assert await app.cancelled() == "m.user"
        await said(at_home, ada, room, "My connection began anew while we verified each other")
        assert not await Records(notes(lyra), at_home.user).under_way()
        await ada.says(room, "!verify yes")
        await said(at_home, ada, room, "No emoji wait to be compared with you")
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await app.begins()
        assert await app.exchanges()


async def test_a_new_one_takes_the_place_of_the_last(at_home: Home, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        other = Comparison(ada, at_home.user, room=room)
        await other.asks()
        assert await app.cancelled() == "m.user"
        await other.begins()
        assert await other.exchanges()


async def test_steps_of_others_or_of_nothing_change_nothing(at_home: Home, people: People, ada: Person) -> None:
    async with at_home.lyra():
        room, app = await compared(at_home, ada)
        device = await her_device(at_home, ada)
        # Somebody else uses the id; she has no DM with him, and he gets nothing.
        eve = await people.person("eve", encrypts=True)
        foreign = Comparison(eve, at_home.user, device=device)
        foreign.id = app.id
        await foreign.asks()
        await foreign.says("cancel", {"code": "m.user", "reason": ""})
        # An id that was never heard of, and one that is over.
        unknown = Comparison(ada, at_home.user, device=device)
        await unknown.starts()
        assert await unknown.cancelled() == "m.unknown_transaction"
        late = Comparison(ada, at_home.user, device=device)
        await late.asks(age=700)
        await app.agrees()
        await ada.says(room, "!verify yes")
        assert await app.verified()
        replayed = Comparison(ada, at_home.user, device=device)
        await replayed.asks(methods=["m.qr_code.scan.v1"])
        assert await replayed.cancelled() == "m.unknown_method"
        await replayed.asks()
        last = Comparison(ada, at_home.user, device=device)
        await last.asks()
        await last.hears("ready")
        ready = [one["content"]["transaction_id"] for one in ada.ears.asides if one["type"] == "m.key.verification.ready"]
        assert ready == [last.id]
        assert not [one for one in eve.ears.asides if one["type"].startswith("m.key.verification")]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["with the guard", "the twin"])
async def test_a_stranger_leaves_no_trace(
    at_home: Home, people: People, ada: Person, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(Channel, "concerns_her", lambda channel, heard: True)
    async with at_home.lyra() as lyra:
        await dm(at_home, ada)
        device, eve = await her_device(at_home, ada), await people.person("eve", encrypts=True)
        foreign = Comparison(eve, at_home.user, device=device, sealed_by=await people.second_device(eve))
        await foreign.starts()
        app = Comparison(ada, at_home.user, device=device)
        await app.asks()
        await app.hears("ready")
        assert (foreign.id in await Records(notes(lyra), at_home.user).over()) is not guarded


async def test_among_others_nothing_is_verified(at_home: Home, people: People, ada: Person) -> None:
    bob = await people.person("bob")
    async with at_home.lyra():
        room = await room_of(at_home, ada, bob)
        app = Comparison(ada, at_home.user, room=room)
        await app.asks()
        await ada.says(room, "!verify", mentions=[at_home.user])
        await ada.is_invited(await invited(ada))
        assert not [one for one in await ada.timeline(room) if one.type.startswith("m.key.verification")]


async def invited(who: Person) -> str:
    return await who.ears.until(lambda: next(iter(who.ears.invites), None), "an invite")


async def test_keys_that_change_after_it_are_told_of(at_home: Home, ada: Person) -> None:
    async with at_home.lyra() as lyra:
        room, app = await compared(at_home, ada)
        await app.agrees()
        await ada.says(room, "!verify yes")
        await app.verified()
        await said(at_home, ada, room, "Verified on your word")
        await ada.signs_own_device()
        await said(at_home, ada, room, "Your keys are no longer the ones that we verified")
        assert not await attestations(notes(lyra), at_home.user)


async def test_another_client_of_her_own_account_is_compared_at_the_terminal_and_signed(at_home: Home, people: People) -> None:
    async with at_home.lyra() as lyra:
        other = await people.second_device(at_home.owner)
        hers = next(one for one in (await other.keys_of(at_home.user)).devices if one != other.device)
        app = Comparison(other, at_home.user, device=hers)
        await app.asks()
        await app.begins()
        await app.exchanges()
        kept = Records(notes(lyra), at_home.user)
        await app.agrees()
        while not any(one.emoji for one in await kept.under_way()):
            await asyncio.sleep(0.01)
        await kept.say(one_of(await kept.under_way(), app.id), same=True)
        assert len(await app.verified()) == 2
        assert (await other.keys_of(at_home.user)).signed(other.device)
        assert not await attestations(notes(lyra), at_home.user)
