"""`lyra matrix …`: her account on Matrix, for the operator: signed in, on a web page where the homeserver takes no passwords;
its keys; and those of others, compared where nobody in between can alter them.

Each command but that requires that nothing else uses her keys.
"""

import asyncio
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.account import Account
from adapters.matrix.homeserver import said_once
from adapters.matrix.verification.records import OPERATOR, Records, VerificationRecord, attestations
from adapters.matrix.verification.sas import emoji_line
from bot.app import App, open_app
from bot.cli.output import has_screen, read_answer
from bot.errors import LyraError
from bot.printing import note, show
from bot.service.awake import run_lock
from bot.service.platforms import KeptNotes, matrix_access
from localization.formatting import day
from localization.sentences import _, lazy
from localization.yes_or_no import NO, YES


class AtTerminal:
    """The person at the terminal."""

    def __init__(self, user: str, *, has_screen: bool) -> None:
        self._user, self._has_screen = user, has_screen
        self._lines: asyncio.StreamReader | None = None
        self._opened = ""

    def show_address(self, address: str, code: str = "") -> None:
        """Show the URL to visit, and open a browser, once, if there is a display."""
        if code:
            note(_("Open this page in any browser, sign in as {user}, and agree to the code {code}:", user=self._user, code=code))
        else:
            note(
                _(
                    "Open this page in a browser, sign in as {user}, and agree. Where the browser is on another machine, paste the "
                    "address here on which it ends:",
                    user=self._user,
                )
            )
        note(address)
        if self._has_screen and sys.stderr.isatty() and address != self._opened:
            self._opened = address
            webbrowser.open(address)

    async def typed(self) -> str:
        """Return a line typed by the person; wait forever once the input has ended."""
        if self._lines is None:
            self._lines = lines = asyncio.StreamReader()
            try:
                await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
            except (OSError, ValueError):
                lines.feed_eof()
        line = await self._lines.readline()
        if not line:
            await asyncio.Event().wait()
        return line.decode(errors="replace")


async def login() -> None:
    """Sign her in, and print the account."""
    async with _account(opens=False) as (account, app):
        section = app.base.settings.matrix
        assert section is not None
        await account.sign_in(AtTerminal(section.user_id, has_screen=has_screen(app.base.environment.variables)))
        client = await account.open()
        note(
            _("She is signed in as {user}, device {device}. `lyra run` wakes her.", user=client.user_id, device=client.device_id)
        )


async def recovery_key() -> None:
    """Print the recovery key with which the owner's other clients can verify her."""
    async with _account() as (account, _app):
        note(_("Sign in to her account in another client with this recovery key to verify her; keep it secret."))
        print(await account.recovery_key())


async def replace_identity() -> None:
    """Replace a cross-signing identity whose keys she does not have."""
    async with _account() as (account, app):
        await account.replace_identity(matrix_access(app).password)


async def verify() -> None:
    """Show pending verifications and ask whether they match; without any, print who is verified."""
    async with open_app() as app:
        notes: Notes = KeptNotes(app.memory.settings, "matrix")
        user = matrix_access(app).user_id
        records = Records(notes, user)
        waiting = [one for one in await records.under_way() if one.emoji]
        for one in waiting:
            await _ask(records, one)
        if not waiting:
            note(_("Nothing waits to be compared. Begin in an app, or with her command verify; then call this again."))
            for known in (await attestations(notes, user)).values():
                date = day(datetime.fromtimestamp(known.at / 1_000_000, UTC).date())
                by = _("compared here") if known.by == OPERATOR else _("on their word, in the chat")
                show(_("{user}: verified on {day}, {by}", user=known.user, day=date, by=by))


@asynccontextmanager
async def _account(*, opens: bool = True) -> AsyncIterator[tuple[Account, App]]:
    """Yield her account, signed in first if it `opens`, and the app; print notices for the operator at the end."""
    async with open_app() as app:
        lock = run_lock(app.base.environment.home)
        lock.require(lazy("Lyra is awake, and her keys are in use. End `lyra run` first."))
        access = matrix_access(app)
        account = Account(access, app.base.environment.home / "matrix", KeptNotes(app.memory.settings, "matrix"))
        try:
            if opens:
                await account.open()
            yield account, app
            for sentence in account.said:
                note(sentence)
        except PlatformFailure as failure:
            raise LyraError(said_once(failure, access.homeserver)) from None
        finally:
            await account.close()
            lock.release()


async def _ask(records: Records, one: VerificationRecord) -> None:
    """Show the emoji of a verification, and store the verdict on exactly those shown. Raises LyraError without a verdict."""
    show(_("{user} (device {device}) has to see: {emoji}", user=one.user, device=one.device, emoji=emoji_line(one.emoji)))
    question = _("Ask them, on another way than Matrix, or look at the app yourself. The same, in the same order? (yes/no)")
    answer = read_answer(question).strip().casefold()
    if answer not in YES | NO:
        raise LyraError("Nothing was decided; call it again and say yes or no.")
    same = answer in YES
    await records.say(one, same=same)
    note(_("Lyra finishes it now, if she is awake.") if same else _("Lyra ends it now, if she is awake."))
