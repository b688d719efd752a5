"""Transport of verification steps: to a device, or in a room where one person is alone with Lyra."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.events import Person, Place
from adapters.matrix.account.client import VERIFICATION, EncryptedStep
from adapters.matrix.account.published_keys import PublishedKeys, published_of
from adapters.matrix.account.signing import MASTER, CrossSigningIdentity
from adapters.matrix.failures import TROUBLE
from adapters.matrix.homeserver import Json, Pace, RequestRefused, SignedOut, ask
from adapters.matrix.incoming.event import MESSAGE, RoomEvent, part, word
from adapters.matrix.outgoing.wire import Wire
from adapters.matrix.rooms.rooms import Rooms
from adapters.matrix.verification import steps
from adapters.matrix.verification.sas import METHOD, DeviceParty
from adapters.matrix.verification.steps import Step, Verification
from localization.sentences import lazy

_TRIES = 3
_LONGEST = 255
LASTS, _EARLY = 600.0, 300.0
"""The longest duration of a verification, and how far a requester's clock may be ahead, in seconds."""
_REASONS = {
    steps.BY_USER: "Verification was ended.",
    steps.TIMED_OUT: "Verification took too long.",
    steps.UNKNOWN: "This verification is not known here.",
    steps.NO_METHOD: "Only emoji can be compared here.",
    steps.MISMATCH: "A key is not the one that was expected.",
    steps.COMMITMENT: "A key is not the one that was promised.",
    steps.DIFFERENT: "The emoji are not the same.",
}
"""What an app may show as the reason for the end; apps that know the codes use their own words."""


_FALLBACK = lazy("I ask to be verified by emoji, which this app does not know; use another one.")


class StepNotSent(Exception):
    """A step could not be sent in any of several tries."""


@dataclass(frozen=True, slots=True)
class ReceivedStep:
    """A received step, sent to her device or in a `room`; `at` is in microseconds UTC, `event` its id in the room.

    `by` are the keys of the device that encrypted it for hers, the Curve25519 and the Ed25519 key; () if it was not
    encrypted.
    """

    user: str
    kind: str
    content: Json = field(repr=False)
    at: int
    room: str = ""
    event: str = ""
    by: tuple[str, str] | tuple[()] = field(default=(), repr=False)

    @property
    def id(self) -> str:
        """The id of its verification, '' for none."""
        if not self.room:
            return word(self.content, "transaction_id")
        return self.event if self.kind == steps.REQUEST else word(part(self.content, "m.relates_to"), "event_id")

    @property
    def device(self) -> str:
        """The device that sent it, '' if it does not say."""
        return word(self.content, "from_device")


def in_room(room: str, event: RoomEvent) -> ReceivedStep | None:
    """Convert a room event to a verification step, None if it is none."""
    is_request = event.kind == MESSAGE and event.content.get("msgtype") == steps.REQUEST
    kind = steps.REQUEST if is_request else event.kind
    return ReceivedStep(event.sender, kind, event.content, event.at, room, event.id) if kind.startswith(VERIFICATION) else None


def to_device(events: Sequence[object], now: int) -> list[ReceivedStep]:
    """Convert to-device events to verification steps, skipping others, and those without an id that can be one."""
    found = []
    for event in events:
        raw = getattr(event, "source", None)
        kind, sender, content = word(raw, "type"), word(raw, "sender"), part(raw, "content")
        if kind.startswith(VERIFICATION) and sender and 0 < len(word(content, "transaction_id")) <= _LONGEST:
            stamp = content.get("timestamp")
            by = (event.sender_key, event.signing_key) if isinstance(event, EncryptedStep) else ()
            found.append(ReceivedStep(sender, kind, content, stamp * 1000 if isinstance(stamp, int) else now, by=by))
    return found


