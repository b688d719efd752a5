"""Names of conversations: the words of a forgotten message are never kept or shown as one."""

import re

from localization.sentences import _
from memory.forget import tombstones
from memory.journal.thread_names import is_removal_due
from memory.store.database import Transaction
from memory.store.lineage import Seal, bound, placeholders
from memory.tiers.messages import words
from memory.types import MOST_NAME, Domain, SessionRef

_NUMBERED = re.compile(r" \(\d+\)$")
_AT_ONCE = 20


def display_title(name: str, public_id: str) -> str:
    """Return a session's displayed name; an unnamed session has its public id as its name."""
    return _("unnamed conversation") if name == public_id else name


async def usable_title(tx: Transaction, seal: Seal, domain: Domain, ref: SessionRef, name: str, session: int = 0) -> str:
    """Return a name for a session, shortened, and numbered if another session has it; '' if it must not be kept.

    That is the words of a forgotten message, in any spelling, and what the thread still bears but is about to lose.
    """
    if not name or await tombstones.among(tx, words.names(seal, domain.ref, name)):
        return ""
    if await is_removal_due(tx.everywhere, ref.platform, ref.place):
        return ""
    first = 1
    while True:
        numbered = [_numbered(name, number) for number in range(first, first + _AT_ONCE)]
        rows = await tx.all(
            f"SELECT name FROM sessions WHERE domain = :domain AND id <> :but AND name IN ({placeholders('n', numbered)})",
            {"domain": domain.key, "but": session, **bound("n", numbered)},
        )
        taken = {row["name"] for row in rows}
        if free := [one for one in numbered if one not in taken]:
            return free[0]
        first += _AT_ONCE


def _numbered(name: str, number: int) -> str:
    # With its number: what is longer is refused wherever a name is given, so also by an import of what was exported.
    end = f" ({number})" if number > 1 else ""
    most = MOST_NAME - len(end)
    return f"{name}{end}" if len(name) <= most else f"{name[: most - 1]}…{end}"


async def named_after_forgotten(tx: Transaction, seal: Seal, domain: Domain) -> list[int]:
    """Return the sessions whose names are the words of forgotten messages."""
    rows = await tx.all("SELECT id, name FROM sessions WHERE domain = :domain AND name <> public_id", {"domain": domain.key})
    called = {row["id"]: words.names(seal, domain.ref, _NUMBERED.sub("", row["name"])) for row in rows}
    forgotten = await tombstones.among(tx, [name for names in called.values() for name in names])
    return [key for key, names in called.items() if not forgotten.isdisjoint(names)]
