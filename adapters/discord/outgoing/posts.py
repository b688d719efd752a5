"""Messages in channels, threads and DMs: posted under a nonce, edited, deleted.

Parts whose fate is unknown are looked for in the channel's history.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import discord

from adapters.base import Sending
from adapters.command_table import STOP, Card
from adapters.discord.access.channels import ThreadStarts
from adapters.discord.failures import NO_HISTORY, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, passing_over
from adapters.discord.interactions.buttons import pressed, view
from adapters.errors import SendFailed
from adapters.events import split_key
from adapters.posting import REPEAT, PostedKeys
from localization.current_language import LANGUAGES
from localization.sentences import lazy

_SMALL = "-# "
"""Markup of a small line before a text, such as `REPEAT`."""

_MOST = 500
_SLACK = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class PostSearch:
    """The result of a search for an own message: its id, '' if it was not found; `sure` means the whole history was read."""

    found: str = ""
    sure: bool = True


async def arrived(channel: discord.PartialMessageable, me: int, sending: Sending) -> PostSearch:
    """Look for a part by its full text."""
    return await _search(channel, sending, lambda one: one.author.id == me and _says(one, sending) and _belongs(one, sending))


async def find_shown(channel: discord.PartialMessageable, me: int, sending: Sending, *, above: bool) -> PostSearch:
    """Look for the last first part that answers the same message, whatever its text.

    The answered message may stand `above` the answer's thread, so that the answer cannot reference it: then it is her only
    message there that can still be stopped.
    """
    return await _search(channel, sending, lambda one: one.author.id == me and _answers(one, sending, above=above))


async def _search(channel: discord.PartialMessageable, sending: Sending, fits: Callable[[discord.Message], bool]) -> PostSearch:
    after, found, read = _start(sending), "", 0
    if not after:
        return PostSearch(sure=False)
    async for message in channel.history(limit=_MOST, after=discord.Object(after), oldest_first=True):
        read += 1
        if fits(message):
            found = str(message.id)
    if found:
        return PostSearch(found)
    return PostSearch(sure=read < _MOST if read else await _readable(channel, after))


def _start(sending: Sending) -> int:
    if sending.answers.isdecimal():
        return int(sending.answers)
    # `since` comes from another clock than Discord's.
    return sending.since and discord.utils.time_snowflake(datetime.fromtimestamp(sending.since / 1_000_000, UTC) - _SLACK)


async def _readable(channel: discord.PartialMessageable, message: int) -> bool:
    # Without the permission to read it, a history is empty, while a single message is refused.
    try:
        await channel.fetch_message(message)
    except discord.NotFound:
        return True
    except discord.Forbidden:
        return False
    return True


def _says(message: discord.Message, sending: Sending) -> bool:
    # Discord strips whitespace from what is sent.
    if sending.cards:
        return [one.description or "" for one in message.embeds] == [card.text.strip() for card in sending.cards]
    said = message.embeds[0].description or "" if sending.reflection and message.embeds else message.content
    marks = [(with_mark(THOUGHT.read_in(code), ""), with_mark(REPEAT.read_in(code), "")) for code in LANGUAGES]
    unmarked = {said.removeprefix(thought).removeprefix(repeat).strip() for thought, repeat in marks}
    return any(sending.text.removeprefix(repeat).strip() in unmarked for _, repeat in marks)


def with_mark(mark: str, text: str) -> str:
    """Return a text below a mark in small print."""
    return f"{_SMALL}{mark}\n{text}"


def _belongs(message: discord.Message, sending: Sending) -> bool:
    if not sending.answers.isdecimal():
        return True
    return _told(message) in (("", sending.answers) if sending.first else ("",))


def _answers(message: discord.Message, sending: Sending, *, above: bool) -> bool:
    told = _told(message)
    return told == sending.answers or (not told and above and _is_being_made(message))


def _is_being_made(message: discord.Message) -> bool:
    """Return whether a message shows an unfinished answer, which its readers can stop."""
    buttons = [child for row in message.components if isinstance(row, discord.ActionRow) for child in row.children]
    called = [pressed(child.custom_id or "") for child in buttons if isinstance(child, discord.Button)]
    return any(call and call[0] == STOP for call in called)


async def _found(client: discord.Client, channel: int) -> object:
    if known := client.get_channel(channel):
        return known
    try:
        return await client.fetch_channel(channel)
    except discord.NotFound:
        return None


def _told(message: discord.Message) -> str:
    reference = message.reference
    return str(reference.message_id) if reference is not None and reference.message_id is not None else ""


UNNAMED = lazy("Conversation")
_LOCKED = lazy("The thread is closed and locked; only those who manage threads can rename it.")
THOUGHT = lazy("A thought of mine, said unasked")
_NONCE_WINDOW = 3 * 60 * 1_000_000


def nonce(key: str) -> str:
    """Return the 24 characters under which Discord accepts a part only once, for some minutes."""
    return base64.b32encode(hashlib.sha256(key.encode()).digest()[:15]).decode()


class Posts:
    """Lyra's own messages in channels; `posted` records them. Raises what discord.py and its connection raise."""

    def __init__(self, client: discord.Client, now: Callable[[], int], starts: ThreadStarts, posted: PostedKeys) -> None:
        self._client = client
        self._now = now
        self._starts = starts
        self._posted = posted

    async def send(self, sending: Sending) -> str:
        if sending.unsure:
            search = await arrived(self._channel(sending), self._me, sending)
            if search.found:
                return search.found
            if not search.sure and self._now() - sending.since >= _NONCE_WINDOW:
                sending = replace(sending, text=with_mark(str(REPEAT), sending.text))
        return await self._post(sending)

    async def edit(self, sending: Sending) -> str:
        target = sending.target or await self._find_shown(sending)
        if target:
            message = self._channel(sending).get_partial_message(int(target))
            with passing_over(UNKNOWN_MESSAGE):
                await message.edit(
                    **self._shown_as(sending), view=view(sending.actions), allowed_mentions=self._mentions(sending)
                )
                return target
        # A deleted message keeps its nonce for a while: under the same one nothing new would be posted.
        return await self.send(replace(sending, key=f"edit {sending.key}"))

    async def offer(self, sending: Sending) -> str:
        if sending.target:
            with passing_over(UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                await self._channel(sending).get_partial_message(int(sending.target)).edit(view=view(sending.actions))
        return sending.target

    async def unname(self, sending: Sending) -> str:
        """Rename a place's thread to a neutral title, if Lyra opened it and it still exists."""
        thread = await _found(self._client, self._channel(sending).id)
        if isinstance(thread, discord.Thread) and thread.owner_id == self._me:
            if thread.archived and thread.locked and not thread.permissions_for(thread.guild.me).manage_threads:
                raise SendFailed(_LOCKED, barred=True)
            # Discord does not rename archived threads.
            if thread.archived:
                await thread.edit(name=str(UNNAMED), archived=False)
                await thread.edit(archived=True)
            else:
                await thread.edit(name=str(UNNAMED))
        return ""

    async def delete(self, sending: Sending) -> str:
        target = sending.target or await self._find_shown(sending)
        if target:
            with passing_over(UNKNOWN_MESSAGE, UNKNOWN_CHANNEL):
                await self._channel(sending).get_partial_message(int(target)).delete()
        return target

    async def _find_shown(self, sending: Sending) -> str:
        if not sending.first or not sending.answers.isdecimal():
            return ""
        return (await find_shown(self._channel(sending), self._me, sending, above=self._stands_above(sending))).found

    async def _post(self, sending: Sending) -> str:
        channel, reference = self._channel(sending), self._reference(sending)
        if reference is not None:
            with passing_over(NO_HISTORY):
                return await self._say(channel, sending, reference)
        return await self._say(channel, sending, None)

    async def _say(
        self, channel: discord.PartialMessageable, sending: Sending, reference: discord.MessageReference | None
    ) -> str:
        more: dict[str, Any] = {"reference": reference} if reference else {}
        if buttons := view(sending.actions):
            more["view"] = buttons
        mentions = self._mentions(sending)
        shown = self._shown_as(sending)
        if shown.keys() == {"content"}:
            more["suppress_embeds"] = True
        if sending.files:
            more["files"] = attached(sending)
        self._posted.add(self._nonce(sending))
        said = await channel.send(**shown, nonce=self._nonce(sending), allowed_mentions=mentions, **more)
        return str(said.id)

    def _shown_as(self, sending: Sending) -> dict[str, Any]:
        """Return a part as message arguments: a thought in a marked embed, cards in one each, anything else as text."""
        if sending.cards:
            return {"content": "", "embeds": embeds(sending.cards)}
        if not sending.reflection:
            return {"content": sending.text}
        if not self._may_embed(sending):
            return {"content": with_mark(str(THOUGHT), sending.text)}
        embed = discord.Embed(description=sending.text, colour=discord.Colour.blurple())
        return {"embed": embed.set_footer(text=str(THOUGHT))}

    def _may_embed(self, sending: Sending) -> bool:
        """Return whether she may post embeds at a place, as far as is known: Discord refuses a message that has nothing else."""
        server, parent, _ = split_key(sending.place)
        guild = self._client.get_guild(int(server)) if server else None
        channel = guild.get_channel(int(parent)) if guild is not None and guild.me is not None else None
        return guild is None or channel is None or channel.permissions_for(guild.me).embed_links

    def _nonce(self, sending: Sending) -> str:
        return nonce(sending.key)

    def _mentions(self, sending: Sending) -> discord.AllowedMentions:
        server, _, _ = split_key(sending.place)
        return discord.AllowedMentions(everyone=False, users=False, roles=False, replied_user=bool(server))

    def _reference(self, sending: Sending) -> discord.MessageReference | None:
        if not sending.first or not sending.answers.isdecimal() or self._stands_above(sending):
            return None
        return discord.MessageReference(
            message_id=int(sending.answers), channel_id=self._channel(sending).id, fail_if_not_exists=False
        )

    def _stands_above(self, sending: Sending) -> bool:
        """Return whether the answered message stands above the answer's thread, where nothing can reference it."""
        return self._starts.stands_above(self._client, sending.place, sending.answers)

    def _channel(self, sending: Sending) -> discord.PartialMessageable:
        server, channel, thread = split_key(sending.place)
        return self._client.get_partial_messageable(int(thread or channel), guild_id=int(server) if server else None)

    @property
    def _me(self) -> int:
        return self._client.user.id if self._client.user is not None else 0


def attached(sending: Sending) -> list[discord.File]:
    """Return a part's files as discord.py takes them."""
    return [discord.File(BytesIO(one.data), one.name) for one in sending.files]


def embeds(cards: Sequence[Card]) -> list[discord.Embed]:
    """Return cards as embeds: the title links to a message, the note is the footer."""
    shown = [discord.Embed(title=one.title or None, url=one.link or None, description=one.text or None) for one in cards]
    for embed, card in zip(shown, cards, strict=True):
        if card.note:
            embed.set_footer(text=card.note)
    return shown
