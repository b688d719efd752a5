"""`lyra chat`: a conversation at this terminal."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

from adapters.console.console import Console, Origin, Screen
from adapters.console.pipe import Pipe
from adapters.events import Person, Place
from bot.app import App, key_notice, open_app
from bot.cli.output import home_relative
from bot.commands.texts.receipts import since
from bot.context.prompt import Prompt
from bot.conversation.conversation_lock import SoleProcess
from bot.imports import imported
from bot.printing import note, note_wait
from bot.service.deadline import until_stopped
from bot.service.refused_accounts import refused_platforms
from bot.talk import Talk, talking
from localization.sentences import _, ngettext, told
from memory.errors import MemoryFailure
from memory.types import Domain
from memory.view.view import View

_HISTORY = 100


async def chat(as_: str, session: str, show_prompt: bool) -> int:
    """Run a conversation until the input ends; return 1 if a line could not be read, or not be answered on a full disk, else 0.

    Piped, a conversation that a signal ended has an exit code of 128 and the signal's number, as with any other filter.
    """
    screens: list[Screen] = []
    async with open_app(greets=True, tell_wait=lambda: note_wait(screens[0].note if screens else note)) as app:
        person = Person("console", as_ or app.base.environment.user, as_ or app.base.environment.user)
        view = await app.view(person.id)
        screen = await _screen(app, view)
        screens.append(screen)
        thread = await app.domains.thread_of(view, session)
        console = Console(screen, person, thread, Origin(app.base.ids.new, app.base.clock.now), session)
        await _greet(app, view, screen, person)
        for platform, why in (await refused_platforms(app.memory.settings, app.base.settings)).items():
            screen.note(_("I am not on {platform} any more. {why}", platform=platform.capitalize(), why=why))
        async with talking(app, {"console": console}, _layers(screen) if show_prompt else None) as talk:
            talk.mailboxes.on_left = partial(_say_left, screen)
            with SoleProcess(app.base.environment.home, console.place.key) as alone:
                app.maintenance.poke(view.home)
                signalled = await _until_stopped(_converse(console, talk, view.home, alone=alone), console, talk)
        return 128 + signalled if signalled and not screen.prefix else 1 if screen.refused else 0


def _say_left(screen: Screen, _place: Place, error: MemoryFailure) -> None:
    """Say why a message was not answered, which is kept and answered at the next start."""
    screen.note(told(error))
    screen.refused += 1


async def _converse(console: Console, talk: Talk, home: Domain, *, alone: bool) -> None:
    if alone:
        await talk.resume_place(console.platform, console.place.key)
        await talk.reflections.say(home, at_hand=True)
    await console.run(talk.listeners[console.platform])


async def _until_stopped(conversation: Coroutine[Any, Any, None], console: Console, talk: Talk) -> int:
    """Converse until the input ends or the process is stopped: an unfinished answer is then made at the next start.

    At a terminal, Ctrl-C only stops the answer in progress. Returns the signal that stopped the process, 0 for none.
    """
    signalled = 0
    async with until_stopped() as stop:

        def end(number: int) -> None:
            nonlocal signalled
            if (
                number == signal.SIGINT
                and console.screen.prefix
                and talk.running_answers.stop(console.platform, console.place.key)
            ):
                return
            signalled = number
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, end, number)
        talking_ = asyncio.create_task(conversation)
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((talking_, stopped), return_when=asyncio.FIRST_COMPLETED)
            if talking_.done():
                signalled = 0
            else:
                await talk.mailboxes.drain(0)
        finally:
            for task in (talking_, stopped):
                task.cancel()
            await asyncio.gather(talking_, stopped, return_exceptions=True)
        with suppress(asyncio.CancelledError):
            talking_.result()
    return signalled


async def _screen(app: App, view: View) -> Screen:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # A file object of its own: the interpreter aborts at its end while a thread waits for a line of its standard input.
        return Pipe(os.fdopen(sys.stdin.fileno(), "rb", closefd=False), sys.stdout, sys.stderr)

    async def names() -> list[str]:
        return [session.name for session in await view.sessions.all()]

    said, variables = await view.messages.last_said(_HISTORY), app.base.environment.variables
    colour = "NO_COLOR" not in variables and variables.get("TERM") != "dumb"
    screen: Screen = imported("adapters.console.terminal:Terminal")(said, names, colour=colour)
    return screen


async def _greet(app: App, view: View, screen: Screen, person: Person) -> None:
    kept, last = await view.messages.count_said()
    if kept and not app.base.key_is_new:
        back = ngettext(
            "Welcome back, {name}. {n} message kept, {ago}.",
            "Welcome back, {name}. {n} messages kept, {ago}.",
            kept,
            name=person.name,
            ago=since(last, app.base.clock.now()),
        )
        screen.note(f"{back}{_leaving(screen)}")
        return
    where = (
        _("Your words go to {goes_to}.", goes_to=app.models.goes_to) if app.models.goes_to
        else _("Your words are kept in {address}.", address=app.memory.address) if app.memory.address
        else _("Nothing leaves this machine.")
    )  # fmt: skip
    screen.note(_("Lyra: hello {name}. {where}", name=person.name, where=where))
    if app.models.chat is None:
        screen.note(_("No model connected: I keep, find and summarize. /model connects one."))
    screen.note(f"{_('I keep what you tell me until you /forget it.')}{_leaving(screen)}")
    if app.base.key_path is not None:
        screen.note(key_notice(home_relative(app.base.key_path), app.base.settings))


def _leaving(screen: Screen) -> str:
    return f" {_('/help shows what I can do, /quit leaves.')}" if screen.prefix else ""


def _layers(screen: Screen) -> Callable[[Prompt], None]:
    def show(prompt: Prompt) -> None:
        total = sum(layer.tokens for layer in prompt.layers)
        for layer in prompt.layers:
            cut = _(", {n} cut", n=layer.cut) if layer.cut else ""
            screen.note(_("--- {layer}: {n} tokens{cut}", layer=_(layer.name), n=layer.tokens, cut=cut))
            for piece in layer.shown:
                screen.note(piece)
        screen.note(_("--- in all: {n} tokens", n=total))

    return show
