"""`lyra matrix login`: signs her in, on a web page if the homeserver takes no passwords."""

import asyncio
import sys
import webbrowser

from adapters.matrix.account.account import Account
from bot.app import App
from bot.cli.matrix.account_keys import with_account
from bot.cli.output import show
from localization.sentences import _

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


class AtTerminal:
    """The person at the terminal."""

    def __init__(self, user: str, *, has_screen: bool) -> None:
        self._user, self._has_screen = user, has_screen
        self._lines: asyncio.StreamReader | None = None
        self._opened = ""

    def told(self, address: str, code: str = "") -> None:
        """Show the URL to visit, and open a browser, once, if there is a display."""
        if code:
            self._say(
                _("Open this page in any browser, sign in as {user}, and agree to the code {code}:", user=self._user, code=code)
            )
        else:
            self._say(
                _(
                    "Open this page in a browser, sign in as {user}, and agree. Where the browser is on another machine, paste the "
                    "address here on which it ends:",
                    user=self._user,
                )
            )
        self._say(address)
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

    def _say(self, sentence: str) -> None:
        show(sentence, sys.stderr)


async def login() -> int:
    """Sign her in, and print the account."""

    async def signed_in(account: Account, app: App) -> None:
        section = app.base.settings.matrix
        assert section is not None
        variables = app.base.environment.variables
        has_screen = sys.platform == "darwin" or any(variables.get(name) for name in _SCREENS)
        await account.sign_in(AtTerminal(section.user_id, has_screen=has_screen))
        client = await account.open()
        show(
            _("She is signed in as {user}, device {device}. `lyra run` wakes her.", user=client.user_id, device=client.device_id),
            file=sys.stderr,
        )

    return await with_account(signed_in, opens=False)
