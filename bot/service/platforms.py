"""The adapters of the configured platforms. A platform's library is loaded only where it is configured."""

from functools import partial
from typing import TYPE_CHECKING

from adapters.base import Adapter
from bot.app import App
from bot.config.sections import Matrix
from bot.errors import BadConfig
from bot.service.notes import KeptNotes

if TYPE_CHECKING:
    from adapters.matrix.account.account import Access as MatrixAccess


def platforms(app: App) -> dict[str, Adapter]:
    """Return the adapters of the configured platforms, not yet connected. Raises BadSecret."""
    found: dict[str, Adapter] = {}
    if (chosen := app.base.settings.discord) is not None:
        from adapters.discord.adapter import Access, Discord

        token = app.base.around.secret(chosen.token_env, chosen.token_file, "The token of [discord]")
        assert token is not None
        access = Access(
            token.get_secret_value(), chosen.api_url, chosen.gateway_url, chosen.message_content, frozenset(chosen.bots)
        )
        notes = KeptNotes(app.memory.places, Discord.platform)
        found[Discord.platform] = Discord(access, notes, partial(app.preferences.gate, Discord.platform), app.base.clock.now)
    if (account := app.base.settings.matrix) is not None:
        from adapters.matrix.adapter import Matrix as MatrixAdapter

        found[MatrixAdapter.platform] = _matrix(app, account)
    return found


def matrix_access(app: App) -> "MatrixAccess":
    """Return how to reach her account on Matrix. Raises BadConfig where there is none."""
    from adapters.matrix.account.account import Access as MatrixAccess

    account, around = app.base.settings.matrix, app.base.around
    if account is None:
        raise BadConfig("There is no [matrix] in the configuration.")
    password = around.secret_if_there(account.password_env, account.password_file)
    token = around.secret_if_there(account.token_env, account.token_file)
    return MatrixAccess(account.homeserver, account.user_id, password, token, account.device_name)


def _matrix(app: App, account: Matrix) -> Adapter:
    from adapters.matrix.adapter import Matrix as MatrixAdapter

    around = app.base.around
    invites = (
        account.invites if account.invites is not None else [one for p in app.base.settings.people.values() for one in p.matrix]
    )
    return MatrixAdapter(
        matrix_access(app), around.home / "matrix", KeptNotes(app.memory.places, MatrixAdapter.platform), app.base.clock.now,
        prefix=account.prefix, invites=invites if isinstance(invites, str) else frozenset(invites), bots=frozenset(account.bots),
        waived=partial(app.preferences.waived, MatrixAdapter.platform),
    )  # fmt: skip
