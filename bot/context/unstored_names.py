"""The display names of people in messages that are not stored."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from adapters.base import Adapter
from adapters.events import Person, Place
from adapters.message_parts import Quote
from memory.places.shown_names import NameStanding
from memory.places.shown_names import Person as Account
from memory.text.display_names import LYRA, likeness, untagged
from memory.types import Identity, NameUse
from memory.view.messages import Messages


async def name_of(messages: Messages, adapter: Adapter, place: Place, person: Person) -> str:
    """Return the display name of a person at home."""
    taken = await names_in_use(messages, adapter, place, [person])
    (name,) = await messages.names([(Identity(person.platform, person.id), person.name)], taken)
    return name


async def names_in_use(messages: Messages, adapter: Adapter, place: Place, people: Iterable[Person]) -> Mapping[Account, NameUse]:
    """Return the accounts whose names are new at home, but belong or belonged to somebody else present."""
    accounts = [] if place.is_private else [one for one in dict.fromkeys(people) if one.id]
    named: list[Account] = [(Identity(place.platform, one.id), one.name) for one in accounts]
    return await _borne(await messages.name_standings(named), adapter, place) if named else {}


async def _borne(standing: NameStanding, adapter: Adapter, place: Place) -> Mapping[Account, NameUse]:
    """Return which names other people present have or had.

    Somebody known elsewhere under such a name counts only if present under it, which everybody there can see; somebody who had it
    at this place, or where its readers could know, counts under any name.
    """
    found: dict[Account, NameUse] = {}
    for who, name in dict.fromkeys(standing.people):
        known = standing.namesakes(who, name) if who is not None else None
        if who is not None and known is not None:
            others = [other for other in await adapter.member_names(place, known) if other.id != who.native_id]
            bearers = {other.id for other in others if _is_called(other, name)}
            before = standing.held_before(who, name, {other.id for other in others})
            if before or await _was_given_up(adapter, place, who, name, bearers):
                found[who, name] = NameUse.BEFORE
            elif bearers:
                found[who, name] = NameUse.NOW
    return found


async def _was_given_up(adapter: Adapter, place: Place, who: Identity, name: str, bearers: Collection[str]) -> bool:
    """Return whether somebody else had a name there first and no longer has it, even if they never spoke."""
    earlier = (one for one in await adapter.past_member_names(place) if one.id not in bearers and _is_called(one, name))
    return next((one.id != who.native_id for one in earlier), False)


def _is_called(person: Person, name: str) -> bool:
    return likeness(untagged(person.name)) == likeness(untagged(name))


async def with_display_names(messages: Messages, adapter: Adapter, place: Place, quotes: Sequence[Quote]) -> list[Quote]:
    """Return quotes under their speakers' display names at home; Lyra's own posts are hers."""
    people: list[Account] = [
        (Identity(place.platform, one.person) if one.person else None, one.speaker) for one in quotes if not one.own
    ]
    shown: Mapping[Account, str] = {}
    if people:
        standing = await messages.name_standings(people)
        shown = standing.display_names({} if place.is_private else await _borne(standing, adapter, place))
    names = iter([shown[one] for one in people])
    return [replace(quote, speaker=LYRA if quote.own else next(names)) for quote in quotes]
