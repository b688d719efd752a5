"""A look at what was said at a place lately: summed up for whoever asked, and kept nowhere."""

import asyncio
from collections.abc import Sequence

from adapters.events import Quote
from bot.models.chains import Models
from bot.service.log import log
from memory.derive.drafting import chunks, sound
from memory.errors import WriterFailed, WriterRefused
from memory.ports import Source, Task
from memory.text.times import iso


async def glance(quotes: Sequence[Quote], models: Models, time_zone: str, most_characters: int) -> str:
    """Return the gist of messages, a paragraph for each `most_characters` of them; extracted where no model answers."""
    sources = [Source(f"m{at}", q.speaker, iso(q.said_at, time_zone), q.text) for at, q in enumerate(quotes, start=1)]
    tasks = [Task("gist", tuple(chunk)) for chunk in chunks(sources, most_characters)]
    return "\n\n".join([await _written(task, models) for task in tasks])


async def _written(task: Task, models: Models) -> str:
    for writer in (models.writer, models.extractive):
        try:
            good, _ = await asyncio.to_thread(sound, await writer.write(task), task.sources)
            if good:
                return " ".join(entry.text for entry in good)
        except (WriterFailed, WriterRefused) as error:
            log.info("glance.extracted", why=type(error).__name__)
    return ""
