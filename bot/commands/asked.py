"""What a command was called with and about, beside its arguments."""

from dataclasses import replace

from adapters.command_table import Reply
from adapters.events import Asked, Message, Person, Place
from localization.sentences import _


def written(event: Message | Asked) -> str:
    """Return what a person wrote to call a command: its answer may show the links that are in it."""
    return event.text if isinstance(event, Message) else "\n".join(map(str, event.arguments.values()))


def answered(message: Message) -> Message | None:
    """Return what a message answers, as a message of its own."""
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
    """Return an answer that is read elsewhere than it was asked."""
    return replace(reply, text=_('{text}\n(This is about "{name}".)', text=reply.text, name=place.name))
