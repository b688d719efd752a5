"""nio's client, made tolerant of what nio cannot parse.

Anybody can send anything to her device, and any member anything into a room: nio raises over some of it, and would again at
every sync, for everybody.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aiohttp import ClientError, ClientSession
from nio import AsyncClient, ErrorResponse, Event, KeysQueryResponse, KeyVerificationEvent, Response, RoomInfo
from nio.api import Api
from nio.events import InviteEvent, ToDeviceEvent

from adapters.matrix.account.tolerant_olm import ODD, DeviceKeys, TolerantOlm
from adapters.matrix.homeserver import Json

VERIFICATION = "m.key.verification."
"""What the types of all verification steps begin with."""
_BEGINS_ANEW = "m.dummy"
"""The type of what an app sends with a new Olm session, where it could not read something in an older one."""

log = logging.getLogger(__name__)


@dataclass
class EncryptedStep(ToDeviceEvent):  # type: ignore[misc]
    """A verification step that somebody's app encrypted for her device alone, with the keys of the device that did.

    Only the device with these keys could have encrypted it; whose they are is not proven.
    """

    sender_key: str = field(default="", repr=False)
    signing_key: str = field(default="", repr=False)


class Client(AsyncClient):  # type: ignore[misc]
    """Processes each to-device message in one database transaction: a kill between two halves of a key would lose it for good.

    Verification is not left to nio: no current app understands what nio speaks, and its answers would interfere. nio would
    also drop the encrypted verification steps that apps send to her device.
    """

    access_token: str
    machine: type[TolerantOlm] = TolerantOlm
    """What reads and writes ciphertext."""
    _session: ClientSession | None = None
    _is_closed = False

    @property
    def client_session(self) -> ClientSession | None:
        """The connections to the homeserver, None before the first request. Raises ClientError once closed.

        A request that comes late, or is made again just then, would have nio open others, which nobody closes.
        """
        if self._is_closed:
            raise ClientError("the client is closed")
        return self._session

    @client_session.setter
    def client_session(self, session: ClientSession | None) -> None:
        self._session = session

    async def close(self) -> None:
        """Close all connections for good (idempotent)."""
        self._is_closed, session, self._session = True, self._session, None
        if session is not None:
            await session.close()

    def load_store(self) -> None:
        """Open the key store; from then on decrypted verification steps are passed on."""
        if self.store is not None:
            return
        config = self.config
        store = config.store(self.user_id, self.device_id, self.store_path, config.pickle_key, config.store_name)
        self.store: Any = store
        self.olm = self.machine(self.user_id, self.device_id, store)
        self.encrypted_rooms = store.load_encrypted_rooms()
        self._querying = asyncio.Lock()
        self.olm._handle_olm_event = partial(self._opened, self.olm._handle_olm_event)

    async def keys_query(self) -> Any:
        """Query the devices of those whose devices have changed; return nio's answer.

        One at a time, and again those that change meanwhile: nio would take an older answer for the newest one.
        """
        async with self._querying:
            asked, before = set(self.users_for_key_query), dict(self.olm.changes)
            if not asked:
                return KeysQueryResponse({}, {})
            answer = await self._send(DeviceKeys, *Api.keys_query(self.access_token, asked))
            if isinstance(answer, KeysQueryResponse):
                again = {user for user in asked if self.olm.changes[user] != before.get(user, 0)}
                self.olm.users_for_key_query.update(again)
            return answer

    async def receive_response(self, response: Response) -> None:
        """Take in an answer, and keep a token that the homeserver refuses.

        Without one nio would ask it nothing more, and not hear what is wrong.
        """
        token = self.access_token
        await super().receive_response(response)
        if isinstance(response, ErrorResponse):
            self.access_token = token

    def encrypted_step(self, source: Mapping[str, Any], sender_key: str, signing_key: str) -> ToDeviceEvent:
        """Return a verification step that was encrypted for this device, with the keys of the device that encrypted it."""
        return EncryptedStep(dict(source), str(source["sender"]), sender_key, signing_key)

    def _opened(self, known: Callable[..., object], sender: str, sender_key: str, payload: Mapping[str, Any]) -> object:
        if payload["type"] == _BEGINS_ANEW:
            self.olm.reshare_keys(sender, sender_key)
        if not str(payload["type"]).startswith(VERIFICATION):
            return known(sender, sender_key, payload)
        source = {name: payload[name] for name in ("type", "sender", "content")}
        return self.encrypted_step(source, sender_key, str(payload["keys"].get("ed25519", "")))

    def _handle_decrypt_to_device(self, to_device_event: object) -> Any:
        if isinstance(to_device_event, KeyVerificationEvent):
            return None
        if self.store is None:
            return super()._handle_decrypt_to_device(to_device_event)
        # What was done before it failed is kept, as the machine bears it: an Olm session that exists only in memory could decrypt
        # nothing after a restart.
        with self.store.database.atomic():
            return super()._handle_decrypt_to_device(to_device_event)

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
