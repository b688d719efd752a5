"""What a place shows beside a message: quotes, and what was said just before; never what Lyra was told to forget."""

from collections.abc import Sequence
from dataclasses import replace

from adapters.events import Place, Quote, Reach
from memory.core import Memory
from memory.view.changing import Shown


async def unforgotten(memory: Memory, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return those quotes that are not forgotten; of Lyra's own, those that rest on nothing that is."""
    shown = [Shown(quote.id, _kept_at(place, quote.id), quote.own, quote.said_at) for quote in quotes]
    withheld = await memory.withheld(place.platform, shown) if shown else set()
    return [quote for quote in quotes if quote.id not in withheld]


def _kept_at(place: Place, id: str) -> list[str]:
    """Return the keys of the places where a message may be kept: a thread begins with a message of its channel or room."""
    threads = (place.thread, "", id) if place.reach is Reach.ROOM else (place.thread, "")
    return [replace(place, thread=thread).key for thread in dict.fromkeys(threads)]
