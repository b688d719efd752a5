"""The memory as a whole: `lyra backup`, `lyra restore`, `lyra move`, and `lyra key rotate`, after which backups from before open with the old key alone."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.app import RandomIds, address_of, key_of, on_server, open_app, prepare
from bot.cli.output import confirm, copy_progress
from bot.commands.texts import receipts
from bot.config import home
from bot.config.environment import Environment
from bot.config.server_urls import database_url
from bot.config.settings import Settings, local_zone
from bot.errors import BadInput
from bot.imports import imported
from bot.printing import note, show
from bot.setup.config_file import ConfigFile
from localization.sentences import _, lazy, ngettext
from memory.core import Memory, Ports
from memory.errors import BackupFailed, KeyUnusable, MemoryFailure
from memory.places.scope_settings import KeptSetting
from memory.store import home_files, restoring, rotating
from memory.store.postgresql.database_server import SCHEMA, DatabaseAddress
from memory.text.time.times import SystemClock

FILE = "file"


async def backup(file: Path) -> None:
    """Write a verified backup and say how to keep it."""
    async with open_app() as app:
        with copy_progress() as progress:
            held = await app.memory.backup(file.absolute(), progress)
        done = ngettext(
            "Backed up {n} message to {file}, read back and sound.",
            "Backed up {n} messages to {file}, read back and sound.",
            held,
            file=file,
        )
        key = app.base.key_path
        apart = _("It opens with the same key, {key}; keep them apart.", key=key) if key else ""
        show(f"{done} {apart}".rstrip())


async def restore(file: Path, yes: bool) -> int:
    """Replace the memory with a backup, under an exclusive lock, and drop from it what was forgotten since it was made."""
    environment, settings = prepare()
    if not file.is_file():
        raise BackupFailed("There is no backup at {file}.", file=file)
    clock = SystemClock()
    with home.hold_exclusive(environment, clock):
        _openable(file, environment, settings)
    address = address_of(environment, settings)
    existing = address or (environment.db_path if home_files.size(environment.db_path) else None)
    if existing and not confirm(_("Replace {db_path} with {file}?", file=file, db_path=existing), yes=yes):
        note(_("Nothing was restored. Say --yes to replace the memory with it."))
        return 1
    with home.hold_exclusive(environment, clock):
        # Checked again: the key may have been rotated while the question waited for its answer.
        key = _openable(file, environment, settings)
        chosen = await _finish_forgetting(environment.db_path, key, address) if existing else None
        with copy_progress() as progress:
            held = await restoring.stage(file, key, environment.db_path, progress)
        messages = await _without_the_forgotten(file, key, environment.db_path, chosen)
        if address:
            replace = imported("memory.store.postgresql.moving:replace")
            with copy_progress() as progress:
                aside = await replace(address, environment.db_path, key, progress)
        else:
            restoring.decide(environment.db_path)
            aside = restoring.finish(environment.db_path, clock.now())
    show(ngettext("Restored {n} message from {file}.", "Restored {n} messages from {file}.", messages, file=file)
          + (" " + ngettext("{n} that was forgotten since stays forgotten.", "{n} that were forgotten since stay forgotten.", held - messages) if held > messages else "")
          + (f" {receipts.set_aside(aside, local_zone(settings))}" if aside else ""))  # fmt: skip
    return 0


async def rotate() -> None:
    """Rotate the memory's key under an exclusive lock, and say what the old one is still for."""
    environment, settings = prepare()
    if settings.key_env:
        raise KeyUnusable(
            "The key is in {env}, where I cannot change it. Put it into a file, name that as key_file, and try again.",
            env=settings.key_env,
        )
    key_path = environment.path(settings.key_file) if settings.key_file else environment.home / "key"
    with home.hold_exclusive(environment, SystemClock()):
        if address := address_of(environment, settings):
            done = await imported("memory.store.postgresql.sealing.rewrapping:rewrap")(address, key_path)
        else:
            home_files.require_there(environment.db_path)
            with copy_progress() as progress:
                done = await rotating.rotate(environment.db_path, key_path, progress)
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


def _openable(file: Path, environment: Environment, settings: Settings) -> bytes:
    """Return the memory's key. Raises BackupFailed if it opens no backup in the file."""
    key, key_path, _made = key_of(environment, settings, new=False)
    if key_path and (old := rotating.made_before(file, key, key_path)):
        raise BackupFailed(
            "{file} was made before the key was changed: it opens with {old} alone. Restore it into an empty home "
            "(LYRA_HOME) that has a copy of that as its key.",
            file=file,
            old=old,
        )
    restoring.require_backup(file, key)
    return key


