"""`lyra matrix …`: the keys of her account, for the operator."""

import sys
from collections.abc import Awaitable, Callable

from adapters.errors import PlatformFailure
from adapters.matrix.account.account import Account
from bot.app import App, opened
from bot.cli.checkups.matrix_checkup import said_once
from bot.cli.output import show
from bot.errors import LyraError
from bot.service.notes import KeptNotes
from bot.service.platforms import matrix_access
from localization.sentences import _, lazy
from memory.store.locks import FileLock


async def recovery_key() -> int:
    """Print the recovery key with which the owner's other clients can verify her."""

    async def shown(account: Account, app: App) -> None:
        show(_("Sign in to her account in another client with this recovery key to verify her; keep it secret."), file=sys.stderr)
        print(await account.recovery_key())

    return await with_account(shown)


async def replace_identity() -> int:
    """Replace a cross-signing identity whose keys she does not have."""

    async def replaced(account: Account, app: App) -> None:
        await account.replace_identity(matrix_access(app).password)

    return await with_account(replaced)


async def with_account(work: Callable[[Account, App], Awaitable[None]], *, opens: bool = True) -> int:
    """Run work with her account, signed in first if it `opens`, and print notices for the operator; return 0."""
    async with opened() as app:
        lock = FileLock(app.base.around.home / "run.lock")
        lock.require(lazy("Lyra is awake, and her keys are in use. End `lyra run` first."))
        access = matrix_access(app)
        account = Account(access, app.base.around.home / "matrix", KeptNotes(app.memory.settings, "matrix"))
        try:
            if opens:
                await account.open()
            await work(account, app)
            for sentence in account.said:
                show(sentence, file=sys.stderr)
        except PlatformFailure as failure:
            raise LyraError(said_once(failure, access.homeserver)) from None
        finally:
            await account.close()
            lock.release()
    return 0
