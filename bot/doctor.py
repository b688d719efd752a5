"""`lyra doctor`: looks at every part, and says what to do where something is wrong."""

import os
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot import persona
from bot.app import App, opened, secret_of
from bot.config import OFFLINE
from bot.errors import LyraError, ModelError
from bot.llm import OpenAIModel, local_models
from bot.model import complete
from memory.errors import MemoryFailure
from memory.locks import FileLock


@dataclass(frozen=True, slots=True)
class Finding:
    """One part looked at: sound or not, and a sentence about it."""

    sound: bool
    sentence: str


async def doctor() -> int:
    """Print a finding a line; return 1 where something has to be done."""
    async with opened() as app:
        findings = [finding async for finding in _examine(app)]
    for finding in findings:
        print(f"{'ok ' if finding.sound else '!! '} {finding.sentence}")
    return 0 if all(finding.sound for finding in findings) else 1


async def _examine(app: App) -> AsyncIterator[Finding]:
    around = app.base.around
    config = f"Configuration: {around.config_path}" if around.config_path.exists() else "Configuration: none, every default holds"
    yield Finding(True, f"{config}. Times are told in {app.base.time_zone}.")
    yield _persona(app)
    yield _home(app)
    yield _key(app)
    yield await _memory(app)
    for name in dict.fromkeys([*app.base.settings.chat, *app.base.settings.summary]):
        if name != OFFLINE:
            yield await _model(app, name)
    for name in app.base.settings.embed:
        yield await _reachable(app, name)
    if app.models.chat is None:
        yield Finding(True, "Model: none. She keeps, finds and summarizes; in a conversation, /model connects one.")
    lock = FileLock(around.home / "run.lock")
    awake = not lock.take()
    lock.release()
    yield Finding(True, "Lyra is awake (`lyra run`)." if awake else "Lyra is not awake; `lyra run` keeps her so.")


def _persona(app: App) -> Finding:
    try:
        text = persona.persona(app.base.settings, app.base.around)
    except LyraError as error:
        return Finding(False, f"Persona: {error}")
    return Finding(bool(text), f"Persona: {app.base.settings.persona or 'the one that comes with Lyra'}.")


def _home(app: App) -> Finding:
    home = app.base.around.home
    free = os.statvfs(home)
    megabytes = free.f_bavail * free.f_frsize // 1_000_000
    enough = megabytes >= 100
    return Finding(
        enough, f"Home: {home}, {megabytes:,} MB free." + ("" if enough else " Free some: under 100 MB is too little.")
    )


def _key(app: App) -> Finding:
    path = app.base.key_path
    if path is None:
        return Finding(True, f"Key: from the environment variable {app.base.settings.key_env}.")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Finding(False, f"Key: others may read {path}. Close it: chmod 600 {path}")
    return Finding(True, f"Key: {path}. Keep a copy elsewhere: without it nobody can read the memory.")


async def _memory(app: App) -> Finding:
    try:
        await app.memory.db.verify()
    except MemoryFailure as error:
        return Finding(False, f"Memory: {error}")
    backlog = await app.memory.backlog()
    parked = await app.memory.journal.parked()
    if parked:
        return Finding(False, f"Memory: sound, but {parked} messages were given up after three tries; the log says why.")
    return Finding(True, f"Memory: {app.base.around.db_path}, sound, {backlog.sessions} conversations.")


async def _model(app: App, name: str) -> Finding:
    backend = app.base.settings.models[name]
    try:
        key = secret_of(app.base.around, backend, name)
        model = OpenAIModel(name, backend.base_url, backend.model, key, 20.0, 8, tries=1)
        try:
            await complete(model, [{"role": "user", "content": "Say ok."}])
        finally:
            await model.close()
    except (ModelError, LyraError) as error:
        return Finding(False, f"Model {name}: {error}")
    return Finding(True, f"Model {name}: {backend.model} answers at {backend.base_url}.")


async def _reachable(app: App, name: str) -> Finding:
    backend = app.base.settings.models[name]
    found = await local_models(backend.base_url)
    if not found:
        return Finding(False, f"Vectors {name}: nothing answers at {backend.base_url}. Words alone find things meanwhile.")
    return Finding(True, f"Vectors {name}: {backend.base_url} answers.")
