"""/forget about:TOPIC since:TIME until:TIME: what goes is shown, and goes once whoever asked agrees."""

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.command_table import Call, Reply
from bot.commands.group import plain
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from bot.rights.forgetting import nothing, preview, span
from localization.sentences import _, lazy
from memory.types import MINUTE, Forgotten, Identity
from memory.view.selecting import Selection, together
from memory.view.view import View

SHOWN = "shown"
"""What is said to forget what was shown."""
TOLD = ("about", "since", "until")
_EACH, _MOST = 5, 1_500
_LASTS = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class _Shown:
    going: Sequence[tuple[View, Selection]]
    place: str
    at: int


class SelectedForgetting:
    """Forgets what was shown to a person, for ten minutes, at the place where it was."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shown: dict[Identity, _Shown] = {}

    async def run(self, call: Call, there: Sequence[tuple[View, Identity | None]], where: str, sign: str) -> Forgotten | Reply:
        """Return what is to be said, or the receipt of what was forgotten `there`, of everybody's or of one account's.

        Raises BadInput.
        """
        who, now = Identity(call.person.platform, call.person.id), self._services.clock.now()
        if not any(call.arguments.get(name) for name in TOLD):
            return await self._forget_shown(who, call.place.key, now)
        about, since, until = (str(call.arguments.get(name, "")).strip() for name in TOLD)
        zone = there[0][0].home.time_zone
        within = span(since, until, now, zone)
        found = [(view, await view.selecting.select(about, within, only)) for view, only in there]
        going = together([one for _view, one in found])
        if not going.messages:
            return plain(nothing())
        lines = preview(going, now, zone, _EACH)
        text = "\n".join([_("This goes, for good:"), *lines])[:_MOST]
        shows = frozenset(one.key for one in (*going.messages, *going.replies))
        if call.surface is not None:
            if await call.surface.confirm(f"{text}\n{_('Forget this for good?')}"):
                return await _forget(found)
            return plain(_("Nothing was forgotten."))
        self._shown[who] = _Shown(found, call.place.key, now)
        command = f"{sign}forget {SHOWN}"
        then = _("If it shall, say{where} within ten minutes: {command}", where=where, command=command)
        return Reply(f"{text}\n{then}", NO_LINKS, shows=shows)

    async def _forget_shown(self, who: Identity, place: str, now: int) -> Forgotten:
        shown = self._shown.pop(who, None)
        if shown is None or shown.place != place or now - shown.at > _LASTS:
            raise BadInput(lazy("Nothing was shown to you here in the last ten minutes; ask for it again."))
        return await _forget(shown.going)


async def _forget(going: Sequence[tuple[View, Selection]]) -> Forgotten:
    return sum([await view.selecting.forget(one) for view, one in going], Forgotten(0, 0, 0))
