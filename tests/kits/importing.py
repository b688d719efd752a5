"""Files of messages, imported into a memory as `lyra import` does."""

import io
import json
from collections.abc import Sequence
from typing import Any

from memory.tiers.messages import storing
from memory.transfer.jsonl import read_jsonl
from memory.transfer.message import Incoming
from memory.types import Imported, Kind, NewExchange, SessionRef
from tests.kits.memory_kit import START, Corner

CHAT = ["tea?", "ok", "thanks", "the safe opens with quixotic-77", "ok"]
OTHER = ["now?", "ok", "thanks"]
SECRET = CHAT[3]


def lines(texts: Sequence[str], zone: str = "UTC", **more: Any) -> list[Incoming]:
    """Read a file with these messages, which "ada" imports; `id` numbers them."""
    rows = [{"content": text, **more, **({"id": n} if "id" in more else {})} for n, text in enumerate(texts)]
    read = read_jsonl(io.BytesIO("\n".join(json.dumps(row) for row in rows).encode()), zone, "ada")
    return [line for line in read if isinstance(line, Incoming)]


async def imported(
    here: Corner, name: str, given: Sequence[Incoming], *, before: bool = False, placed: bool = False
) -> storing.StoringOutcome:
    """Import messages from a file of a name, as `lyra import` does, or as it did before it knew them from any file.

    With `placed`, that is the name of a conversation that was asked for.
    """
    session = await here.view.sessions.get(SessionRef("console", name), name)
    new = [
        NewExchange(
            Kind.SAID, line.content, _first(line) if before else line.source_id, line.created_at or START, line.speaker or "Ada",
            imported=Imported(placed=placed) if before else Imported(line.origin, line.former, placed, line.timed),
        )
        for line in given
    ]  # fmt: skip
    return await here.view.say(session, new)


def _first(line: Incoming) -> str:
    """Return the id that the first versions gave to a line."""
    given = line.former[0].first
    return given[0] if given else line.source_id


async def texts(here: Corner) -> list[str]:
    """Return every message that is kept."""
    return [message.text async for _, message in here.view.messages.all()]


async def forget(here: Corner, text: str) -> None:
    """Forget a message by its words."""
    (id_,) = [message.id async for _, message in here.view.messages.all() if message.text == text]
    await here.view.forget_message(id_)
