"""nio's client, which goes on where somebody sends what nio cannot read.

Anybody can send anything to her device, and any member anything into a room: nio fails at some of it, and would at every
sync from then on, for everybody.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from nio import AsyncClient, EncryptionError, Event, KeyVerificationEvent, ProtocolError, Response, RoomInfo
from nio.events import InviteEvent, ToDeviceEvent

from adapters.matrix.account.encrypted_step import PREFIX, EncryptedStep

ODD = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError, ProtocolError)
"""What nio raises over data of a shape that it does not know."""

Json = dict[str, Any]

log = logging.getLogger(__name__)


class Client(AsyncClient):  # type: ignore[misc]
    """Processes each to-device message in one database transaction: a kill between two halves of a key would lose it for good.

    Verification is not left to nio: no current app understands what nio speaks, and its answers would interfere. nio would
    also drop the encrypted verification steps that apps send to her device.
    """

    def load_store(self) -> None:
        """Open the key store; from then on decrypted verification steps are passed on."""
        super().load_store()
        if self.olm is not None:
            self.olm._handle_olm_event = partial(self._opened, type(self.olm)._handle_olm_event.__get__(self.olm))
            self.olm.decrypt_megolm_event = partial(_decrypted, type(self.olm).decrypt_megolm_event.__get__(self.olm))

    def encrypted_step(self, source: Mapping[str, Any], sender_key: str, signing_key: str) -> ToDeviceEvent:
        """Return a verification step that was encrypted for this device, with the keys of the device that encrypted it."""
        return EncryptedStep(dict(source), str(source["sender"]), sender_key, signing_key)

    def _opened(self, known: Callable[..., object], sender: str, sender_key: str, payload: Mapping[str, Any]) -> object:
        if not str(payload["type"]).startswith(PREFIX):
            with _passing_over("an encrypted message to her device"):
                return known(sender, sender_key, payload)
            return None
        source = {name: payload[name] for name in ("type", "sender", "content")}
        return self.encrypted_step(source, sender_key, str(payload["keys"].get("ed25519", "")))

    def _handle_decrypt_to_device(self, to_device_event: object) -> Any:
        if isinstance(to_device_event, KeyVerificationEvent):
            return None
        if self.store is None:
            return super()._handle_decrypt_to_device(to_device_event)
        # What was done before it failed is kept: an Olm session that exists only in memory could decrypt nothing after a restart.
        with self.store.database.atomic(), _passing_over("a message to her device"):
            return super()._handle_decrypt_to_device(to_device_event)
        return None

    def _handle_joined_state(self, room_id: str, join_info: RoomInfo, encrypted_rooms: set[str]) -> None:
        try:
            super()._handle_joined_state(room_id, join_info, encrypted_rooms)
        except ODD:
            for event in join_info.state:
                with _passing_over("a state event"):
                    super()._handle_joined_state(room_id, replace(join_info, state=[event]), encrypted_rooms)

    def _handle_timeline_event(self, event: Any, *where: Any) -> Any:
        with _passing_over("an event"):
            return super()._handle_timeline_event(event, *where)
        return None

    async def create_matrix_response(
        self, response_class: type[Response], transport_response: Any, data: tuple[Any, ...] | None = None, save_to: Any = None
    ) -> Response:
        """Return what the homeserver answered, without the events that are none."""
        try:
            return await super().create_matrix_response(response_class, transport_response, data, save_to)
        except ODD as error:
            log.warning("The homeserver's answer could not be read whole (%s): what can be is.", type(error).__name__)
        answer = response_class.from_dict(_readable(await self.parse_body(transport_response)), *(data or ()))
        answer.transport_response = transport_response
        return answer


def _decrypted(decrypt: Callable[..., object], *what: Any) -> object:
    """Decrypt a room's event. Raises EncryptionError, also where nio fails in another way."""
    try:
        return decrypt(*what)
    except EncryptionError:
        raise
    except ODD as error:
        raise EncryptionError(f"an event that cannot be decrypted ({type(error).__name__})") from None


@contextmanager
def _passing_over(what: str) -> Iterator[None]:
    try:
        yield
    except ODD as error:
        log.warning("On Matrix %s could not be read (%s) and is passed over.", what, type(error).__name__)


def _readable(found: Any, parse: Callable[[Json], object] = Event.parse_event) -> Any:
    """Return a body without what nio cannot parse of its events."""
    if not isinstance(found, dict):
        return found
    kept = {}
    for name, value in found.items():
        by = {"to_device": ToDeviceEvent.parse_event, "invite_state": InviteEvent.parse_event}.get(name, parse)
        is_events = name in ("events", "chunk", "state") and isinstance(value, list)
        kept[name] = [read for one in value for read in _parsed(one, by)] if is_events else _readable(value, by)
    return kept


def _parsed(raw: Any, parse: Callable[[Json], object]) -> list[Json]:
    """Return an event, without what the homeserver added if it is unreadable for that; [] if it is no event."""
    bare = [{name: value for name, value in raw.items() if name != "unsigned"}] if isinstance(raw, dict) else []
    for one in [raw, *bare]:
        with _passing_over("an event"):
            parse(one)
            return [one]
    return []
