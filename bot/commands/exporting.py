"""Everything somebody may take with them: each message, as a line to import again or to read."""

from collections.abc import AsyncIterator

from bot.commands.texts import receipts
from memory.text.time.times import local
from memory.transfer.jsonl import line
from memory.view.view import View


async def exported(view: View, *, as_text: bool) -> AsyncIterator[str]:
    """Yield every message at home as one line, in the order it was kept: JSON that imports again, or text."""
    zone = view.home.time_zone
    async for session, e in view.messages.all():
        if as_text:
            yield f"[{receipts.short(session)}] {local(e.said_at, zone):%Y-%m-%d %H:%M} {receipts.short(e.speaker)}: {e.text}"
        else:
            yield line(session, e.role, e.speaker, e.text, e.said_at, e.source_id, zone, echo=e.echo)
