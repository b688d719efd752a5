"""Forgetting what was selected by topic or time: it is shown first, and nothing beyond it is forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adapters.command_table import Call, Reply
from bot.commands.group import caller, plain
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from bot.rights.forget_preview import nothing, preview, span
from localization.sentences import _, lazy
from memory.types import MINUTE, Forgotten, Identity
from memory.view.selecting import Selection, together
from memory.view.view import View

SHOWN = "shown"
"""The argument that confirms what was shown."""
SELECTORS = ("about", "since", "until")
"""The arguments that select."""
_EACH, _MOST = 5, 1_500
_LASTS = 10 * MINUTE


class ForgettingScope(NamedTuple):
    """A view in which a person may forget, and whose messages: those of an account, None for everybody's."""

    view: View
    only: Identity | None


class Selected(NamedTuple):
    """What is to be forgotten in one view."""

    view: View
    selection: Selection


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was shown to a person as going, at which place, and when (microseconds UTC)."""

    going: Sequence[Selected]
    place: str
    at: int


class SelectedForgetting:
    """Forgets a selection shown to a person, within ten minutes and at the same place."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shown: dict[Identity, _Shown] = {}

    async def run(self, call: Call, scopes: Sequence[ForgettingScope], where: str, sign: str) -> Forgotten | Reply:
        """Return the preview, or the receipt of what was forgotten in these scopes.

        Raises BadInput.
        """
        who, now = caller(call), self._services.clock.now()
        if not any(call.arguments.get(name) for name in SELECTORS):
            return await self._forget_shown(who, call.place.key, now)
        about, since, until = (str(call.arguments.get(name, "")).strip() for name in SELECTORS)
        zone = scopes[0].view.home.time_zone
        within = span(since, until, now, zone)
        found = [Selected(view, await view.selecting.select(about, within, only)) for view, only in scopes]
        return await self.ask(call, found, where, sign)

    async def ask(self, call: Call, found: Sequence[Selected], where: str, sign: str) -> Forgotten | Reply:
        """Show what goes and ask for confirmation; return the receipt once confirmed, else the reply."""
        who, now = caller(call), self._services.clock.now()
        going, zone = together([one.selection for one in found]), found[0].view.home.time_zone
        if not going.messages:
            return plain(nothing())
        lines = preview(going, now, zone, _EACH)
        text = "\n".join([_("This will be gone for good:"), *lines])[:_MOST]
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


async def _forget(going: Sequence[Selected]) -> Forgotten:
    return sum([await view.selecting.forget(selection) for view, selection in going], Forgotten(0, 0, 0))
