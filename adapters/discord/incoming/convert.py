"""Conversion of Discord's people, messages and reactions. Ids decide; names are for reading only."""

import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import discord

from adapters.command_table import OFFERS, TAKEN_BACK, without_presentation
from adapters.display import CALL_END, clean, line
from adapters.events import MenuCall, Message, Person, Place, Unreadable
from adapters.message_parts import Attachment, Forward, Quote
from localization.sentences import lazy

PLATFORM = "discord"
UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised over data of a shape that nobody knows."""

T = TypeVar("T")

log = logging.getLogger(__name__)

_UNREAD = lazy("Here I can read only what mentions me. Mention me with @ in your message, and I answer it.")
_OWN_NAME = "Lyra"
_SPOKEN = frozenset(
    {
        discord.MessageType.default,
        discord.MessageType.reply,
        discord.MessageType.chat_input_command,
        discord.MessageType.context_menu_command,
    }
)
_MARKS = re.compile(
    r"<@!?(?P<user>\d+)>|<@&(?P<role>\d+)>|<#(?P<channel>\d+)>|<a?(?P<emoji>:\w+:)\d+>|<(?P<command>/[^:>]+):\d+>|<t:(?P<time>-?\d{1,12})(?::\w)?>"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def person(user: discord.abc.User) -> Person:
    """Return a person under their display name in that place: one line, at most 64 characters, never empty."""
    return Person(PLATFORM, str(user.id), line(user.display_name) or line(user.name) or str(user.id))


def names(member: discord.Member) -> list[Person]:
    """Return a member once for each name that others see: nickname, global name and username."""
    known = dict.fromkeys(line(one) for one in (member.nick, member.global_name, member.name) if one)
    return [Person(PLATFORM, str(member.id), one) for one in known if one]


def said_at(snowflake: int) -> int:
    """Return when a snowflake was generated, in microseconds UTC."""
    return ((snowflake >> 22) + discord.utils.DISCORD_EPOCH) * 1000


def as_far_as_legible(message: discord.Message, read: Callable[[discord.Message], T]) -> T | None:
    """Return what is read of a message, of its words alone if what they come with is none that Discord describes; None for nothing."""
    for _ in range(2):
        try:
            return read(message)
        except UNREADABLE as error:
            log.warning("A message on Discord could not be read whole (%s).", type(error).__name__)
            message.message_snapshots, message.stickers, message.attachments = [], [], []
            message.poll = message.reference = None
    return None


def spoken(message: discord.Message) -> bool:
    """Return whether somebody said this, unlike Discord's own notices of a join, a pin, a boost or the like."""
    return message.type in _SPOKEN


def machine(message: discord.Message) -> bool:
    """Return whether a bot or a webhook said this."""
    return message.author.bot or message.webhook_id is not None


def is_heard(message: discord.Message, me: discord.ClientUser, bots: Collection[str]) -> bool:
    """Return whether somebody else said this, and no machine but one of these bots and webhooks."""
    if message.author.id == me.id or not spoken(message):
        return False
    return not machine(message) or speaker(message).id in bots


def is_always_readable(message: discord.Message, me: discord.ClientUser) -> bool:
    """Return whether Discord shows this to a bot that may not read every message."""
    return message.guild is None or bool(message.content) or any(one.id == me.id for one in message.mentions)


def speaker(message: discord.Message) -> Person:
    """Return who said this; a webhook has its own id."""
    shown = person(message.author)
    return Person(PLATFORM, str(message.webhook_id), shown.name) if message.webhook_id else shown


def message(message: discord.Message, place: Place, me: discord.ClientUser) -> Message:
    """Convert a message said at a place."""
    answered = _answered(message)
    return Message(
        str(message.id),
        place,
        speaker(message),
        text(message, me),
        said_at(message.id),
        addressed=addressed(message, me),
        machine=machine(message),
        quoted=quote(answered, me) if answered is not None else None,
        attachments=attachments(message),
        forwards=forwards(message),
    )


def unreadable(message: discord.Message, place: Place, me: discord.ClientUser) -> Unreadable:
    """Return the event for a message whose words Discord does not show her."""
    asks = not machine(message) and addressed(message, me)
    return Unreadable(str(message.id), place, speaker(message), _UNREAD, addressed=asks, once=True)


def edited_at(message: discord.Message) -> int:
    """Return when a message was last edited, in microseconds UTC, 0 for never."""
    return round(message.edited_at.timestamp() * 1_000_000) if message.edited_at else 0


def quote(message: discord.Message, me: discord.ClientUser) -> Quote:
    """Convert a message shown as context for another."""
    who = speaker(message)
    own = message.author.id == me.id
    words, edited, passed_on = text(message, me), edited_at(message), forwards(message)
    return Quote(
        str(message.id), who.name, words, said_at(message.id), own=own, person=who.id, forwards=passed_on, edited_at=edited
    )


def forwards(message: discord.Message) -> tuple[Forward, ...]:
    """Return a message's forwards, with the ids of the message they copy."""
    source = message.reference
    if source is None or source.message_id is None:
        return ()
    ids = str(source.message_id), str(source.guild_id or ""), str(source.channel_id)
    return tuple(
        Forward(*ids, _forwarded(one, message), tuple(str(file.id) for file in one.attachments), said_at(source.message_id))
        for one in message.message_snapshots
    )


def attachments(message: discord.Message) -> tuple[Attachment, ...]:
    """Return a message's attachments, forwarded ones included."""
    return tuple(_attachment(one) for one in files(message))


