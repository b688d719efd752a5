"""Under which names people are shown in a place whose words are not kept there."""

from collections.abc import Sequence
from dataclasses import replace

from adapters.events import Person, Quote
from memory.text.display_names import LYRA
from memory.types import Identity
from memory.view.messages import Messages


async def name_of(messages: Messages, person: Person) -> str:
    """Return the name under which a person is shown at home."""
    (name,) = await messages.names([(Identity(person.platform, person.id), person.name)])
    return name


async def as_shown(messages: Messages, platform: str, quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes under the names that their speakers have at home; her own words are Lyra's."""
    people = [(Identity(platform, one.person) if one.person else None, one.speaker) for one in quotes]
    names = await messages.names([one for one, quote in zip(people, quotes, strict=True) if not quote.own])
    told = iter(names)
    return [replace(quote, speaker=LYRA if quote.own else next(told)) for quote in quotes]
