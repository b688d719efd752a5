"""nio's Olm machine, made safe for what anybody can send: malformed input is dropped.

nio raises over much of it, and the sync that brings it would then fail again and again, for everybody.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import vodozemac
from nio import Event, KeysClaimResponse, KeysQueryResponse, MegolmEvent, ProtocolError
from nio.crypto import InboundGroupSession, Olm
from nio.events import UnknownBadEvent
from nio.exceptions import EncryptionError

from adapters.matrix.homeserver import Json

ODD = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError, ProtocolError)
"""What nio raises over data of a shape that it does not know. A database that fails is none of them: what it could not store has to come again."""
_NOT_ENCRYPTED = frozenset({"m.room.redaction"})
"""What the homeserver has to see, because it decides who may do it, as with state events."""

log = logging.getLogger(__name__)


class DeviceKeys(KeysQueryResponse):  # type: ignore[misc]
    """The answer to a query for device keys, without the devices that make no sense: nio would refuse it whole."""

    @classmethod
    def from_dict(cls, parsed: Any) -> Any:
        """Parse the answer; an error where it is none."""
        answer = KeysQueryResponse.from_dict(parsed)
        if isinstance(answer, KeysQueryResponse) or not _are_devices(parsed):
            return answer
        readable: dict[str, Json] = {user: {} for user in parsed["device_keys"]}
        for user, device, payload in _each(parsed["device_keys"]):
            if isinstance(KeysQueryResponse.from_dict({"device_keys": {user: {device: payload}}}), KeysQueryResponse):
                readable[user][device] = payload
        return KeysQueryResponse.from_dict({**parsed, "device_keys": readable})


class TolerantOlm(Olm):  # type: ignore[misc]
    """Drops messages, keys and devices that are malformed, and reads no message under another sender's name.

    `changes` counts how often somebody's devices have changed; `renewed` are the users for whom a query has returned other devices
    than before, until somebody takes them out.
    """

    def __init__(self, user_id: str, device_id: str, store: Any) -> None:
        self.changes: Counter[str] = Counter()
        self.renewed: set[str] = set()
        super().__init__(user_id, device_id, store)
        # nio does so for a device that it knows already.
        self.inbound_group_store = store.load_inbound_group_sessions()

    def add_changed_users(self, users: set[str]) -> None:
        """Note whose devices have to be queried."""
        self.changes.update(users)
        super().add_changed_users(users)

    def handle_to_device_event(self, event: object) -> Any:
        """Return what was encrypted for this device; None for anything else, and for what is malformed."""
        try:
            return super().handle_to_device_event(event)
        except ODD as error:
            log.info("A malformed to-device message was dropped (%s).", type(error).__name__)
            return None

    def _handle_key_requests(self, event: Any) -> None:
        """Take up requests of her own devices: nobody else is given keys, and nio would keep others' cancellations for ever."""
        if event.sender == self.user_id:
            super()._handle_key_requests(event)

    def decrypt_megolm_event(self, event: MegolmEvent, room_id: str | None = None) -> Event:
        """Return a decrypted event, or one that says nothing if it is malformed, or must not be encrypted.

        Raises EncryptionError, also if the key is here but no device of the sender is known that could have used it.
        """
        try:
            if self.lacks_sender(event, room_id):
                self.users_for_key_query.add(event.sender)
                raise EncryptionError
            opened = super().decrypt_megolm_event(event, room_id)
            if not self.is_encryptable(opened.source):
                return UnknownBadEvent({})
        except EncryptionError:
            raise
        except ODD as error:
            log.info("A malformed encrypted event was dropped (%s).", type(error).__name__)
            return UnknownBadEvent({})
        return opened

    def lacks_sender(self, event: MegolmEvent, room_id: str | None = None) -> bool:
        """Return whether an event's key is here, and no device of its sender is known that could have used it."""
        session = self.inbound_group_store.get(room_id or event.room_id, event.sender_key, event.session_id)
        return session is not None and not self.is_by(event.sender, session)

    def is_by(self, user: str, session: InboundGroupSession) -> bool:
        """Return whether a session belongs to a user's device, which may be signed out by now.

        A member can send again to the room what others encrypted, without being able to read it: she would quote it to
        them. A homeserver, too, can name another sender.
        """
        own, keys = self.account.identity_keys, (session.sender_key, session.ed25519)
        if user == self.user_id and keys == (own["curve25519"], own["ed25519"]):
            return True
        return any((one.curve25519, one.ed25519) == keys for one in self.device_store[user].values())

    def is_encryptable(self, source: Json) -> bool:
        """Return whether a decrypted event may come encrypted."""
        return "state_key" not in source and source.get("type") not in _NOT_ENCRYPTED

    def reshare_keys(self, user: str, sender_key: str) -> None:
        """Give a device the keys to what is said from now on once more: it said that it could not read something."""
        if device := self.device_store.device_from_sender_key(user, sender_key):
            for session in self.outbound_group_sessions.values():
                session.users_shared_with.discard((user, device.id))
                session.users_ignored.discard((user, device.id))

    def _handle_key_query(self, response: KeysQueryResponse) -> None:
        for user, devices in response.device_keys.items():
            response.device_keys[user] = {id: one for id, one in devices.items() if self.is_well_formed(user, id, one)}
        super()._handle_key_query(response)
        if returned := self._returned(response.device_keys):
            self.store.save_device_keys(returned)
            for user, known in returned.items():
                response.changed[user].update(known)
        self.renewed.update(user for user, devices in response.changed.items() if devices)

    def _returned(self, shown: dict[str, Json]) -> dict[str, dict[str, Any]]:
        """Restore deleted devices that the homeserver lists again with the same keys, and return them; nio would keep them deleted."""
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for user, device, payload in _each(shown):
            known = self.device_store[user].get(device)
            if known is not None and known.deleted and known.ed25519 == payload["keys"][f"ed25519:{device}"]:
                known.deleted = False
                found[user][device] = known
        return found

    def is_well_formed(self, user: str, device: str, payload: Json) -> bool:
        """Return whether a device is published with keys and a signature of its own; `payload` is how."""
        try:
            vodozemac.Ed25519PublicKey.from_base64(payload["keys"][f"ed25519:{device}"])
            vodozemac.Curve25519PublicKey.from_base64(payload["keys"][f"curve25519:{device}"])
            shown = payload.get("unsigned", {}).get("device_display_name")
            return bool(self.verify_json(dict(payload), payload["keys"][f"ed25519:{device}"], user, device)) and (
                isinstance(shown, str | None) and payload["user_id"] == user and payload["device_id"] == device
            )
        except ODD:
            return False

    def _handle_key_claiming(self, response: KeysClaimResponse) -> None:
        for user, device, key in _each(response.one_time_keys):
            try:
                super()._handle_key_claiming(replace(response, one_time_keys={user: {device: key}}))
            except (*ODD, StopIteration) as error:
                log.info("A malformed one-time key was dropped (%s).", type(error).__name__)


def _are_devices(parsed: Any) -> bool:
    found = parsed.get("device_keys") if isinstance(parsed, dict) else None
    return isinstance(found, dict) and all(isinstance(devices, dict) for devices in found.values())


def _each(found: dict[str, Json]) -> Iterator[tuple[str, str, Any]]:
    for user, devices in found.items():
        for device, one in devices.items():
            yield user, device, one
