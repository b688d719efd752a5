"""`lyra dream`: a pass over every domain, once or in a loop."""

import asyncio
import json
import sys

from bot.app import App, open_app
from bot.cli.output import progress_bar
from bot.commands.texts import dream_text, kinds
from bot.dreams.dreaming import DreamPass
from bot.printing import note, show
from bot.service.deadline import unless_stopped, until_stopped
from localization.sentences import _


async def dream(*, forced: bool, loop: float | None, as_json: bool) -> int:
    """Dream every domain once, or until stopped; return 1 if a model was unreachable."""
    async with open_app() as app, until_stopped() as stop:
        failed = await _round(app, stop, forced=forced, as_json=as_json)
        while loop is not None and await unless_stopped(stop, asyncio.sleep(loop, result=True)):
            failed = await _round(app, stop, forced=forced, as_json=as_json)
    return 1 if failed else 0


async def _round(app: App, stop: asyncio.Event, *, forced: bool, as_json: bool) -> bool:
    failed = False
    domains = await app.memory.places.domains()
    for domain in domains:
        if stop.is_set():
            break
        with progress_bar(_("Gone through conversations:")) as progress:
            # A model may take minutes, and what is written by then stays.
            dreamt = await unless_stopped(stop, app.dreams.dream(domain, forced=forced, tell=progress))
        if dreamt is None:
            break
        app.maintenance.embed_soon(domain)
        failed |= bool(dreamt.report and dreamt.report.failed)
        if as_json:
            print(_row(app, dreamt))
        else:
            show(_pass_in_words(dreamt))
        # With --loop the next round may be hours away.
        sys.stdout.flush()
    if not domains:
        note(_("There is nothing to dream about yet. Start a conversation with: lyra chat"))
    return failed


def _row(app: App, dreamt: DreamPass) -> str:
    place = {"domain": app.memory.places.scope(dreamt.domain), "kind": dreamt.domain.ref.kind.value}
    return json.dumps({**place, "platform": dreamt.domain.ref.platform, "report": dreamt.report and dreamt.report.as_json()})


def _pass_in_words(dreamt: DreamPass) -> str:
    head = f"{kinds.place(dreamt.domain.ref)}:"
    if dreamt.report is None:
        return f"{head} {_('another process dreams it just now')}"
    lines = dream_text.render(dreamt.report).splitlines()
    return "\n".join([head, *(f"  {line}" for line in lines)])
