"""The steps of a verification by emoji, without a homeserver: what binds, what is proven, and what ends it."""

import pytest
from nio import UnknownToDeviceEvent
from nio.crypto import Sas

from adapters.matrix.verification import steps
from adapters.matrix.verification.channel import to_device
from adapters.matrix.verification.sas import EMOJI, DeviceParty, KeyPair, commitment, emoji_line
from adapters.matrix.verification.steps import Phase, Step, Verification, VerificationEnded
from tests.fakes.matrix.sas import OFFER

ADA, LYRA = DeviceParty("@ada:example.org", "ADAFIRST"), DeviceParty("@lyra:example.org", "LYRA")
ADAS, HERS = {"ed25519:ADAFIRST": "key of ada's device", "ed25519:m": "m"}, {"ed25519:LYRA": "key of her device"}


class Gullible(Verification):
    """Takes any key for the one that was promised."""

    def matches_commitment(self, theirs: str) -> bool:
        return True


def pair(room: str = "") -> tuple[Verification, Verification]:
    """Return a verification as she and as ada's device have it; ada asked."""
    return Verification("$id", LYRA, ADA, room), Verification("$id", ADA, LYRA, room, Phase.ASKED)


def handed(step: Step, to: Verification) -> list[Step]:
    return to.take(*step)


def compared(room: str = "") -> tuple[Verification, Verification]:
    """Return both sides of one that came as far as to the emoji."""
    hers, adas = pair(room)
    [start] = handed(hers.ready(), adas)
    [accept] = handed(start, hers)
    [key] = handed(accept, adas)
    [answer] = handed(key, hers)
    assert handed(answer, adas) == []
    return hers, adas


def code(step: Step, to: Verification) -> str:
    with pytest.raises(VerificationEnded) as ended:
        handed(step, to)
    return ended.value.code


def test_the_commitment_is_that_of_other_implementations() -> None:
    start = {
        "from_device": "XOWLHHFSWM",
        "transaction_id": "bYxBsirjUJO9osar6ST4i2M2NjrYLA7l",
        "method": "m.sas.v1",
        "key_agreement_protocols": ["curve25519-hkdf-sha256", "curve25519"],
        "hashes": ["sha256"],
        "message_authentication_codes": ["hkdf-hmac-sha256", "hmac-sha256"],
        "short_authentication_string": ["decimal", "emoji"],
    }
    expected = "CCQmB4JCdB0FW21FdAnHj/Hu8+W9+Nb0vgwPEnZZQ4g"
    assert commitment("Q/NmNFEUS1fS+YeEmiZkjjblKTitrKOAk7cPEumcMlg", start) == expected


def test_the_emoji_are_the_specifications_and_named_in_the_readers_language() -> None:
    assert [sign.rstrip("\ufe0f") for sign, _ in EMOJI] == [sign.rstrip("\ufe0f") for sign, _ in Sas.emoji]
    assert len({str(name) for _, name in EMOJI}) == 64
    line = emoji_line([0, 1, 2, 3, 4, 36, 63])
    assert str(line) == "🐶 Dog · 🐱 Cat · 🦁 Lion · 🐎 Horse · 🦄 Unicorn · 👍 Thumbs Up · 📌 Pin"
    assert line.read_in("de").startswith("🐶 Hund · 🐱 Katze · 🦁 Löwe · 🐎 Pferd · 🦄 Einhorn")


@pytest.mark.parametrize("room", ["", "!room"])
def test_both_see_the_same_emoji_and_prove_their_keys(room: str) -> None:
    hers, adas = compared(room)
    assert hers.emoji == adas.emoji
    assert len(hers.emoji) == 7
    assert handed(adas.confirm(ADAS), hers) == []
    assert not hers.is_proven
    handed(hers.confirm(HERS), adas)
    assert hers.is_proven
    assert adas.is_proven
    assert hers.proved_keys(ADAS) == set(ADAS)
    assert hers.proved_keys({"ed25519:ADAFIRST": "key of ada's device"}) == {"ed25519:ADAFIRST"}
    assert adas.proved_keys(HERS) == set(HERS)