async def _finish_forgetting(path: Path, key: bytes, address: DatabaseAddress | None) -> Sequence[KeptSetting] | None:
    """Complete the tombstone log with forgetting that a killed command began: only the memory to be set aside knows of it.

    Returns what was chosen in it, None if it cannot be read.
    """
    with suppress(MemoryFailure):  # An unreadable memory may be why it is being replaced.
        async with await Memory.open(path, key, Ports(SystemClock(), RandomIds()), address=address) as memory:
            return await memory.chosen()
    return None


async def _without_the_forgotten(file: Path, key: bytes, path: Path, chosen: Sequence[KeptSetting] | None) -> int:
    """Forget in a staged backup what was forgotten since it was made, and apply the current opt-outs and links.

    Returns the number of messages left.
    """
    try:
        async with await Memory.open(restoring.staging_path(path), key, Ports(SystemClock(), RandomIds())) as memory:
            if chosen is not None:
                await memory.take_over(chosen)
            await memory.db.checkpoint()
        return await restoring.verified(restoring.staging_path(path), key)
    except MemoryFailure as error:
        restoring.clear(path)
        raise BackupFailed("Nothing was restored from {file}: {error}", file=file, error=error) from error


async def move(to: str, password_env: str, yes: bool) -> int:
    """Move the memory into a database, or back into a file, under an exclusive lock; the configuration is changed last."""
    environment, settings = prepare()
    if to == FILE:
        return await _out(environment, settings, yes)
    return await _into(environment, settings, to, password_env, yes)


async def _into(environment: Environment, settings: Settings, url: str, password_env: str, yes: bool) -> int:
    try:
        named = database_url(url, secret=False)
    except ValueError as error:
        reason = str(error)
        raise BadInput(f"{reason[:1].upper()}{reason[1:]}.") from error
    config = ConfigFile(environment.config_path)
    if on_server(settings):
        address = address_of(environment, settings)
        if settings.store.url != named:
            raise BadInput(_("The memory is in a database already. Move it back first, with: lyra move --to file"))
        if not home_files.size(environment.db_path):
            show(_("The memory is in {place} already.", place=address))
            return 0
    else:
        password = environment.secret(password_env, "", lazy("The password of the database"))
        address = DatabaseAddress(named, password.get_secret_value() if password else None)
    assert address is not None
    if not _agreed(_("Move the memory into {place}?", place=address), yes):
        return 1
    clock = SystemClock()
    with home.hold_exclusive(environment, clock):
        home_files.require_there(environment.db_path)
        key, _path, _made = key_of(environment, settings, new=False)
        # Finish what a killed command began to forget before copying.
        async with await Memory.open(environment.db_path, key, Ports(clock, RandomIds())) as memory:
            await memory.db.checkpoint()
        into = imported("memory.store.postgresql.moving:into")
        with copy_progress() as progress:
            async with into(address, environment.db_path, key, progress) as moved:
                if not on_server(settings):
                    config.set("store", "url", to=named)
                    if password_env:
                        config.set("store", "password_env", to=password_env)
                    config.write()
                aside = restoring.set_aside_memory(restoring.put_aside(environment.db_path, clock.now()))
                home_files.sync(environment.db_path.parent)
    show(f"{_moved(moved, address)} {receipts.set_aside(aside, local_zone(settings))}")
    return 0


async def _out(environment: Environment, settings: Settings, yes: bool) -> int:
    address = address_of(environment, settings)
    if address is None:
        show(_("The memory is in {place} already.", place=environment.db_path))
        return 0
    if not _agreed(_("Move the memory into {place}?", place=environment.db_path), yes):
        return 1
    config, clock = ConfigFile(environment.config_path), SystemClock()
    with home.hold_exclusive(environment, clock):
        key, _path, _made = key_of(environment, settings, new=False)
        if not home_files.size(environment.db_path):
            async with await Memory.open(environment.db_path, key, Ports(clock, RandomIds()), address=address):
                pass
        out_of = imported("memory.store.postgresql.moving:out_of")
        with copy_progress() as progress:
            async with out_of(address, environment.db_path, key, progress) as moved:
                if not home_files.size(environment.db_path):
                    restoring.decide(environment.db_path)
                    restoring.finish(environment.db_path, clock.now())
                config.drop_section("store")
                config.write()
    dropped = _(
        "The database still holds what it held; drop that once you are content, with: DROP SCHEMA {schema} CASCADE", schema=SCHEMA
    )
    show(f"{_moved(moved, environment.db_path)} {dropped}")
    return 0


def _agreed(question: str, yes: bool) -> bool:
    if confirm(question, yes=yes):
        return True
    note(_("Nothing was moved. Say --yes to move it."))
    return False


def _moved(messages: int, place: object) -> str:
    return ngettext(
        "Moved {n} message into {place}, read back and the same.",
        "Moved {n} messages into {place}, read back and the same.",
        messages,
        place=place,
    )