def files(message: discord.Message) -> Iterator[discord.Attachment]:
    """Yield a message's files, then those of what it forwards."""
    yield from message.attachments
    for one in message.message_snapshots:
        yield from one.attachments


def addressed(message: discord.Message, me: discord.ClientUser) -> bool:
    """Return whether this is for Lyra: in a DM, a mention of her or her role, a reply to her, or in a thread of hers.

    Threads of hers are those she opened or joined.
    """
    if message.guild is None and isinstance(message.channel, discord.DMChannel):
        return True
    if any(one.id == me.id for one in message.mentions):
        return True
    role = _own_role(message)
    if role is not None and role in message.role_mentions:
        return True
    answered = _answered(message)
    if answered is not None and answered.author.id == me.id:
        return True
    thread = message.channel
    return isinstance(thread, discord.Thread) and (thread.owner_id == me.id or thread.me is not None)


def pressed(payload: discord.RawReactionActionEvent, place: Place, me: int, who: discord.User | None, at: int) -> MenuCall | None:
    """Return the command that adding or removing one of her signs calls; None for any other reaction, or under others' messages.

    `who` is the person reacting, if known and not a member here; `at` is now, in microseconds UTC.
    """
    added = payload.event_type == "REACTION_ADD"
    command = (OFFERS if added else TAKEN_BACK).get(without_presentation(payload.emoji.name or ""))
    # For a removed one Discord does not tell the message's author.
    if command is None or payload.user_id == me or (added and payload.message_author_id != me):
        return None
    member = payload.member
    if member is not None and member.bot:
        return None
    known = member or who
    caller = person(known) if known else Person(PLATFORM, str(payload.user_id), "")
    rights = member.guild_permissions if member else discord.Permissions.none()
    hers = Message(str(payload.message_id), place, Person(PLATFORM, str(me), ""), "", said_at(payload.message_id))
    return MenuCall(
        f"{payload.event_type}:{payload.message_id}:{payload.user_id}:{command}:{at}", place, caller, at, command, {}, "",
        private=False, admin=rights.manage_guild or rights.administrator, target=hers, quiet=True,
    )  # fmt: skip


def text(message: discord.Message, me: discord.ClientUser) -> str:
    """Return what was said, as people read it: names for ids, and in brackets what is not text."""
    lines = [_read(_without_call(message, me), message)]
    lines += [_forwarded(one, message) for one in message.message_snapshots]
    lines += [f"[sticker: {line(one.name)}]" for one in message.stickers]
    if message.poll is not None:
        answers = " / ".join(line(one.text or str(one.emoji or "")) for one in message.poll.answers)
        lines.append(f"[poll: {line(message.poll.question or '', 300)}: {answers}]")
    return "\n".join(one for one in lines if one)


def _forwarded(one: discord.MessageSnapshot, message: discord.Message) -> str:
    return f"[forwarded] {_read(one.content, message)}".rstrip()


def _without_call(message: discord.Message, me: discord.ClientUser) -> str:
    role = _own_role(message)
    own = re.compile(rf"<@!?{me.id}>" if role is None else rf"<@!?{me.id}>|<@&{role.id}>")
    said = re.sub(rf"\A\s*(?:(?:{own.pattern})(?:{CALL_END})?\s*)+", "", message.content)
    return own.sub(_OWN_NAME, without_trailing_mentions(said, own))


def without_trailing_mentions(said: str, own: re.Pattern[str]) -> str:
    """Return what was said without her mentions at its end, and what is between them; single pass."""
    whole, end = len(said), len(said)
    for mention in reversed([*own.finditer(said)]):
        between = said[mention.end() : end]
        if (between if end == whole else between.replace(",", " ")).strip():
            break
        end = mention.start()
    while 0 < end < whole and (said[end - 1].isspace() or said[end - 1] == ","):
        end -= 1
    return said[:end]


def _read(content: str, message: discord.Message) -> str:
    people = {one.id: one.display_name for one in message.mentions}
    shown = _MARKS.sub(lambda mark: _shown(mark, message.guild, people), content)
    return clean(shown).strip()


def _shown(mark: re.Match[str], guild: discord.Guild | None, people: Mapping[int, str]) -> str:
    kind, value = mark.lastgroup, mark[mark.lastgroup or 0]
    match kind:
        case "user":
            return "@" + (line(people.get(int(value), "")) or "someone")
        case "role":
            role = guild and guild.get_role(int(value))
            return "@" + (line(role.name) if role else "role")
        case "channel":
            channel = guild and guild.get_channel_or_thread(int(value))
            return "#" + (line(channel.name, 100) if channel else "channel")
        case "time":
            return _time(int(value)) or mark[0]
    return value


def _time(seconds: int) -> str:
    try:
        return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M UTC")
    except OverflowError:
        return ""


def _answered(message: discord.Message) -> discord.Message | None:
    reference = message.reference
    if reference is None or message.type is not discord.MessageType.reply:
        return None
    return reference.resolved if isinstance(reference.resolved, discord.Message) else None


def _own_role(message: discord.Message) -> discord.Role | None:
    return message.guild.self_role if message.guild else None


def _attachment(file: discord.Attachment) -> Attachment:
    kind = (file.content_type or "").partition(";")[0].strip().lower()
    return Attachment(str(file.id), line(file.filename, 200) or str(file.id), kind, file.size, line(file.description or "", 1024))