@pytest.mark.parametrize("known", [{**ADAS, "ed25519:m": "n"}, {**ADAS, "ed25519:ADAFIRST": "another"}, {"ed25519:m": "m"}, {}])
def test_other_keys_than_those_proven_are_refused(known: dict[str, str]) -> None:
    hers, adas = compared()
    handed(adas.confirm(ADAS), hers)
    hers.confirm(HERS)
    with pytest.raises(VerificationEnded, match=steps.MISMATCH):
        hers.proved_keys(known)


@pytest.mark.parametrize(("kind", "ends"), [(Verification, True), (Gullible, False)])
def test_who_chooses_a_key_after_seeing_hers_is_found_out(kind: type[Verification], ends: bool) -> None:
    hers = kind("$id", LYRA, ADA, "", Phase.ASKED)
    [(_, start)] = hers.take(steps.READY, {"from_device": ADA.device, "methods": ["m.sas.v1"]})
    answer = {
        "key_agreement_protocol": "curve25519-hkdf-sha256",
        "hash": "sha256",
        "message_authentication_code": "hkdf-hmac-sha256.v2",
        "short_authentication_string": ["emoji"],
        "commitment": commitment(KeyPair().public, start),
    }
    hers.take(steps.ACCEPT, answer)
    chosen = (steps.KEY, {"key": KeyPair().public})
    if ends:
        assert code(chosen, hers) == steps.COMMITMENT
    else:
        handed(chosen, hers)
        assert hers.phase is Phase.COMPARING


def begun(**changed: object) -> Step:
    return steps.START, {**OFFER, "from_device": ADA.device, "transaction_id": "$id", **changed}


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "m.reciprocate.v1"},
        {"hashes": ["sha512"]},
        {"key_agreement_protocols": ["curve25519"]},
        {"message_authentication_codes": ["hkdf-hmac-sha256"]},
        {"short_authentication_string": ["decimal"]},
        {"hashes": None},
    ],
)
def test_what_she_does_not_know_is_refused(changed: dict[str, object]) -> None:
    assert code(begun(**changed), pair()[0]) == steps.NO_METHOD


def test_steps_out_of_turn_end_it() -> None:
    hers, _ = pair()
    assert code((steps.KEY, {"key": "x"}), hers) == steps.UNEXPECTED
    assert code((steps.MACS, {"mac": {"a": "b"}, "keys": "c"}), hers) == steps.UNEXPECTED
    assert code((steps.ACCEPT, {}), hers) == steps.UNEXPECTED
    assert code(("m.key.verification.other", {}), hers) == steps.UNEXPECTED
    assert code(begun(from_device="ANOTHER"), hers) == steps.UNEXPECTED
    handed(begun(), hers)
    assert code(begun(), hers) == steps.UNEXPECTED
    assert code((steps.KEY, {"key": "no key"}), hers) == steps.MALFORMED
    hers, adas = compared()
    assert code((steps.MACS, {"mac": {}, "keys": ""}), hers) == steps.MALFORMED
    with pytest.raises(ValueError, match="surrogates"):
        handed(begun(more="\ud800"), pair()[0])
    proof = adas.confirm(ADAS)
    handed(proof, hers)
    assert code(proof, hers) == steps.UNEXPECTED
    assert code((steps.CANCEL, {"code": steps.TIMED_OUT}), hers) == steps.TIMED_OUT


def test_of_two_who_begin_the_smaller_name_did() -> None:
    hers, adas = Verification("$id", LYRA, ADA, phase=Phase.ASKED), Verification("$id", ADA, LYRA, phase=Phase.ASKED)
    [her_start] = handed((steps.READY, {"from_device": ADA.device, "methods": ["m.sas.v1"]}), hers)
    [adas_start] = handed((steps.READY, {"from_device": LYRA.device, "methods": ["m.sas.v1"]}), adas)
    assert handed(her_start, adas) == []
    [(kind, _)] = handed(adas_start, hers)
    assert kind == steps.ACCEPT


@pytest.mark.parametrize("id", ["", "x" * 256, 5], ids=["none", "long", "a number"])
def test_a_step_without_an_id_that_can_be_is_none(id: object) -> None:
    def told(id: object) -> UnknownToDeviceEvent:
        content = {"transaction_id": id, "from_device": "ADAFIRST"}
        return UnknownToDeviceEvent({"type": steps.START, "sender": ADA.user, "content": content}, ADA.user, steps.START)

    assert [one.id for one in to_device([told(id), told("x" * 255)], 0)] == ["x" * 255]
