"""Forgetting by topic and time: a preview by tier first, and nothing beyond it is forgotten."""

from collections.abc import Sequence

from adapters.markup import abridged
from bot.commands.texts import receipts
from bot.context.time_windows import parse_window
from bot.errors import BadInput
from localization.sentences import _, ngettext
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.values import Window
from memory.view.selecting import Selection

_SHORT = 100


def span(since: str, until: str, now: int, time_zone: str) -> Window | None:
    """Return the window from the start of one given time to the end of another; None if neither is given. Raises BadInput."""
    if not (since or until):
        return None
    begins = _parse_time(since, now, time_zone).start if since else EARLIEST
    ends = _parse_time(until, now, time_zone).end if until else LATEST
    if begins >= ends:
        raise BadInput("{since} comes after {until}.", since=since, until=until)
    return Window(begins, ends)


def _parse_time(text: str, now: int, time_zone: str) -> Window:
    found = parse_window(text, now, time_zone)
    if found is None:
        raise BadInput(
            '"{text}" is not a time that I understand; write it like 2026-03-04, 2026-03 or "last March".', text=abridged(text)
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
    if not going.complete:
        lines.append(_("There is more than this; forget it in steps, or name a shorter time."))
    return lines


def _tiers(going: Selection, now: int, time_zone: str) -> list[tuple[str, Sequence[str]]]:
    messages = [receipts.one_line(receipts.message_line(one, now, time_zone), _SHORT) for one in going.messages]
    replies = [receipts.one_line(receipts.message_line(one, now, time_zone), _SHORT) for one in going.replies]
    gists, stated = [receipts.one_line(one, _SHORT) for one in going.gists], going.stated
    texts = {tier: [receipts.one_line(one, _SHORT) for one in some] for tier, some in stated.items()}
    n = {tier: len(some) for tier, some in texts.items()}
    found = [
        (receipts.message_count(len(messages)), messages),
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


def nothing_found() -> str:
    """Return the notice that nothing was found to forget."""
    return _("I keep nothing of that.")
