"""`lyra chat`: a conversation at this terminal."""

import asyncio
import hashlib
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from adapters.console.console import Console, Origin, Pipe, Screen
from adapters.events import Person
from bot.app import App, opened, until_stopped
from bot.context.prompt import Prompt
from bot.imports import imported
from bot.talk import Talk, talking
from memory.store.locks import FileLock
from memory.text.quantities import ago, counted
from memory.types import Domain
from memory.view.view import View

_HISTORY = 100


async def chat(as_: str, session: str, show_prompt: bool) -> int:
    """Talk until the input ends; return 1 where a line could not be read, else 0."""
    async with opened(greets=True) as app:
        person = Person("console", as_ or app.base.around.user, as_ or app.base.around.user)
        view = await app.view(person.id)
        screen = await _screen(app, view)
        thread = await app.domains.thread(view, session)
        console = Console(screen, person, thread, Origin(app.base.ids.new, app.base.clock.now))
        await _greet(app, view, screen, person)
        async with talking(app, {"console": console}, _layers(screen) if show_prompt else None) as talk:
            with _Alone(app, console) as alone:
                app.maintenance.poke(view.home)
                await _until_stopped(_converse(console, talk, view.home, alone=bool(alone)), talk)
        return 1 if screen.refused else 0


async def _converse(console: Console, talk: Talk, home: Domain, *, alone: bool) -> None:
    if alone:
        await _take_up(console, talk)
        await talk.reflections.say(home, at_hand=True)
    await console.run(talk.listeners[console.platform])


async def _until_stopped(conversation: Coroutine[Any, Any, None], talk: Talk) -> None:
    """Converse until the input ends, or until Ctrl-C: then an answer under way is left, and made at the next start."""
    async with until_stopped() as stop:
        talking_ = asyncio.create_task(conversation)
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((talking_, stopped), return_when=asyncio.FIRST_COMPLETED)
            if not talking_.done():
                await talk.mailboxes.drain(0)
        finally:
            for task in (talking_, stopped):
                task.cancel()
            await asyncio.gather(talking_, stopped, return_exceptions=True)
        with suppress(asyncio.CancelledError):
            talking_.result()


class _Alone:
    """Whether this is the only terminal in its conversation: only then may it take up what another left unanswered."""

    def __init__(self, app: App, console: Console) -> None:
        name = hashlib.blake2b(console.place.key.encode(), digest_size=12).hexdigest()
        self._lock = FileLock(app.base.around.home / "chats" / f"{name}.lock")

    def __enter__(self) -> bool:
        return self._lock.take()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


async def _take_up(console: Console, talk: Talk) -> None:
    """Send what was queued and answer what was asked before the last end, however it came."""
    await talk.outgoing.flush("console", console.place.key)
    await (await talk.mailboxes.recover("console", console.place.key))


async def _screen(app: App, view: View) -> Screen:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Pipe(sys.stdin, sys.stdout, sys.stderr)
    said = await view.messages.last_said(_HISTORY)
    screen: Screen = imported("adapters.console.terminal:Terminal")(said, colour="NO_COLOR" not in app.base.around.variables)
    return screen


async def _greet(app: App, view: View, screen: Screen, person: Person) -> None:
    kept, last = await view.messages.said()
    if kept and not app.base.key_is_new:
        since = ago(last, app.base.clock.now())
        screen.note(f"Welcome back, {person.name}. {counted(kept, 'message')} kept, {since}.")
        return
    where = f"Your words go to {app.models.goes_to}." if app.models.goes_to else "Nothing leaves this machine."
    screen.note(f"Lyra: hello {person.name}. {where}")
    if app.models.chat is None:
        screen.note("No model connected: I keep, find and summarize; /model lets me converse.")
    screen.note("I keep what you tell me until you /forget it.")
    if app.base.key_path is not None:
        screen.note(f"Memory is encrypted; copy this key somewhere safe: {_tilde(app.base.key_path)}")


def _tilde(path: Path) -> str:
    try:
        return f"~/{path.relative_to(Path.home())}"
    except ValueError:
        return str(path)


def _layers(screen: Screen) -> Callable[[Prompt], None]:
    def show(prompt: Prompt) -> None:
        total = sum(layer.tokens for layer in prompt.layers)
        for layer in prompt.layers:
            cut = f", {layer.cut} cut" if layer.cut else ""
            screen.note(f"--- {layer.name}: {layer.tokens} tokens{cut}")
            for piece in layer.shown:
                screen.note(piece)
        screen.note(f"--- in all: {total} tokens")

    return show
