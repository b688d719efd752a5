"""`lyra web`: opens the memory page, and serves it until stopped if no other process does."""

import sys
import webbrowser
from collections.abc import Mapping

from bot.app import App, open_app
from bot.cli.output import has_screen
from bot.errors import LyraError
from bot.printing import note
from bot.service.awake import page_lock
from bot.service.deadline import until_ended
from bot.service.process_lifecycle import minutely
from bot.talk import talking
from bot.web.serving import BrowserPlatform, link, missing_extras, served_at, serving
from localization.sentences import _


async def web(as_: str, *, opens: bool) -> None:
    """Print a link that opens the page once, and try to open it; serve the page if no other process does."""
    if (why := missing_extras()) is not None:
        raise LyraError(why)
    async with open_app() as app:
        lock = page_lock(app.base.environment.home)
        if not lock.take():
            address = await served_at(app)
            if not address:
                raise LyraError("The process that serves the memory page does not say where. End it, and try again.")
            _tell(await link(app, address, as_), app.base.environment.variables, opens=opens)
            return
        try:
            await _serve(app, as_, BrowserPlatform.of(app), opens=opens)
        finally:
            lock.release()


async def _serve(app: App, as_: str, browsing: BrowserPlatform, *, opens: bool) -> None:
    async with (
        until_ended(app.memory.db.hurry) as stop,
        talking(app, {browsing.browser.platform: browsing.browser}) as talk,
        serving(app, talk, browsing) as address,
        minutely([talk.tick]),
    ):
        _tell(await link(app, address, as_), app.base.environment.variables, opens=opens)
        note(_("Lyra serves this page until Ctrl-C. The link works once, within ten minutes."))
        await stop.wait()


def _tell(address: str, variables: Mapping[str, str], *, opens: bool) -> None:
    print(address, flush=True)
    # A text browser would take over the terminal.
    if opens and has_screen(variables) and sys.stdout.isatty() and not webbrowser.open(address):
        note(_("No browser could be opened; copy the link into one."))
