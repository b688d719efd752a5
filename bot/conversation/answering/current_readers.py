"""Who reads the place of a turn now: they may be others than those it was begun for."""

from contextlib import suppress

from adapters.base import Adapter
from adapters.errors import PlaceGone, PlaceHidden
from adapters.events import Place
from bot.conversation.domain_access import DomainAccess
from bot.conversation.one_turn import Turn
from bot.errors import PlaceUnknown
from localization.sentences import lazy
from memory.errors import SourceGone


def have_same_readers(one: Place, other: Place) -> bool:
    """Return whether two states of a place are read by the same people."""
    return (one.reach, one.circle) == (other.reach, other.circle)


async def current(adapter: Adapter, place: Place) -> Place | None:
    """Return the current state of a place, None if it is gone. Raises PlaceUnknown."""
    try:
        now = await adapter.locate(place)
    except PlaceHidden:
        now = None
    except PlaceGone:
        return None
    if now is None:
        raise PlaceUnknown(lazy("Who can read this place is not known just now; what was said is kept, and answered when it is."))
    return now


async def require_readers(domains: DomainAccess, turn: Turn) -> None:
    """Raise SourceGone if somebody reads the place now who could not read every source of a turn.

    That includes the asker: what they can read elsewhere is checked again.
    """
    if not turn.view.others:
        return
    home = turn.view.home.key
    with suppress(PlaceGone):
        place = await turn.adapter.locate(turn.place)
        if place and not turn.view.others_of_place:
            now = await domains.view(place, turn.person, turn.adapter)
            if now.home.key == home and not turn.view.others <= now.others:
                raise SourceGone(lazy("The person who asked cannot read everything any more that this answer was made from."))
            return
        # An answer written for entirely different readers is stored for them, and the exit does not send it.
        if (
            place
            and not await domains.has_same_readers(place, home, turn.view.others_of_place, turn.adapter)
            and await domains.has_same_readers(place, home)
        ):
            raise SourceGone(lazy("Who can read this place changed while the answer was made."))