class Channel:
    """Sends one connection's steps, each once. `me` is her device."""

    def __init__(self, client: AsyncClient, rooms: Rooms, wire: Wire, pace: Pace) -> None:
        self._client, self._rooms, self._wire, self._pace = client, rooms, wire, pace
        self.me = DeviceParty(client.user_id, client.device_id)

    async def ready(self) -> None:
        """Wait until the rooms are known."""
        while not await self._rooms.at_rest():
            continue

    def own_keys(self, identity: CrossSigningIdentity | None) -> dict[str, str]:
        """Return the keys that she proves, by id: her device's, and her identity's if its keys are here."""
        master = identity.public(MASTER) if identity else ""
        own = {f"ed25519:{self.me.device}": str(self._client.olm.account.identity_keys["ed25519"])}
        return own | ({f"ed25519:{master}": master} if master else {})

    def concerns_her(self, heard: ReceivedStep) -> bool:
        """Return whether a step is from a room, from her own account, or from somebody who has a DM with her."""
        return bool(heard.room) or heard.user == self.me.user or self._rooms.dm_of(heard.user) is not None

    def may(self, heard: ReceivedStep, now: int) -> bool:
        """Return whether this step may verify her: from a DM's other member, or from another device of her account.

        Requests that are too old, or from a clock too far ahead, are ignored.
        """
        age = (now - heard.at) / 1_000_000
        if not -_EARLY <= age <= LASTS or not 0 < len(heard.id) <= _LONGEST:
            return False
        if heard.room:
            room = self._rooms.get(heard.room)
            return room is not None and room.alone == heard.user and room.is_private and heard.content.get("to") == self.me.user
        if heard.user == self.me.user:
            return heard.device not in ("", self.me.device)
        return bool(heard.device) and self.concerns_her(heard)

    def dm(self, user: str, room: str = "") -> tuple[Place, Person] | None:
        """Return the place where a person is alone with her, this room or another, and that person; None if there is none."""
        found = self._rooms.get(room or self._rooms.dm_of(user) or "")
        if found is None or found.alone != user or not found.is_private:
            return None
        return found.place(), found.person(user)

    async def published(self, other: DeviceParty) -> PublishedKeys:
        """Return the keys the homeserver shows of somebody. Raises StepNotSent, SignedOut."""
        try:
            return await published_of(self._client, other.user, other.device)
        except SignedOut:
            raise
        except (RequestRefused, PlatformFailure):
            raise StepNotSent from None

    async def is_from(self, heard: ReceivedStep, device: str) -> bool:
        """Return whether a step was encrypted by `device` or, if '', by the one it names; True if it is unencrypted.

        Checked against the keys its owner published. If the device is known, the step cannot name another. Raises
        SignedOut.
        """
        if not heard.by:
            return True
        with suppress(StepNotSent):
            shown = await self.published(DeviceParty(heard.user, device or heard.device))
            return heard.device in ("", shown.device_id) and heard.by == (shown.identity_key, shown.device_key)
        return False

    async def request(self, user: str, room: str) -> str:
        """Ask somebody's app in a room for a verification, and return its id. Raises StepNotSent, SignedOut."""
        said: Json = {
            "msgtype": steps.REQUEST,
            "body": str(_FALLBACK),
            "from_device": self.me.device,
            "methods": [METHOD],
            "to": user,
            "m.mentions": {},
        }
        return await self.send(Verification("", self.me, DeviceParty(user, ""), room), (MESSAGE, said))

    async def cancel(self, one: Verification, code: str) -> None:
        """Cancel a verification; if that cannot be sent, it times out after ten minutes. Raises SignedOut."""
        try:
            await self.send(one, one.cancelled(code, _REASONS.get(code, "Verification was ended.")))
        except StepNotSent:
            return

    async def refuse(self, heard: ReceivedStep, code: str) -> None:
        """Reject a step that belongs to no verification. Raises SignedOut."""
        if heard.device and heard.id:
            await self.cancel(Verification(heard.id, self.me, DeviceParty(heard.user, heard.device)), code)

    async def send(self, one: Verification, step: Step) -> str:
        """Send a step, and return its id in a room, '' for one to a device. Raises StepNotSent, SignedOut."""
        transaction = uuid4().hex
        for failures in range(1, _TRIES + 1):
            try:
                return await self._once(one, *step, transaction)
            except SignedOut:
                raise
            except (*TROUBLE, PlatformFailure) as trouble:
                if isinstance(trouble, RequestRefused) and trouble.is_final:
                    break
                if failures < _TRIES:
                    await self._pace.retry(failures)
        raise StepNotSent

    async def _once(self, one: Verification, kind: str, content: Json, transaction: str) -> str:
        if one.room:
            return await self._wire.put(one.room, content, transaction, kind)
        if one.other.device:
            body: Mapping[str, Json] = {"messages": {one.other.user: {one.other.device: content}}}
            await ask(self._client, "PUT", "sendToDevice", kind, transaction, body=dict(body))
        return ""
