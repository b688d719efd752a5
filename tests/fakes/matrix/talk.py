"""What a person says in a room, encrypted where the room is."""

from collections.abc import Iterable
from uuid import uuid4

from nio.crypto.attachments import decrypt_attachment, encrypt_attachment

from tests.fakes.matrix import contents
from tests.fakes.matrix.client import Client, Json, Refused
from tests.fakes.matrix.ears import Ears
from tests.fakes.matrix.events import Event
from tests.fakes.matrix.keys import Keys
from tests.fakes.matrix.rooms import Rooms


class Talk(Rooms):
    """Says, edits, redacts, reacts, attaches. Every act that makes an event returns its id."""

    client: Client
    ears: Ears
    keys: Keys | None

    async def says(
        self,
        room: str,
        text: str,
        *,
        html: str = "",
        mentions: Iterable[str] = (),
        reply_to: str = "",
        thread: str = "",
        kind: str = "m.text",
    ) -> str:
        """Say something: in the room, in the thread of a root, as a reply. A notice is of kind m.notice."""
        content = contents.text(text, html=html, mentions=mentions, kind=kind)
        return await self.sends(room, "m.room.message", self._placed(room, content, thread, reply_to))

    async def edits(self, room: str, event_id: str, text: str, *, html: str = "", mentions: Iterable[str] = ()) -> str:
        """Change what was said."""
        new = contents.text(text, html=html, mentions=mentions)
        return await self.sends(room, "m.room.message", contents.edit(event_id, new))

    async def redacts(self, room: str, event_id: str, reason: str = "") -> str:
        """Take an event back. Its edits stay readable on the server."""
        body = {"reason": reason} if reason else {}
        return str((await self.client.call("PUT", "rooms", room, "redact", event_id, uuid4().hex, body=body))["event_id"])

    async def reacts(self, room: str, event_id: str, key: str) -> str:
        """React. Reactions are never encrypted."""
        return await self.sends(room, "m.reaction", contents.reaction(event_id, key), plain=True)

    async def attaches(
        self,
        room: str,
        name: str,
        data: bytes,
        content_type: str,
        *,
        caption: str = "",
        voice: bool = False,
        thread: str = "",
        reply_to: str = "",
    ) -> str:
        """Send a file, an image or a recording; encrypted where the room is."""
        if await self.encrypted(room):
            ciphertext, secret = encrypt_attachment(data)
            source: Json = {"file": secret | {"url": await self.client.upload(ciphertext, "application/octet-stream")}}
        else:
            source = {"url": await self.client.upload(data, content_type)}
        content = contents.media(name, content_type, len(data), source, caption=caption, voice=voice)
        return await self.sends(room, "m.room.message", self._placed(room, content, thread, reply_to))

    async def opens(self, event: Event) -> bytes:
        """Return the bytes of a file that an event brings, decrypted."""
        if "url" in event.content:
            return await self.client.download(event.content["url"])
        file = event.content["file"]
        data = await self.client.download(file["url"])
        return bytes(decrypt_attachment(data, file["key"]["k"], file["hashes"]["sha256"], file["iv"]))

    async def sends(self, room: str, kind: str, content: Json, *, key: str = "", plain: bool = False) -> str:
        """Send any event under a transaction id; `plain` sends it unencrypted, whatever the room is."""
        if not plain and await self.encrypted(room):
            assert self.keys, f"{self.user} cannot encrypt"
            # Who is invited reads along, as in Element.
            content = await self.keys.encrypt(room, await self.members(room, "join", "invite"), kind, content)
            kind = "m.room.encrypted"
        answer = await self.client.call("PUT", "rooms", room, "send", kind, key or uuid4().hex, body=content)
        return str(answer["event_id"])

    async def encrypted(self, room: str) -> bool:
        """Whether a room is encrypted."""
        try:
            return bool(await self.state(room, "m.room.encryption"))
        except Refused as refused:
            if refused.status != 404:
                raise
            return False

    async def types(self, room: str, on: bool = True) -> None:
        """Type, or stop."""
        await self.client.call("PUT", "rooms", room, "typing", self.user, body={"typing": on, "timeout": 30_000})

    async def reads(self, room: str, event_id: str, thread: str = "") -> None:
        """Let others know that everything up to an event was read; of one thread by its root, of the timeline by 'main'."""
        body = {"thread_id": thread} if thread else {}
        await self.client.call("POST", "rooms", room, "receipt", "m.read", event_id, body=body)

    def _placed(self, room: str, content: Json, thread: str, reply_to: str) -> Json:
        said = [event.id for event in self.ears.events if event.room == room and thread and event.thread == thread]
        return contents.related(content, thread=thread, last=said[-1] if said else "", reply_to=reply_to)
