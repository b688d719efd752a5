"""`lyra move`: the memory into a PostgreSQL database, or back into a file."""

from bot.app import RandomIds, address_of, key_of, on_server, prepare
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
from memory.store import home_files, restoring
from memory.store.postgresql.address import SCHEMA, DatabaseAddress
from memory.text.time.times import SystemClock

FILE = "file"


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
