"""The container: with bot/talk.py the only file that imports from every package.

Everything is opened on one exit stack, in the order config, log, memory, models, adapters, and closed in reverse: adapters stop
hearing, mailboxes drain, housekeeping ends, models close, memory closes. What hears and answers is wired in bot/talk.py, which
only commands that converse load: every other command starts without it.
"""

import secrets
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.texts import receipts
from bot.config import home
from bot.config.environment import Environment, read_environment
from bot.config.sections import Backend
from bot.config.server_urls import database_url
from bot.config.settings import Settings, load, local_zone
from bot.context.persona import Persona
from bot.conversation.domain_access import DomainAccess
from bot.conversation.people import People
from bot.conversation.preferences import Preferences
from bot.dreams.dreaming import Dreams
from bot.errors import BadSecret
from bot.imports import imported
from bot.models.chains import Models
from bot.models.embedders import EmbedderChoice, choose_embedder
from bot.models.endpoints.backend_facts import BackendFacts
from bot.models.port import Model
from bot.printing import note_wait
from bot.service import costs, log
from bot.service.maintenance import Maintenance
from bot.service.priority import Priority
from bot.service.reloading import Reloading
from bot.service.sweeping import Sweeper
from localization.sentences import _, lazy
from memory.core import ConsolidationRules, Memory, Ports
from memory.dream.schedule import DreamHours
from memory.errors import WrongKey
from memory.ports import Clock, Ids
from memory.store import home_files, keys, rotating
from memory.store.file_locks import FileLock
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.sqlite.write_queue import FileSharing
from memory.text.time.times import SystemClock
from memory.tiers.drives import Thresholds
from memory.tiers.episodes import BankRules, EpisodeRules
from memory.types import MINUTE
from memory.view.view import View

if TYPE_CHECKING:
    from bot.models.endpoints.llm import OpenAIModel

_SWITCH_SECONDS = 0.001
"""The interpreter's thread switch interval: how long a busy thread may hold up the event loop.

Python's default is 5 ms, which adds up.
"""


class RandomIds:
    """Random identifiers of 128 bits, as 32 hexadecimal digits."""

    def new(self) -> str:
        """Return a new identifier."""
        return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Base:
    """What every command needs."""

    environment: Environment
    settings: Settings
    time_zone: str
    clock: Clock
    ids: Ids
    key_path: Path | None
    key_is_new: bool


@dataclass(frozen=True, slots=True)
class App:
    """Lyra with memory and models open."""

    base: Base
    memory: Memory
    models: Models
    domains: DomainAccess
    preferences: Preferences
    maintenance: Maintenance
    dreams: Dreams
    priority: Priority
    embedder_choice: EmbedderChoice
    persona: Persona
    reloading: Reloading

    async def view(self, name: str) -> View:
        """Return the view of a console identity, by default the system user's."""
        return await self.domains.view_of_account("console", name or self.base.environment.user)


def prepare() -> tuple[Environment, Settings]:
    """Read the environment and the configuration, and configure logging. Raises BadConfig."""
    environment = read_environment()
    settings = load(environment)
    log.configure(settings.log_level, environment.home / log.FILE)
    return environment, settings


def key_of(environment: Environment, settings: Settings, *, new: bool = True) -> tuple[bytes, Path | None, bool]:
    """Return the memory's key, its file, and whether it was just created, so that its user is still to be told.

    With `new`, a key is created if there is no memory yet. Raises KeyMissing, KeyUnusable, BadSecret, NotWritable, DiskFull.
    """
    if settings.key_env:
        secret = environment.secret(settings.key_env, "", lazy("The key of the memory"))
        assert secret is not None
        return keys.parse(secret.get_secret_value(), settings.key_env), None, False
    path = environment.path(settings.key_file) if settings.key_file else environment.home / "key"
    rotating.finish(environment.db_path, path)
    # The content of a server's database is not known yet: a key made for one that was sealed with another is removed again.
    there = home_files.size(path) if on_server(settings) else home_files.size(environment.db_path)
    if there or not new:
        return keys.load(path), path, False
    return keys.make(path), path, True


def on_server(settings: Settings) -> bool:
    """Return whether the memory is kept in a database server rather than in a file of the home."""
    return bool(settings.store.url or settings.store.url_env)


def address_of(environment: Environment, settings: Settings) -> DatabaseAddress | None:
    """Return the address of the database server, or None if a file of the home is used.

    Raises BadSecret, never showing the secret.
    """
    if not on_server(settings):
        return None
    store = settings.store
    url = environment.secret(store.url_env, "", lazy("The URL of the database"))
    password = environment.secret(store.password_env, store.password_file, lazy("The password of the database"))
    try:
        named = database_url(url.get_secret_value(), secret=True) if url else store.url
    except ValueError as error:
        raise BadSecret(
            'What the environment variable {env} holds is not a database; write it like "postgresql://lyra@127.0.0.1/lyra".',
            env=store.url_env,
        ) from error
    file = environment.path(store.password_file) if store.password_file else None
    return DatabaseAddress(named, password.get_secret_value() if password else None, file)


