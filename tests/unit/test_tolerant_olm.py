"""Who gets the key to what she says on Matrix, by the homeserver's lists of devices and one-time keys."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from nio import KeysClaimResponse, KeysQueryResponse, RoomKeyRequestCancellation
from nio.crypto import Olm
from nio.store import SqliteMemoryStore

from adapters.matrix.account.tolerant_olm import DeviceKeys, TolerantOlm

ADA, EVE = "@ada:lyra.test", "@eve:lyra.test"


class _Final(TolerantOlm):
    """Takes who is gone for gone, as nio does."""

    _handle_key_query = Olm._handle_key_query


class _Keeping(TolerantOlm):
    """Keeps whatever anybody cancels, as nio does."""

    _handle_key_requests = Olm._handle_key_requests


def olm(user: str, device: str, kind: type[TolerantOlm] = TolerantOlm) -> Any:
    """Return a device that nobody knows yet."""
    return kind(user, device, SqliteMemoryStore(user, device, "pickle"))


@pytest.fixture
def lyra() -> Iterator[Any]:
    """Her device."""
    own = olm("@lyra:lyra.test", "LYRA")
    yield own
    own.store.database.close()


@pytest.fixture
def phone() -> Iterator[Any]:
    """Ada's device."""
    own = olm(ADA, "PHONE")
    yield own
    own.store.database.close()


def shows(lyra: Any, **devices: Any) -> list[str]:
    """Let the homeserver show Ada's devices, and return which of them get keys."""
    answer = KeysQueryResponse({ADA: deepcopy(devices)}, {})
    lyra.handle_response(answer)
    return [one.id for one in lyra.device_store.active_user_devices(ADA)]


def test_a_device_that_was_not_shown_for_a_while_gets_keys_again(lyra: Any, phone: Any) -> None:
    keys = phone.share_keys()["device_keys"]
    assert [shows(lyra, PHONE=keys), shows(lyra), shows(lyra, PHONE=keys)] == [["PHONE"], [], ["PHONE"]]


def test_without_the_guard_it_would_get_none(phone: Any) -> None:
    lyra = olm("@lyra:lyra.test", "LYRA", _Final)
    keys = phone.share_keys()["device_keys"]
    assert [shows(lyra, PHONE=keys), shows(lyra), shows(lyra, PHONE=keys)] == [["PHONE"], [], []]
    lyra.store.database.close()


def test_another_device_under_its_name_gets_none(lyra: Any, phone: Any) -> None:
    other = olm(ADA, "PHONE")
    assert shows(lyra, PHONE=phone.share_keys()["device_keys"]) == ["PHONE"]
    assert [shows(lyra), shows(lyra, PHONE=other.share_keys()["device_keys"])] == [[], []]
    other.store.database.close()


@pytest.mark.parametrize("odd", [5, [], {}, {"signed_curve25519:A": 5}, {"signed_curve25519:A": {"key": "nonsense"}}], ids=str)
def test_a_one_time_key_that_is_none_leaves_the_others(lyra: Any, phone: Any, odd: Any) -> None:
    shared = phone.share_keys()
    shows(lyra, PHONE=shared["device_keys"])
    name, key = next(iter(shared["one_time_keys"].items()))
    lyra.handle_response(KeysClaimResponse({ADA: {"PHONE": odd}}, {}))
    assert lyra.get_missing_sessions([ADA]) == {ADA: ["PHONE"]}
    lyra.handle_response(KeysClaimResponse({EVE: {"OLD": odd}, ADA: {"PHONE": {name: key}}}, {}))
    assert not lyra.get_missing_sessions([ADA])


def test_a_device_that_is_none_leaves_the_others_in_the_answer(phone: Any) -> None:
    keys = phone.share_keys()["device_keys"]
    answer = DeviceKeys.from_dict({"device_keys": {ADA: {"PHONE": keys, "OLD": {}}, EVE: {"X": 5}}, "failures": {}})
    assert isinstance(answer, KeysQueryResponse) and answer.device_keys == {ADA: {"PHONE": keys}, EVE: {}}


@pytest.mark.parametrize(("kind", "kept"), [(TolerantOlm, 0), (_Keeping, 50)])
def test_a_flood_of_requests_that_others_cancel_leaves_nothing_behind(kind: type[TolerantOlm], kept: int) -> None:
    lyra = olm("@lyra:lyra.test", "LYRA", kind)
    for number in range(50):
        content = {"action": "request_cancellation", "requesting_device_id": f"D{number}", "request_id": f"R{number}"}
        event = {"type": "m.room_key_request", "sender": EVE, "content": content}
        lyra.handle_to_device_event(RoomKeyRequestCancellation.from_dict(event))
    assert len(lyra.key_requests_waiting_for_session) == kept
    lyra.store.database.close()
