"""`lyra matrix verify`: shows the emoji of a verification where nobody in between can alter them, and asks for the verdict."""

import sys
from datetime import UTC, datetime

from adapters.listener import Notes
from adapters.matrix.verification.attested import OPERATOR, attestations
from adapters.matrix.verification.records import Record, Records
from adapters.matrix.verification.sas_emoji import shown
from bot.app import opened
from bot.cli.output import show
from bot.errors import LyraError
from bot.service.notes import KeptNotes
from bot.service.platforms import matrix_access
from localization.calendar import day
from localization.sentences import _, lazy

_YES, _NO = ("yes", "y", "ja", "j"), ("no", "n", "nein")


async def verify() -> int:
    """Show pending verifications and ask whether they match; without any, print who is verified. Return 0."""
    async with opened() as app:
        notes: Notes = KeptNotes(app.memory.settings, "matrix")
        user = matrix_access(app).user_id
        records = Records(notes, user)
        waiting = [one for one in await records.under_way() if one.emoji]
        for one in waiting:
            await _ask(records, one)
        if not waiting:
            show(
                _("Nothing waits to be compared. Begin in an app, or with her command verify; then call this again."),
                file=sys.stderr,
            )
            for known in (await attestations(notes, user)).values():
                then = day(datetime.fromtimestamp(known.at / 1_000_000, UTC).date())
                by = _("compared here") if known.by == OPERATOR else _("on their word, in the chat")
                show(_("{user}: verified on {day}, {by}", user=known.user, day=then, by=by))
    return 0


async def _ask(records: Records, one: Record) -> None:
    """Show the emoji of a verification, and store the verdict on exactly those shown. Raises LyraError without a verdict."""
    show(_("{user} (device {device}) has to see: {emoji}", user=one.user, device=one.device, emoji=shown(one.emoji)))
    show(
        _("Ask them, on another way than Matrix, or look at the app yourself. The same, in the same order? (yes/no)"),
        file=sys.stderr,
    )
    answer = sys.stdin.readline().strip().casefold()
    if answer not in (*_YES, *_NO):
        raise LyraError(lazy("Nothing was decided; call it again and say yes or no."))
    same = answer in _YES
    await records.say(one, same=same)
    show(_("Lyra finishes it now, if she is awake.") if same else _("Lyra ends it now, if she is awake."), file=sys.stderr)
