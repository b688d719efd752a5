"""An event as a person's client shows it."""

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.matrix.client import Json


@dataclass(frozen=True)
class Event:
    """An event of a room, decrypted if it could be.

    `trouble` says why its content is not shown: 'no key', 'withheld CODE', or 'unsigned device'. `raw` is what the server sent.
    """

    room: str
    type: str
    content: Json
    raw: Json = field(repr=False)
    trouble: str = ""

    @property
    def id(self) -> str:
        """The event's id."""
        return str(self.raw["event_id"])

    @property
    def sender(self) -> str:
        """Who sent it."""
        return str(self.raw["sender"])

    @property
    def state_key(self) -> str | None:
        """What part of the room's state it sets, None for a message."""
        return self.raw.get("state_key")

    @property
    def encrypted(self) -> bool:
        """Whether the server saw only ciphertext."""
        return bool(self.raw["type"] == "m.room.encrypted")

    @property
    def redacted(self) -> bool:
        """Whether the server has blanked it."""
        return "redacted_because" in self.raw.get("unsigned", {})

    @property
    def body(self) -> str:
        """Its text, of an edit the new one."""
        return str(self.content.get("m.new_content", self.content).get("body", ""))

    @property
    def html(self) -> str:
        """Its formatted text, of an edit the new one."""
        return str(self.content.get("m.new_content", self.content).get("formatted_body", ""))

    @property
    def kind(self) -> str:
        """The type of a message: m.text, m.notice, m.image and so on."""
        return str(self.content.get("msgtype", ""))

    @property
    def mentions(self) -> list[str]:
        """Whom it is meant to notify."""
        return list(self.content.get("m.mentions", {}).get("user_ids", ()))

    @property
    def thread(self) -> str:
        """The root of the thread that it stands in, '' outside of threads."""
        return self._related("m.thread")

    @property
    def replaces(self) -> str:
        """The message that it is an edit of, '' for none."""
        return self._related("m.replace")

    @property
    def reaction(self) -> tuple[str, str] | None:
        """The event that it reacts to, and with what."""
        target = self._related("m.annotation")
        return (target, str(self._relation["key"])) if target else None

    @property
    def answers(self) -> str:
        """The message that it is a reply to, '' for none; the filler that threads have for old clients is none."""
        if self._relation.get("is_falling_back"):
            return ""
        return str(self._relation.get("m.in_reply_to", {}).get("event_id", ""))

    @property
    def _relation(self) -> dict[str, Any]:
        # It stands outside of the ciphertext, for the server to see.
        return dict(self.content.get("m.relates_to") or self.raw["content"].get("m.relates_to") or {})

    def _related(self, how: str) -> str:
        return str(self._relation["event_id"]) if self._relation.get("rel_type") == how else ""
