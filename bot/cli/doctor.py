"""`lyra doctor`: looks at every part, and says what to do where something is wrong."""

import os
import stat
from collections.abc import AsyncIterator, Awaitable, Callable

from bot.app import App, opened
from bot.cli import model_checkup
from bot.cli.checkup import Finding
from bot.config.settings import OFFLINE
from bot.context import persona
from bot.errors import BadSecret, LyraError
from bot.imports import imported
from bot.service.notes import KeptNotes
from bot.service.platforms import matrix_access
from memory.errors import EmbeddingFailed, MemoryFailure
from memory.store.locks import FileLock


async def doctor() -> int:
    """Print a finding a line; return 1 where something has to be done."""
    async with opened() as app:
        findings = [finding async for finding in examine(app)]
    for finding in findings:
        print(f"{'ok ' if finding.sound else '!! '} {finding.sentence}")
    return 0 if all(finding.sound for finding in findings) else 1


async def examine(app: App) -> AsyncIterator[Finding]:
    """Yield what is found of each part, one after the other."""
    around = app.base.around
    config = f"Configuration: {around.config_path}" if around.config_path.exists() else "Configuration: none, every default holds"
    yield Finding(True, f"{config}. Times are told in {app.base.time_zone}.")
    yield _persona(app)
    yield _home(app)
    yield _key(app)
    yield await _memory(app)
    for name in dict.fromkeys([*app.base.settings.chat, *app.base.settings.summary]):
        if name != OFFLINE:
            backend = app.base.settings.models[name]
            yield await model_checkup.checkup(around, name, backend, app.models.learnt.of(backend))
    yield await _meaning(app)
    if app.models.chat is None:
        yield Finding(True, "Model: none. She keeps, finds and summarizes; in a conversation, /model connects one.")
    for finding in [*await _discord(app), *await _matrix(app)]:
        yield finding
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


async def _matrix(app: App) -> list[Finding]:
    if app.base.settings.matrix is None:
        return []
    checkup: Callable[..., Awaitable[list[Finding]]] = imported("bot.cli.matrix_checkup:checkup")
    return await checkup(matrix_access(app), KeptNotes(app.memory.settings, "matrix"))


async def _discord(app: App) -> list[Finding]:
    section = app.base.settings.discord
    if section is None:
        return []
    try:
        token = app.base.around.secret(section.token_env, section.token_file, "The token of [discord]")
    except BadSecret as error:
        return [Finding(False, f"Discord: {error}")]
    checkup: Callable[..., Awaitable[list[Finding]]] = imported("bot.cli.discord_checkup:checkup")
    return await checkup(section, token.get_secret_value() if token else "")


async def _meaning(app: App) -> Finding:
    """Have a word embedded by what serves. Where the local model is not installed, words serve, and nothing is ill."""
    embedder = app.meaning.embedder
    if embedder is None:
        return Finding(True, app.meaning.describe())
    try:
        vectors = await embedder.embed(["kayak"])
    except EmbeddingFailed as error:
        return Finding(False, f"Meaning: {error} Words alone find things meanwhile.")
    return Finding(True, f"Meaning: {app.meaning.what} embeds, {vectors.shape[1]} numbers a text.")
