"""What waits for its answer quotes nothing that was forgotten meanwhile: those words leave the journal as well."""

from collections.abc import Iterable

from bot.context.quoting import quoting_nothing_forgotten
from bot.conversation.heard import quoting, reword
from memory.core import Memory


async def drop_quotes(memory: Memory, platforms: Iterable[str]) -> None:
    """Take out of every message of these platforms that waits for its answer what it quotes or forwards of what is forgotten."""
    for platform in platforms:
        for message in await quoting(memory.journal, platform):
            bare = await quoting_nothing_forgotten(memory, message)
            if bare != message:
                await reword(memory.journal, bare)
