"""Forgetting by topic and time: a preview by tier first, and nothing beyond it is forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.command_table import Call, Reply
from bot.commands.group import plain
from bot.commands.texts import receipts
from bot.context.spans import told
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.errors import BadInput
from localization.sentences import _, lazy, ngettext
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.values import Window
from memory.types import MINUTE, Forgotten, Identity
from memory.view.selecting import Selection, together
from memory.view.view import View

SHOWN = "shown"
"""The argument that confirms what was shown."""
TOLD = ("about", "since", "until")
_SHORT = 100
_EACH, _MOST = 5, 1_500
_LASTS = 10 * MINUTE


def span(since: str, until: str, now: int, time_zone: str) -> Window | None:
    """Return the window from the start of one given time to the end of another; None if neither is given. Raises BadInput."""
    if not (since or until):
        return None
    begins = _told(since, now, time_zone).start if since else EARLIEST
    ends = _told(until, now, time_zone).end if until else LATEST
    if begins >= ends:
        raise BadInput(lazy("{since} comes after {until}.", since=since, until=until))
    return Window(begins, ends)


def _told(text: str, now: int, time_zone: str) -> Window:
    found = told(text, now, time_zone)
    if found is None:
        raise BadInput(
            lazy('"{text}" is not a time that I understand; write it like 2026-03-04, 2026-03 or "last March".', text=text)
        )
    return found


def preview(going: Selection, now: int, time_zone: str, each: int) -> list[str]:
    """Return the preview lines: the count per tier, and the beginnings of `each` entries."""
    lines: list[str] = []
    for title, texts in _tiers(going, now, time_zone):
        lines.append(title)
        lines += [f"    {text}" for text in texts[:each]]
        if len(texts) > each:
            lines.append("    " + ngettext("and {n} more", "and {n} more", len(texts) - each))
    if going.elsewhere:
        lines.append(ngettext("{n} reply elsewhere", "{n} replies elsewhere", going.elsewhere))
    if not going.whole:
        lines.append(_("There is more than this; forget it in steps, or name a shorter time."))
    return lines


def _tiers(going: Selection, now: int, time_zone: str) -> list[tuple[str, Sequence[str]]]:
    said = [receipts.short(receipts.said(one, now, time_zone), _SHORT) for one in going.messages]
    replies = [receipts.short(receipts.said(one, now, time_zone), _SHORT) for one in going.replies]
    gists, stated = [receipts.short(one, _SHORT) for one in going.gists], going.stated
    texts = {tier: [receipts.short(one, _SHORT) for one in some] for tier, some in stated.items()}
    n = {tier: len(some) for tier, some in texts.items()}
    found = [
        (receipts.messages(len(said)), said),
        (ngettext("{n} reply", "{n} replies", len(replies)), replies),
        (ngettext("{n} gist or summary", "{n} gists and summaries", len(gists)), gists),
        (ngettext("{n} fact", "{n} facts", n.get("profile", 0)), texts.get("profile", [])),
        (ngettext("{n} paragraph of a month", "{n} paragraphs of months", n.get("era", 0)), texts.get("era", [])),
        (ngettext("{n} line of what goes on", "{n} lines of what goes on", n.get("narrative", 0)), texts.get("narrative", [])),
        (ngettext("{n} thought of mine", "{n} thoughts of mine", n.get("self", 0)), texts.get("self", [])),
        (ngettext("{n} note of the bank", "{n} notes of the bank", n.get("bank", 0)), texts.get("bank", [])),
        (ngettext("{n} wish", "{n} wishes", n.get("manner", 0)), texts.get("manner", [])),
    ]
    return [(title, some) for title, some in found if some]


def nothing() -> str:
    """Return the notice that nothing was found to forget."""
    return _("I keep nothing of that.")


@dataclass(frozen=True, slots=True)
class _Shown:
    going: Sequence[tuple[View, Selection]]
    place: str
    at: int


class SelectedForgetting:
    """Forgets a selection shown to a person, within ten minutes and at the same place."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shown: dict[Identity, _Shown] = {}

    async def run(self, call: Call, there: Sequence[tuple[View, Identity | None]], where: str, sign: str) -> Forgotten | Reply:
        """Return the preview, or the receipt of what was forgotten `there`: everybody's messages or one account's.

        Raises BadInput.
        """
        who, now = Identity(call.person.platform, call.person.id), self._services.clock.now()
        if not any(call.arguments.get(name) for name in TOLD):
            return await self._forget_shown(who, call.place.key, now)
        about, since, until = (str(call.arguments.get(name, "")).strip() for name in TOLD)
        zone = there[0][0].home.time_zone
        within = span(since, until, now, zone)
        found = [(view, await view.selecting.select(about, within, only)) for view, only in there]
        return await self.ask(call, found, where, sign)

    async def ask(self, call: Call, found: Sequence[tuple[View, Selection]], where: str, sign: str) -> Forgotten | Reply:
        """Show what goes and ask for confirmation; return the receipt once confirmed, else the reply."""
        who, now = Identity(call.person.platform, call.person.id), self._services.clock.now()
        going, zone = together([one for _view, one in found]), found[0][0].home.time_zone
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


async def _forget(going: Sequence[tuple[View, Selection]]) -> Forgotten:
    return sum([await view.selecting.forget(one) for view, one in going], Forgotten(0, 0, 0))
