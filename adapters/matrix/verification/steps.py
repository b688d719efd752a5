"""One verification as Matrix's state machine: requested, ready, started, accepted, keys exchanged, compared, proven.

Nothing here sends or waits: received steps are taken, and the steps to answer are returned.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from adapters.matrix.account.client import VERIFICATION
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word
from adapters.matrix.verification import sas
from adapters.matrix.verification.sas import Agreement, DeviceParty, KeyPair

REQUEST, READY, START, ACCEPT, KEY, MACS, DONE, CANCEL = (
    f"{VERIFICATION}{name}" for name in ("request", "ready", "start", "accept", "key", "mac", "done", "cancel")
)
Step = tuple[str, Json]

BY_USER, TIMED_OUT, UNKNOWN, UNEXPECTED = "m.user", "m.timeout", "m.unknown_transaction", "m.unexpected_message"
NO_METHOD, MISMATCH, MALFORMED, ACCEPTED = "m.unknown_method", "m.key_mismatch", "m.invalid_message", "m.accepted"
COMMITMENT, DIFFERENT = "m.mismatched_commitment", "m.mismatched_sas"

_OFFERED = {"key_agreement_protocols": sas.AGREEMENT, "hashes": sas.HASH, "message_authentication_codes": sas.MAC}
_CHOSEN = {"key_agreement_protocol": sas.AGREEMENT, "hash": sas.HASH, "message_authentication_code": sas.MAC}
_SHOWN = "short_authentication_string"
"""The names in a start of what is offered, in its acceptance of what is chosen, and in both of how the string is shown."""


class VerificationEnded(Exception):
    """A verification ended with one of Matrix's codes; `told` means that the other side ended it."""

    def __init__(self, code: str, *, told: bool = False) -> None:
        super().__init__(code)
        self.code, self.told = code, told


class Phase(IntEnum):
    """What a verification waits for: an answer, a start, its acceptance, the other's key, a comparison, the other's proof."""

    ASKED = 0
    READY = 1
    STARTED = 2
    ACCEPTED = 3
    KEYED = 4
    COMPARING = 5
    CONFIRMED = 6


