"""Removes forgotten words from quotes in messages that still wait for an answer, so that they leave the journal too."""

from collections.abc import Iterable

from bot.context.quoting import quoting_nothing_forgotten
from bot.conversation.inbox_events import quoting, reword
from memory.core import Memory


async def drop_quotes(memory: Memory, platforms: Iterable[str]) -> None:
    """Remove forgotten quotes and forwards from every unanswered message of these platforms."""
    for platform in platforms:
        for message in await quoting(memory.journal, platform):
            bare = await quoting_nothing_forgotten(memory, message)
            if bare != message:
                await reword(memory.journal, bare)
