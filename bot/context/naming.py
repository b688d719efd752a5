"""Under which names people are shown in a place whose words are not kept there."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.events import Person, Place, Quote
from memory.places.shown_names import Person as Account
from memory.places.shown_names import Standing
from memory.text.display_names import LYRA, likeness, untagged
from memory.types import Borne, Identity
from memory.view.messages import Messages


async def name_of(messages: Messages, adapter: Adapter, place: Place, person: Person) -> str:
    """Return the name under which a person is shown at home."""
    taken = await borne(messages, adapter, place, [person])
    (name,) = await messages.names([(Identity(person.platform, person.id), person.name)], taken)
    return name


async def borne(messages: Messages, adapter: Adapter, place: Place, people: Iterable[Person]) -> Mapping[Account, Borne]:
    """Return those accounts with names that nobody has at home yet, and that somebody else who is present bears, or bore before."""
    accounts = [] if place.is_private else [one for one in dict.fromkeys(people) if one.id]
    named: list[Account] = [(Identity(place.platform, one.id), one.name) for one in accounts]
    return await _borne(await messages.standing(named), adapter, place) if named else {}


async def _borne(standing: Standing, adapter: Adapter, place: Place) -> Mapping[Account, Borne]:
    """Return which names others who are present bear or bore.

    Who is known elsewhere under such a name counts only as far as they are present under it, which all can see there; who bore it
    where its readers could know, or at this place, is present under any.
    """
    found: dict[Account, Borne] = {}
    for who, name in dict.fromkeys(standing.people):
        known = standing.namesakes(who, name) if who is not None else None
        if who is not None and known is not None:
            others = [other for other in await adapter.called(place, known) if other.id != who.native_id]
            bearers = {other.id for other in others if _is_called(other, name)}
            before = standing.held_before(who, name, {other.id for other in others})
            if before or await _was_given_up(adapter, place, who, name, bearers):
                found[who, name] = Borne.BEFORE
            elif bearers:
                found[who, name] = Borne.NOW
    return found


async def _was_given_up(adapter: Adapter, place: Place, who: Identity, name: str, bearers: Collection[str]) -> bool:
    """Say whether the first who bore a name there, and is not among its bearers now, is somebody else, be it that they never spoke."""
    earlier = (one for one in await adapter.bore(place) if one.id not in bearers and _is_called(one, name))
    return next((one.id != who.native_id for one in earlier), False)


def _is_called(person: Person, name: str) -> bool:
    return likeness(untagged(person.name)) == likeness(untagged(name))


async def as_shown(messages: Messages, adapter: Adapter, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes under the names that their speakers have at home; her own words are Lyra's."""
    people: list[Account] = [
        (Identity(place.platform, one.person) if one.person else None, one.speaker) for one in quotes if not one.own
    ]
    shown: Mapping[Account, str] = {}
    if people:
        standing = await messages.standing(people)
        shown = standing.shown({} if place.is_private else await _borne(standing, adapter, place))
    told = iter([shown[one] for one in people])
    return [replace(quote, speaker=LYRA if quote.own else next(told)) for quote in quotes]
