"""Rendering of a shared place's notes, each under the time it covers."""

from collections.abc import Sequence
from datetime import date, datetime

from localization.formatting import day, month
from localization.sentences import _
from memory.bank.block import BankEntry, bullet, entries
from memory.text.time import periods
from memory.types import Statement


def render(shown: Sequence[Statement]) -> str:
    """Return the notes, newest first."""
    return "\n".join("\n".join([f"{head(one)}:", *(f"- {bullet(note)}" for note in one.bullets)]) for one in entries(shown))


def head(noted: BankEntry) -> str:
    """Return what a note covers: Conversation of 3 March 2026 at 12:01, Week from 2 March 2026."""
    first = periods.days(noted.period)[0]
    match noted.rung:
        case periods.CONVERSATION:
            began = datetime.fromisoformat(periods.period_label(noted.period))
            return _("Conversation of {day} at {time}", day=day(began), time=f"{began:%H:%M}")
        case periods.DAY:
            return day(first)
        case periods.WEEK:
            return _("Week from {day}", day=day(first))
    return month(date.fromisoformat(f"{noted.period}-01"))