@dataclass(slots=True)
class Verification:
    """A verification between Lyra's device `me` and somebody's, under an id: in a room, or '' for device to device."""

    id: str
    me: DeviceParty
    other: DeviceParty
    room: str = ""
    phase: Phase = Phase.READY
    emoji: tuple[int, ...] = ()
    _pair: KeyPair = field(default_factory=KeyPair, repr=False)
    _start: Json = field(default_factory=dict, repr=False)
    _hers: bool = False
    _committed: str = ""
    _agreement: Agreement | None = field(default=None, repr=False)
    _proof: Json = field(default_factory=dict, repr=False)

    def take(self, kind: str, content: Json) -> list[Step]:
        """Process a step from the other side, and return the steps to answer. Raises VerificationEnded."""
        if kind == CANCEL:
            raise VerificationEnded(word(content, "code") or BY_USER, told=True)
        if kind == DONE:
            return []
        step = {READY: self._ready, START: self._begun, ACCEPT: self._accepted, KEY: self._keyed, MACS: self._proven}.get(kind)
        if step is None:
            raise VerificationEnded(UNEXPECTED)
        return step(content)

    def ready(self) -> Step:
        """Return the step that answers a request."""
        return READY, self._own({"from_device": self.me.device, "methods": [sas.METHOD]})

    def confirm(self, keys: Mapping[str, str]) -> Step:
        """Confirm the emoji; return the step that proves her keys, given by id. Raises VerificationEnded."""
        if self.phase is not Phase.COMPARING:
            raise VerificationEnded(UNEXPECTED)
        assert self._agreement is not None
        self.phase = Phase.CONFIRMED
        ids = ",".join(sorted(keys))
        macs = {id: self._agreement.mac(key, self.me, self.other, id) for id, key in keys.items()}
        return MACS, self._own({"mac": macs, "keys": self._agreement.mac(ids, self.me, self.other, sas.KEY_IDS)})

    def done(self) -> Step:
        """Return the step that marks completion."""
        return DONE, self._own({})

    def cancelled(self, code: str, reason: str) -> Step:
        """Return the step that cancels."""
        return CANCEL, self._own({"code": code, "reason": reason})

    @property
    def is_proven(self) -> bool:
        """Whether both sides confirmed the emoji."""
        return self.phase is Phase.CONFIRMED and bool(self._proof)

    def proved_keys(self, known: Mapping[str, str]) -> set[str]:
        """Return the ids of the other side's `known` keys that it proved. Raises VerificationEnded."""
        assert self._agreement is not None
        macs = part(self._proof, "mac")
        ids = ",".join(sorted(macs))
        if not self._agreement.proves(self._proof.get("keys"), ids, self.other, self.me, sas.KEY_IDS):
            raise VerificationEnded(MISMATCH)
        mine = {id: mac for id, mac in macs.items() if id in known}
        if not all(self._agreement.proves(mac, known[id], self.other, self.me, id) for id, mac in mine.items()):
            raise VerificationEnded(MISMATCH)
        if f"ed25519:{self.other.device}" not in mine:
            raise VerificationEnded(MISMATCH)
        return set(mine)

    def matches_commitment(self, theirs: str) -> bool:
        """Return whether a public key is the one the other side committed to before it saw hers."""
        return self._committed.rstrip("=") == sas.commitment(theirs, self._start)

    # Received steps

    def _ready(self, content: Json) -> list[Step]:
        if self.phase is not Phase.ASKED:
            # Another device of theirs is ready, too.
            return []
        device, methods = word(content, "from_device"), content.get("methods")
        if not device or not isinstance(methods, list):
            raise VerificationEnded(MALFORMED)
        self.other = DeviceParty(self.other.user, device)
        if sas.METHOD not in methods:
            raise VerificationEnded(NO_METHOD)
        self.phase, self._hers = Phase.STARTED, True
        offered = {name: [value] for name, value in _OFFERED.items()} | {_SHOWN: [sas.STRING, "decimal"]}
        self._start = self._own({"from_device": self.me.device, "method": sas.METHOD, **offered})
        return [(START, self._start)]

    def _begun(self, content: Json) -> list[Step]:
        if word(content, "from_device") != self.other.device:
            raise VerificationEnded(UNEXPECTED)
        if self.phase is Phase.STARTED:
            # Both started: the start by the smaller (user, device) counts.
            if (self.me.user, self.me.device) < (self.other.user, self.other.device):
                return []
        elif self.phase is not Phase.READY:
            raise VerificationEnded(UNEXPECTED)
        wanted = _OFFERED | {_SHOWN: sas.STRING}
        if content.get("method") != sas.METHOD or not all(_offers(content, name, value) for name, value in wanted.items()):
            raise VerificationEnded(NO_METHOD)
        self.phase, self._hers, self._start = Phase.ACCEPTED, False, content
        committed = sas.commitment(self._pair.public, content)
        return [(ACCEPT, self._own({"method": sas.METHOD, **_CHOSEN, _SHOWN: [sas.STRING], "commitment": committed}))]

    def _accepted(self, content: Json) -> list[Step]:
        if self.phase is not Phase.STARTED:
            raise VerificationEnded(UNEXPECTED)
        if any(content.get(name) != value for name, value in _CHOSEN.items()) or not _offers(content, _SHOWN, sas.STRING):
            raise VerificationEnded(NO_METHOD)
        self._committed = word(content, "commitment")
        self.phase = Phase.KEYED
        return [(KEY, self._own({"key": self._pair.public}))]

    def _keyed(self, content: Json) -> list[Step]:
        if self.phase not in (Phase.ACCEPTED, Phase.KEYED):
            raise VerificationEnded(UNEXPECTED)
        theirs = word(content, "key")
        if self._hers and not self.matches_commitment(theirs):
            raise VerificationEnded(COMMITMENT)
        try:
            self._agreement = self._pair.agreed(theirs, self.id)
        except ValueError:
            raise VerificationEnded(MALFORMED) from None
        own, other = (self.me, self._pair.public), (self.other, theirs)
        self.emoji = self._agreement.emoji(*own, *other) if self._hers else self._agreement.emoji(*other, *own)
        self.phase = Phase.COMPARING
        return [] if self._hers else [(KEY, self._own({"key": self._pair.public}))]

    def _proven(self, content: Json) -> list[Step]:
        if self.phase not in (Phase.COMPARING, Phase.CONFIRMED) or self._proof:
            raise VerificationEnded(UNEXPECTED)
        if not part(content, "mac") or not word(content, "keys"):
            raise VerificationEnded(MALFORMED)
        self._proof = content
        return []

    def _own(self, content: Json) -> Json:
        if self.room:
            return content | {"m.relates_to": {"rel_type": "m.reference", "event_id": self.id}}
        return content | {"transaction_id": self.id}


def _offers(content: Json, name: str, value: str) -> bool:
    offered = content.get(name)
    return isinstance(offered, list) and value in offered
