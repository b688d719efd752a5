"""`lyra doctor`: checks every part, even if another fails, and says what to do about each problem."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, aclosing, suppress
from functools import partial
from shlex import quote

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from bot.app import App, open_app, secret_of
from bot.cli.checkups import Finding, memory_checkup, model_checkup
from bot.cli.output import system_failure
from bot.config.environment import Environment, read_environment
from bot.config.sections import Backend
from bot.config.settings import OFFLINE, Settings, load, local_zone
from bot.context.persona import Persona
from bot.errors import BadConfig, BadSecret, LyraError
from bot.imports import imported
from bot.models.embedders import EmbedderChoice, choose_embedder
from bot.models.endpoints.backend_facts import BackendFacts
from bot.printing import note, show
from bot.service.awake import is_awake, run_lock
from bot.service.log import log
from bot.service.platforms import KeptNotes, NoNotes
from localization.numerals import number
from localization.sentences import _, told
from memory.errors import EmbeddingFailed, MemoryFailure

_FAULTS = (LyraError, MemoryFailure, PlatformFailure, OSError)
# Seconds after which the user is told which part is still being checked.
_PATIENCE = 2.0


Part = tuple[str, Callable[[], Awaitable[list[Finding]]]]
"""A part's name, and its check."""


async def doctor() -> int:
    """Print each finding on a line as it is made; return 1 if something needs attention."""
    sound = True
    # If output breaks off, everything opened is closed before the loop ends.
    async with aclosing(_all()) as findings:
        async for finding in findings:
            show(f"{'ok ' if finding.sound else '!! '} {finding.sentence}")
            sys.stdout.flush()
            sound = sound and finding.sound
    return 0 if sound else 1


async def _all() -> AsyncGenerator[Finding]:
    """Check everything; if the configuration or the memory is broken, check all the rest."""
    environment = read_environment()
    try:
        settings = load(environment)
    except BadConfig as error:
        yield Finding(False, _("Configuration: {error}", error=told(error)))
        for part in _without_configuration(environment):
            for finding in await _findings_of(*part):
                yield finding
        yield Finding(False, _("Everything else has to wait for the configuration."))
        return
    app: App | None = None
    async with AsyncExitStack() as stack:

        async def opening() -> list[Finding]:
            nonlocal app
            # What the configuration names but is missing is reported by the check of its own part.
            with suppress(BadConfig, BadSecret):
                app = await stack.enter_async_context(open_app())
            return []

        closed = await _findings_of(_("Memory"), opening)
        memory = [] if app else await _findings_of(_("Memory"), partial(memory_checkup.alone, environment, settings))
        for finding in closed or memory if all(finding.sound for finding in memory) else memory:
            yield finding
        async with aclosing(examine(environment, settings, app, _waiting)) as findings:
            async for finding in findings:
                yield finding


def _waiting(part: str) -> None:
    """Tell the user on standard error which part is being waited for; standard output holds findings alone."""
    note(_("{part}: no answer yet; waiting …", part=part))
    sys.stderr.flush()


async def examine(
    environment: Environment, settings: Settings, app: App | None, waiting: Callable[[str], None] = lambda _part: None
) -> AsyncGenerator[Finding]:
    """Yield the findings of each part of a home, one after another; `app` is None if it could not be opened.

    `waiting` is called with the name of a part that takes long.
    """
    config = (
        _("Configuration: {path}.", path=environment.config_path)
        if environment.config_path.exists()
        else _("Configuration: none, so everything is at its default.")
    )
    yield Finding(True, f"{config} {_('Times are shown in {zone}.', zone=local_zone(settings))}")
    models = [name for name in dict.fromkeys([*settings.chat, *settings.summary]) if name != OFFLINE]
    parts: list[Part] = [
        (_("Persona"), partial(_persona, environment, settings, app)),
        (_("Home"), partial(_home, environment)),
        (_("Key"), partial(_key, environment, settings)),
        (_("Secret"), partial(_secrets, environment, settings)),
        (_("Memory"), partial(_memory, environment, app)),
        *[(_("Model {name}", name=name), partial(_model, environment, settings.models[name], name, app)) for name in models],
        (_("Meaning"), partial(_meaning, environment, settings, app)),
        (_("Model"), partial(_unconnected, settings, app)),
        *[(name.capitalize(), partial(_platform, name, environment, settings, app)) for name in settings.platforms],
        ("Lyra", partial(_awake, environment)),
    ]
    for name, check in parts:
        reminder = asyncio.get_running_loop().call_later(_PATIENCE, waiting, name)
        try:
            findings = await _findings_of(name, check)
        finally:
            reminder.cancel()
        for finding in findings:
            yield finding


async def _findings_of(name: str, check: Callable[[], Awaitable[list[Finding]]]) -> list[Finding]:
    """Return the findings of a part; any failure becomes a finding, so that the other parts are checked."""
    try:
        return await check()
    except _FAULTS as error:
        sentence = system_failure(error) if isinstance(error, OSError) else told(error)
        return [Finding(False, f"{name}: {sentence}")]
    except Exception as error:  # noqa: BLE001
        # One of the three broad exception handlers: doctor must report on every part.
        log.warning("doctor.broken", part=name, why=type(error).__name__)
        return [Finding(False, _("{part}: the check failed ({error}).", part=name, error=error))]


