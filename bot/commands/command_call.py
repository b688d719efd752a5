"""What a command call comes with: its text, the message that it answers or names, its place, and how its caller is asked back."""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from adapters.command_table import Call, Surface
from adapters.events import MenuCall, Message, Person
from bot.delivery.links import configured
from bot.delivery.outgoing import Outgoing
from bot.delivery.urls import addresses

_ID = re.compile(r"[a-z2-7]{6,26}")
"""A public id in base 32, or the beginning of one."""


def call_text(event: Message | MenuCall) -> str:
    """Return the text with which a person called a command: links in it may appear in the answer."""
    return event.text if isinstance(event, Message) else "\n".join(map(str, event.arguments.values()))


def replied_to(message: Message) -> Message | None:
    """Return the message that a message answers, or None."""
    quoted = message.quoted
    if quoted is None:
        return None
    person = Person(message.place.platform, quoted.person, quoted.speaker)
    return Message(
        quoted.id,
        message.place,
        person,
        quoted.text,
        quoted.said_at,
        attachments=quoted.attachments,
        forwards=quoted.forwards,
        hidden=quoted.hidden,
    )


def source_id(what: str) -> str:
    """Return the platform's message id from an id or a link, '' for neither."""
    if what.startswith("$"):
        return what
    last = unquote(what.partition("?")[0].rstrip("/").rpartition("/")[2])
    if what.startswith("matrix:"):
        return f"${last}"
    return last if last.startswith("$") or last.isdigit() else ""


def may_be_id(what: str) -> bool:
    """Return whether words could be the id of a message, or a link to it, rather than what it is about."""
    return bool(source_id(what) or _ID.fullmatch(what))


def named_message(call: Call) -> str:
    """Return the id of the message that a call names by its id or link, or answers; '' for neither."""
    named = str(call.arguments.get("message", ""))
    return source_id(named) or named or (call.target.id if call.target else "")


@dataclass(frozen=True, slots=True)
class GatedConfirmation:
    """Asks the caller to confirm, through the exit gate like everything sent.

    `written` is what the person wrote, `owner` whether they are the operator.
    """

    surface: Surface
    outgoing: Outgoing
    platform: str
    written: str
    owner: bool

    async def confirm(self, question: str) -> bool:
        """Ask the person; return whether the answer was yes."""
        links = addresses(self.written) | configured(question, owner=self.owner)
        return await self.surface.confirm(await self.outgoing.composer.displayable(self.platform, question, links))

    def enter(self, thread: str, name: str) -> bool:
        """Switch to another conversation of this person; False if the place has only one."""
        return self.surface.enter(thread, name)
