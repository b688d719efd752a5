"""What a person does with rooms."""

from collections.abc import Iterable
from typing import Any

from tests.fakes.matrix.client import Client, Json

MEGOLM = {"algorithm": "m.megolm.v1.aes-sha2"}


class Rooms:
    """Makes rooms, comes and goes, lets others in. Users are named by their ids; rooms by theirs, which say nothing else."""

    client: Client
    user: str

    async def creates(
        self,
        name: str = "",
        *,
        public: bool = False,
        encrypted: bool = False,
        direct: bool = False,
        space: bool = False,
        version: str = "",
        history: str = "",
        joining: Json | None = None,
        replaces: str = "",
        invite: Iterable[str] = (),
        levels: Json | None = None,
    ) -> str:
        """Make a room and return its id. `history` is who reads it: invited, joined, shared or world_readable; `joining` are
        its join rules, where they are none of a preset's; `replaces` is the room that it says it replaces.
        """
        preset = "public_chat" if public else "trusted_private_chat" if direct else "private_chat"
        state = [("m.room.encryption", MEGOLM)] if encrypted else []
        state += [("m.room.history_visibility", {"history_visibility": history})] if history else []
        state += [("m.room.join_rules", joining)] if joining else []
        asked: dict[str, Any] = {
            "preset": preset,
            "visibility": "public" if public else "private",
            "is_direct": direct,
            "invite": list(invite),
            "initial_state": [{"type": kind, "state_key": "", "content": content} for kind, content in state],
        }
        asked |= {"name": name} if name else {}
        asked |= {"room_version": version} if version else {}
        made: Json = {"type": "m.space"} if space else {}
        made |= {"predecessor": {"room_id": replaces, "event_id": "$last"}} if replaces else {}
        asked |= {"creation_content": made} if made else {}
        asked |= {"power_level_content_override": levels} if levels else {}
        return str((await self.client.call("POST", "createRoom", body=asked))["room_id"])

    async def opens_dm(self, user: str, *, encrypted: bool = False) -> str:
        """Make a DM with someone, as clients do, and note it as one."""
        room = await self.creates(direct=True, encrypted=encrypted, invite=[user])
        await self.client.call("PUT", "user", self.user, "account_data", "m.direct", body={user: [room]})
        return room

    async def invites(self, room: str, user: str) -> None:
        """Ask someone in."""
        await self.client.call("POST", "rooms", room, "invite", body={"user_id": user})

    async def joins(self, room: str) -> None:
        """Go in."""
        await self.client.call("POST", "join", room)

    async def leaves(self, room: str) -> None:
        """Go out, or refuse an invite."""
        await self.client.call("POST", "rooms", room, "leave")

    async def forgets(self, room: str) -> None:
        """Have a room that they left be gone from their list for good."""
        await self.client.call("POST", "rooms", room, "forget", body={})

    async def kicks(self, room: str, user: str, reason: str = "") -> None:
        """Put someone out."""
        await self.client.call("POST", "rooms", room, "kick", body={"user_id": user, "reason": reason})

    async def bans(self, room: str, user: str) -> None:
        """Put someone out for good."""
        await self.client.call("POST", "rooms", room, "ban", body={"user_id": user})

    async def state(self, room: str, kind: str, key: str = "") -> Json:
        """Return a piece of the room's state. Raises Refused where there is none."""
        return await self.client.call("GET", "rooms", room, "state", kind, key)

    async def sets(self, room: str, kind: str, content: Json, key: str = "") -> str:
        """Set a piece of the room's state, and return the event's id."""
        return str((await self.client.call("PUT", "rooms", room, "state", kind, key, body=content))["event_id"])

    async def sets_power(self, room: str, user: str, level: int) -> None:
        """Give someone a power level. Creators of a room of version 12 have more than any number, and are not listed."""
        levels = await self.state(room, "m.room.power_levels")
        await self.sets(room, "m.room.power_levels", levels | {"users": levels.get("users", {}) | {user: level}})

    async def encrypts(self, room: str) -> None:
        """Turn on encryption, for good."""
        await self.sets(room, "m.room.encryption", MEGOLM)

    async def adds_to_space(self, space: str, room: str, server: str) -> None:
        """Put a room into a space."""
        await self.sets(space, "m.space.child", {"via": [server]}, room)

    async def upgrades(self, room: str, version: str) -> str:
        """Replace a room by a new one, and return its id. Nobody else is in it yet."""
        answer = await self.client.call("POST", "rooms", room, "upgrade", body={"new_version": version})
        return str(answer["replacement_room"])

    async def version(self, room: str) -> str:
        """Return the version of a room."""
        return str((await self.state(room, "m.room.create")).get("room_version", "1"))

    async def members(self, room: str, *memberships: str) -> set[str]:
        """Return who is in a room, or whose membership is one of those given."""
        wanted = memberships or ("join",)
        events = (await self.client.call("GET", "rooms", room, "members"))["chunk"]
        return {event["state_key"] for event in events if event["content"]["membership"] in wanted}
