"""`lyra key rotate`."""

from bot.app import address_of, prepare
from bot.cli.backups import in_megabytes
from bot.cli.output import show
from bot.config import home
from bot.imports import imported
from localization.sentences import _, lazy, ngettext
from memory.errors import KeyUnusable
from memory.store import home_files, rotating
from memory.text.time.times import SystemClock


async def rotate() -> int:
    """Rotate the memory's key under an exclusive lock, and say what the old one is still for."""
    around, settings = prepare()
    if settings.key_env:
        raise KeyUnusable(
            lazy(
                "The key is in {env}, where I cannot change it. Put it into a file, name that as key_file, and try again.",
                env=settings.key_env,
            )
        )
    key_path = around.path(settings.key_file) if settings.key_file else around.home / "key"
    with home.alone(around, SystemClock()):
        if address := address_of(around, settings):
            done = await imported("memory.store.postgresql.rewrapping:rewrap")(address, key_path)
        else:
            home_files.require_there(around.db_path)
            with imported("adapters.console.progress:Told")(_("Copied MB:")) as told:
                done = await rotating.rotate(around.db_path, key_path, in_megabytes(told))
    show(
        ngettext(
            "The memory, {n} message, has a new key; copy it somewhere safe: {path}",
            "The memory, {n} messages, has a new key; copy it somewhere safe: {path}",
            done.messages,
            path=key_path,
        )
    )
    show(
        _(
            "Backups from before open with the old key alone, which is kept at {old}; delete it together with the last of them.",
            old=done.old,
        )
    )
    return 0
