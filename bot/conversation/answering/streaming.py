"""Streaming an answer, as far as it passes the exit gate.

Where messages can be edited, the beginning is sent as a preview part of the outbox, so that after a kill the answer replaces
it; the rest edits that message at the rate the platform allows. On a screen the answer appears word by word. Any failure here
only means that the answer comes as a whole. If the readers of the place change meanwhile, the preview is removed.
"""

import asyncio
from abc import ABC
from collections.abc import Collection
from contextlib import suppress

from adapters.base import Preview
from adapters.command_table import Action
from adapters.errors import SendFailed
from bot.commands.answer_commands import STOP
from bot.conversation.answering.turn_validity import SourceWatch
from bot.conversation.mailbox import Ticket
from bot.conversation.one_turn import Turn
from bot.delivery.exit_gate import word_at
from bot.delivery.links import NO_LINKS
from bot.delivery.outgoing import Outgoing
from localization.sentences import _


class AnswerPreview(Preview, ABC):
    """The preview of an answer, which is told the allowed links and the sources before it shows anything."""

    def __init__(self, platform: str, outgoing: Outgoing) -> None:
        self._platform = platform
        self._outgoing = outgoing
        self._links: Collection[str] = NO_LINKS
        self._source_watch: SourceWatch | None = None
        self._text = ""

    def allow(self, links: Collection[str], source_watch: SourceWatch) -> None:
        """Let these addresses be shown as such, and no others, and nothing once a source is gone."""
        self._links, self._source_watch = links, source_watch


class WordPreview(AnswerPreview):
    """A preview on a screen, where text cannot be changed: it stops before the first word that may not leave unchanged."""

    def __init__(self, preview: Preview, platform: str, outgoing: Outgoing) -> None:
        super().__init__(platform, outgoing)
        self._preview = preview
        self._given = 0
        self._stopped = False

    async def show(self, piece: str) -> None:
        """Show what may be shown by now. Raises SourceGone, because text on a screen cannot be removed."""
        self._text += piece
        if self._stopped:
            return
        begun = self._outgoing.composer.partial_text(self._platform, self._text, self._links)
        word = word_at(self._text, self._given)
        self._stopped = not self._outgoing.composer.can_stream(self._platform, begun[word:], self._links)
        if len(begun) > self._given and not self._stopped:
            if self._source_watch:
                await self._source_watch.require()
            new, self._given = begun[self._given :], len(begun)
            await self._preview.show(new)

    async def drop(self) -> None:
        """Remove what was shown: the answer failed or is regenerated."""
        self._text, self._given, self._stopped = "", 0, False
        await self._preview.drop()

    async def withhold(self) -> None:
        """Show nothing more, with a notice if something was shown."""
        self._text, self._given, self._stopped = "", 0, False
        await self._preview.withhold()


class EditedPreview(AnswerPreview):
    """The preview of one answer, as a message that is edited. It begins once every earlier question is answered."""

    def __init__(self, turn: Turn, ticket: Ticket, outgoing: Outgoing) -> None:
        super().__init__(turn.place.platform, outgoing)
        self._turn = turn
        self._ticket = ticket
        self._actions = (Action(_("Stop"), STOP, ""),)
        self._shown = ""
        self._message_id = ""
        self._key = ""
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def show(self, piece: str) -> None:
        """Show the next piece, soon."""
        self._text += piece
        if self._task is None:
            self._task = asyncio.create_task(self._show_until_stopped())

    async def drop(self) -> None:
        """Start over; what comes next replaces what was shown."""
        self._text = ""

    async def stop(self) -> str:
        """Show nothing more; return the key of the preview that the answer replaces, '' if none was sent."""
        self._stopping.set()
        if self._task is not None:
            await self._task
        with suppress(SendFailed):
            await self._still_readable()
        return self._key

    async def withhold(self) -> None:
        """Show nothing more and remove what is shown, which may contain something removed meanwhile."""
        if await self.stop():
            key, self._key = self._key, ""
            with suppress(SendFailed):
                await self._outgoing.remove_preview(self._platform, self._turn.place.key, key)

    def cancel(self) -> None:
        """Stop, leaving the message as it is."""
        if self._task is not None:
            self._task.cancel()

    async def _show_until_stopped(self) -> None:
        shows = True
        while shows or self._key:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._turn.adapter.edit_seconds):
                    await self._stopping.wait()
                return
            try:
                # It may contain what was changed or removed meanwhile: then the answer comes as a whole, after another check.
                watch = self._source_watch
                shows = await self._still_readable() and shows and not self._turn.watch.gone
                shows = shows and (watch is None or await watch.is_unchanged())
                if shows and self._ticket.is_up:
                    await self._show_once()
            except SendFailed:
                shows = False

    async def _still_readable(self) -> bool:
        """Remove the preview if others can read it now; return whether it remains. Raises SendFailed."""
        turn = self._turn
        if not self._key or await self._outgoing.may_show(turn.place, turn.view):
            return True
        await self._outgoing.remove_preview(self._platform, turn.place.key, self._key)
        self._key = ""
        return False

    async def _show_once(self) -> None:
        turn = self._turn
        part = await self._outgoing.composer.preview(self._platform, self._text, self._links, self._actions)
        if part is None or part.text == self._shown:
            return
        if self._key:
            await self._outgoing.edit_preview(turn.place, self._message_id, part.text, self._actions)
        else:
            self._key = part.key
            await turn.view.preview(turn.session, part, turn.reply_target)
            self._message_id = await self._outgoing.flush(self._platform, turn.place.key, [part])
            if not self._message_id:
                raise SendFailed("The preview did not go out.")
        self._shown = part.text