@asynccontextmanager
async def open_app(
    *, greets: bool = False, sweeps: bool = True, yields: bool = False, tell_wait: Callable[[], None] = note_wait
) -> AsyncIterator[App]:
    """Open memory and models, and close them in reverse. Announces a newly created key unless the caller `greets` the user.

    With `sweeps`, leftovers are swept periodically for as long as the memory is open; with `yields`, others write first. `tell_wait`
    is called where that takes long.
    """
    environment, settings = prepare()
    sys.setswitchinterval(_SWITCH_SECONDS)
    async with AsyncExitStack() as stack:
        base, embedder_choice, memory = await _open_memory(
            stack, environment, settings, greets=greets, yields=yields, tell_wait=tell_wait
        )
        models = Models(settings, memory.settings, partial(_open_model, environment), base.clock)
        stack.push_async_callback(models.close)
        await models.open()
        if models.writer_setup:
            await memory.know_writer(*models.writer_setup)
        stack.push_async_callback(lambda: log.carried_on(costs.save_usage(memory), "usage"))
        sweeper = Sweeper(memory, base.clock)
        stack.push_async_callback(sweeper.end)
        await sweeper.begin(again=sweeps)
        priority = Priority()
        maintenance = Maintenance(memory, models, settings, base.clock, priority)
        stack.push_async_callback(maintenance.drain)
        streaming = {name: one.streaming for name, one in settings.platforms.items()}
        people = People(settings, memory.linking)
        preferences = Preferences(memory.settings, streaming, memory.places.account_scope, people.declared)
        await preferences.open()
        domains = DomainAccess(memory, settings, preferences, base.clock, base.time_zone)
        dreams = Dreams(memory, models, settings, base.clock, priority)
        persona = Persona(environment, settings.persona)
        reloading = Reloading(environment, settings, models, persona, memory)
        yield App(
            base, memory, models, domains, preferences, maintenance, dreams, priority, embedder_choice, persona, reloading
        )  # fmt: skip


async def _open_memory(
    stack: AsyncExitStack,
    environment: Environment,
    settings: Settings,
    *,
    greets: bool,
    yields: bool,
    tell_wait: Callable[[], None],
) -> tuple[Base, EmbedderChoice, Memory]:
    """Hold the home and open its memory and the embedders, all of which the stack closes."""
    clock, address = SystemClock(), address_of(environment, settings)
    if aside := stack.enter_context(home.hold_shared(environment, clock, kept_here=address is None)):
        print(_("The restore that was cut off is finished."), receipts.set_aside(aside, local_zone(settings)), file=sys.stderr)
    checkpoint = FileLock(environment.home / "checkpoint.lock")
    stack.callback(checkpoint.release)
    key, key_path, made = key_of(environment, settings)
    base = Base(environment, settings, local_zone(settings), clock, RandomIds(), key_path, made)
    embedder_choice = choose_embedder(settings, environment.home, lambda name, backend: secret_of(environment, backend, name))
    stack.push_async_callback(embedder_choice.close)
    ports = Ports(base.clock, base.ids, embedder_choice.embedder, embedder_choice.others)
    environment.db_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        opening = await Memory.open(
            environment.db_path, key, ports, consolidation_rules(settings), address=address,
            sharing=FileSharing(checkpoint.take(), yields, tell_wait),
        )  # fmt: skip
    except WrongKey:
        if made and key_path:
            keys.remove_new_key(key_path, key)
        raise
    memory = await stack.enter_async_context(opening)
    if made and not greets:
        print(key_notice(key_path, settings), file=sys.stderr)
    return base, embedder_choice, memory


def key_notice(path: object, settings: Settings) -> str:
    """Return the notice about a newly created key."""
    if on_server(settings):
        return _("Backups are encrypted; copy this key somewhere safe: {path}", path=path)
    return _("Memory is encrypted; copy this key somewhere safe: {path}", path=path)


def consolidation_rules(settings: Settings) -> ConsolidationRules:
    """Return the consolidation rules from the configuration."""
    rules = EpisodeRules(settings.summarize_after, settings.episode_idle_minutes, settings.episode_least)
    bank = BankRules(
        settings.conversation_idle_minutes,
        settings.max_turns_per_summary,
        settings.memory_bank_max_tokens,
        settings.compression_headroom,
    )
    dream = settings.dream
    hours = DreamHours(time.fromisoformat(dream.night) if dream.night else None, dream.every_minutes * MINUTE)
    thresholds = Thresholds(dream.continuity, dream.coherence, dream.curiosity, dream.stability)
    return ConsolidationRules(
        rules, settings.max_transcript_chars, bank, settings.recall_megabytes << 20, hours, thresholds, settings.retention.model_dump()
    )  # fmt: skip


def secret_of(environment: Environment, backend: Backend, name: str) -> str | None:
    """Return the API key of a backend, or None if it names none. Raises BadSecret."""
    secret = environment.secret(backend.api_key_env, backend.api_key_file, lazy("The key of [models.{name}]", name=name))
    return secret.get_secret_value() if secret else None


def _open_model(
    environment: Environment, name: str, backend: Backend, tries: int, waits: Sequence[float], facts: BackendFacts
) -> Model:
    model: type[OpenAIModel] = imported("bot.models.endpoints.llm:OpenAIModel")
    return model(name, backend, secret_of(environment, backend, name), facts, tries=tries, waits=waits)
