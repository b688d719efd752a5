"""Under which names people are shown in a place whose words are not kept there."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.events import Person, Place, Quote
from memory.text.display_names import LYRA, likeness, untagged
from memory.types import Identity
from memory.view.messages import Messages


async def name_of(messages: Messages, adapter: Adapter, place: Place, person: Person) -> str:
    """Return the name under which a person is shown at home."""
    taken = await borne(messages, adapter, place, [person])
    (name,) = await messages.names([(Identity(person.platform, person.id), person.name)], taken)
    return name


async def borne(messages: Messages, adapter: Adapter, place: Place, people: Iterable[Person]) -> set[str]:
    """Return those names of people that nobody has at home yet, and that somebody else who is present is called by.

    Who is known elsewhere under such a name counts only as far as they are present under it, which all can see there.
    """
    found: set[str] = set()
    for one in () if place.is_private else dict.fromkeys(people):
        if one.id and await messages.is_free(one.name):
            known = await messages.namesakes(Identity(place.platform, one.id), one.name)
            others = [other.name for other in await adapter.called(place, known) if other.id != one.id]
            if likeness(untagged(one.name)) in {likeness(untagged(other)) for other in others}:
                found.add(one.name)
    return found


async def as_shown(messages: Messages, adapter: Adapter, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes under the names that their speakers have at home; her own words are Lyra's."""
    people = [(Identity(place.platform, one.person) if one.person else None, one.speaker) for one in quotes]
    others = [Person(place.platform, one.person, one.speaker) for one in quotes if not one.own]
    taken = await borne(messages, adapter, place, others)
    names = await messages.names([one for one, quote in zip(people, quotes, strict=True) if not quote.own], taken)
    told = iter(names)
    return [replace(quote, speaker=LYRA if quote.own else next(told)) for quote in quotes]