def _without_configuration(environment: Environment) -> Iterator[Part]:
    """Yield what can be checked without it; key and memory at their usual places, as only the configuration knows of others."""
    yield _("Home"), partial(_home, environment)
    if (environment.home / "key").exists():
        usual = Settings.model_validate({})
        yield _("Key"), partial(_key, environment, usual)
        yield _("Memory"), partial(memory_checkup.alone, environment, usual)
    yield "Lyra", partial(_awake, environment)


async def _persona(environment: Environment, settings: Settings, app: App | None) -> list[Finding]:
    persona = app.persona if app else Persona(environment, settings.persona)
    persona.read()
    own = _("Persona: {name}.", name=persona.path)
    return [Finding(True, own if persona.is_own else _("Persona: the one that comes with Lyra."))]


async def _home(environment: Environment) -> list[Finding]:
    home = environment.home
    if not home.is_dir():
        return [Finding(False, _("Home: {home} is not a folder. lyra chat makes it; LYRA_HOME names another.", home=home))]
    free = os.statvfs(home)
    megabytes = free.f_bavail * free.f_frsize // 1_000_000
    enough = megabytes >= 100
    free_ = _("Home: {home}, {megabytes} MB free.", home=home, megabytes=number(megabytes))
    found = [Finding(enough, free_ if enough else f"{free_} {_('Free some space: under 100 MB is too little.')}")]
    if stat.S_IMODE(home.stat().st_mode) & 0o007:
        found.append(
            Finding(
                False, _("Home: everybody on this machine may look into it. Close it: chmod 700 {home}", home=quote(str(home)))
            )
        )
    return found


async def _key(environment: Environment, settings: Settings) -> list[Finding]:
    if settings.key_env:
        return [Finding(True, _("Key: from the environment variable {key_env}.", key_env=settings.key_env))]
    path = environment.path(settings.key_file) if settings.key_file else environment.home / "key"
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        sentence = _("Key: {path} is not there. Put your copy of it back; without it nobody can read the memory.", path=path)
        return [Finding(False, sentence)]
    if mode & 0o077:
        return [Finding(False, _("Key: others may read {path}. Close it: chmod 600 {path}", path=quote(str(path))))]
    return [Finding(True, _("Key: {path}. Keep a copy elsewhere: without it nobody can read the memory.", path=path))]


async def _secrets(environment: Environment, settings: Settings) -> list[Finding]:
    """Name her own files of tokens, passwords and keys of models that others may read; of one that is missing its own part tells.

    What belongs to somebody else, as the secrets of a container do, is not hers to close.
    """
    models = [backend.api_key_file for backend in settings.models.values()]
    platforms = [
        file for one in (settings.discord, settings.matrix) if one for file in (one.token_file, getattr(one, "password_file", ""))
    ]
    named = [file for file in (*models, *platforms, settings.web.token_file, settings.store.password_file) if file]
    paths = dict.fromkeys(environment.path(file) for file in named)
    return [
        Finding(False, _("Secret: others may read {path}. Close it: chmod 600 {path}", path=quote(str(path))))
        for path in paths
        if path.exists() and path.stat().st_uid == os.getuid() and stat.S_IMODE(path.stat().st_mode) & 0o007
    ]


async def _memory(environment: Environment, app: App | None) -> list[Finding]:
    return await memory_checkup.checkup(app.memory, environment.db_path) if app else []


async def _model(environment: Environment, backend: Backend, name: str, app: App | None) -> list[Finding]:
    facts = app.models.learnt.facts(backend) if app else BackendFacts()
    return [await model_checkup.checkup(environment, name, backend, facts)]


async def _unconnected(settings: Settings, app: App | None) -> list[Finding]:
    without = app.models.chat is None if app else not settings.chat
    return [Finding(True, _("Model: none. She keeps, finds and summarizes; lyra model connects one."))] if without else []


async def _platform(name: str, environment: Environment, settings: Settings, app: App | None) -> list[Finding]:
    notes: Notes = KeptNotes(app.memory.settings, name) if app else NoNotes()
    checkup: Callable[..., Awaitable[list[Finding]]] = imported(f"bot.cli.checkups.{name}_checkup:configured")
    return await checkup(settings.platforms[name], environment, notes)


async def _meaning(environment: Environment, settings: Settings, app: App | None) -> list[Finding]:
    """Embed a word with the configured embedder. Without the local model, search uses words alone, which is no fault."""
    if app:
        return [await _embedding(app.embedder_choice)]
    choice = choose_embedder(settings, environment.home, lambda name, backend: secret_of(environment, backend, name))
    try:
        return [await _embedding(choice)]
    finally:
        await choice.close()


async def _embedding(choice: EmbedderChoice) -> Finding:
    if choice.embedder is None:
        return Finding(True, choice.describe())
    try:
        vectors = await choice.embedder.embed(["kayak"])
        if choice.others:
            await choice.others.embed(["каяк"])
    except EmbeddingFailed as error:
        return Finding(False, _("Meaning: {error} Words alone find things meanwhile.", error=error))
    return Finding(True, _("Meaning (embed): {what}, {numbers} numbers a text.", what=choice.what, numbers=vectors.shape[1]))


async def _awake(environment: Environment) -> list[Finding]:
    # Checking changes nothing, so a home without a lock is not given one.
    awake = run_lock(environment.home).path.exists() and is_awake(environment.home)
    return [Finding(True, _("Lyra is awake (`lyra run`).") if awake else _("Lyra is not awake; `lyra run` wakes her."))]
