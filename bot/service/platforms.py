"""The adapters of the configured platforms, and their notes. A platform's library is imported only if it is configured."""

from functools import partial
from typing import TYPE_CHECKING, Any

from adapters.base import Adapter
from bot.app import App
from bot.config.environment import Environment
from bot.config.sections import DiscordSection, MatrixSection
from bot.errors import BadConfig
from bot.imports import imported
from bot.service.patient_listener import PatientNotes
from localization.sentences import lazy
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.places.scope_settings import KeptSettings
from memory.store import home_files
from memory.store.peers import Peers

if TYPE_CHECKING:
    from adapters.discord.adapter import Discord
    from adapters.discord.connection import AccountAccess
    from adapters.discord.limits import Turn
    from adapters.discord.resuming.session_position import SealedStorage
    from adapters.matrix.account.account import Credentials as MatrixCredentials
    from adapters.matrix.adapter import Matrix

_UNASKED_SECONDS = 1.0
_LEFT_SECONDS = 3600.0
"""How long what a connection left stays on the disk if it is not asked for; platforms forget their side within minutes."""


def platforms(app: App) -> dict[str, Adapter]:
    """Return the adapters of the configured platforms, not yet connected. Raises BadSecret."""
    found: dict[str, Adapter] = {}
    if (chosen := app.base.settings.discord) is not None:
        found["discord"] = _discord(app, chosen)
    if (account := app.base.settings.matrix) is not None:
        found["matrix"] = _matrix(app, account)
    return found


def matrix_access(app: App) -> "MatrixCredentials":
    """Return the access to her account on Matrix. Raises BadConfig if there is none."""
    if app.base.settings.matrix is None:
        raise BadConfig("There is no [matrix] in the configuration. `lyra setup` asks for her account there.")
    return access_to_matrix(app.base.settings.matrix, app.base.environment)


def access_to_matrix(account: MatrixSection, environment: Environment) -> "MatrixCredentials":
    """Return the access to an account on Matrix. Raises BadSecret."""
    password = environment.secret_if_there(account.password_env, account.password_file)
    token = environment.secret_if_there(account.token_env, account.token_file)
    access: type[MatrixCredentials] = imported("adapters.matrix.account.account:Credentials")
    return access(account.homeserver, account.user_id, password, token, account.device_name)


def _discord(app: App, chosen: DiscordSection) -> Adapter:
    adapter: type[Discord] = imported("adapters.discord.adapter:Discord")
    access: type[AccountAccess] = imported("adapters.discord.connection:AccountAccess")
    token = app.base.environment.secret(chosen.token_env, chosen.token_file, lazy("The token of [discord]"))
    assert token is not None
    return adapter(
        access(
            token.get_secret_value(),
            chosen.api_url,
            chosen.gateway_url,
            chosen.message_content,
            frozenset(chosen.bots),
            chosen.shards,
        ),
        _notes(app, "discord"),
        partial(app.preferences.gate, "discord"),
        app.base.clock.now,
        turn=_turn(app.memory.db.peers),
        vault=vault_of(app.memory),
    )


def _notes(app: App, platform: str) -> PatientNotes:
    return PatientNotes(platform, KeptNotes(app.memory.settings, platform), app.memory.db.hurried)


def vault_of(memory: Memory) -> "SealedStorage | None":
    """Return where connections leave what the next start goes on with; None if the memory is not encrypted."""
    key = memory.key_for(home_files.LEFT)
    if key is None:
        return None
    files = imported("memory.store.sealed_files:SealedFiles")
    vault: SealedStorage = files(memory.path.with_name(home_files.LEFT), key, _LEFT_SECONDS)
    return vault


def _turn(peers: Peers | None) -> "Turn | None":
    """Return the rate limiter shared by all processes of a memory, None if there is only this one."""
    if peers is None:
        return None

    async def turn(name: str, a_second: float) -> float:
        try:
            return await peers.slot(name, a_second)
        except MemoryFailure:
            # If the database cannot be asked, wait a fixed time.
            return _UNASKED_SECONDS

    return turn


def _matrix(app: App, account: MatrixSection) -> Adapter:
    adapter: type[Matrix] = imported("adapters.matrix.adapter:Matrix")
    environment = app.base.environment
    invites = (
        account.invites if account.invites is not None else [one for p in app.base.settings.people.values() for one in p.matrix]
    )
    return adapter(
        matrix_access(app), environment.home / "matrix", _notes(app, "matrix"), app.base.clock.now,
        prefix=account.prefix, invites=invites if isinstance(invites, str) else frozenset(invites), bots=frozenset(account.bots),
        waived=partial(app.preferences.waived, "matrix"),
    )  # fmt: skip


class KeptNotes:
    """The notes of a platform's adapter."""

    def __init__(self, kept: KeptSettings, platform: str) -> None:
        self._kept = kept
        self._scope = f"adapter:{platform}"

    async def get(self, name: str) -> Any:
        return await self._kept.get(self._scope, name)

    async def put(self, name: str, value: Any) -> None:
        await self._kept.set(self._scope, name, value)


class NoNotes:
    """Empty notes, for an adapter without an open memory."""

    async def get(self, name: str) -> Any:
        """Return None."""

    async def put(self, name: str, value: Any) -> None:
        """Store nothing."""
