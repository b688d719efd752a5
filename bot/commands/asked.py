"""The context of a command call besides its arguments: its text, the message it answers, its place."""

from dataclasses import replace

from adapters.command_table import Reply
from adapters.events import Asked, Message, Person, Place
from localization.sentences import _


def written(event: Message | Asked) -> str:
    """Return the text with which a person called a command: links in it may appear in the answer."""
    return event.text if isinstance(event, Message) else "\n".join(map(str, event.arguments.values()))


def answered(message: Message) -> Message | None:
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


def about(place: Place, reply: Reply) -> Reply:
    """Return an answer with its place named, for reading elsewhere."""
    return replace(reply, text=_('{text}\n(This is about "{name}".)', text=reply.text, name=place.name))
