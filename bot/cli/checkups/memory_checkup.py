"""The memory check of `lyra doctor`: whether it is intact, and what is pending or was given up."""

from collections.abc import AsyncIterator
from pathlib import Path

from bot.app import key_of
from bot.cli.checkups import Finding
from bot.commands.texts import receipts
from bot.config.environment import Environment
from bot.config.home import hold_shared
from bot.config.settings import Settings
from localization.formatting import listed
from localization.numerals import number
from localization.sentences import _, ngettext, told
from memory.core import Memory
from memory.errors import DiskFull
from memory.places.scope_settings import require_room
from memory.store import home_files
from memory.store.postgresql.database_server import RowGuard, Standby, row_guard, server_status, standbys, unwritable
from memory.store.sqlite.database import SqliteDatabase
from memory.store.sqlite.write_queue import FileSharing
from memory.text.time.times import SystemClock

_NAMED = 3
"""So many tables are named."""


async def checkup(memory: Memory, path: Path) -> list[Finding]:
    """Verify an open memory, and report pending work; `path` is the file of a home without a database server."""
    await memory.db.verify()
    backlog = await memory.backlog()
    parked = await memory.journal.parked()
    where = memory.address or path
    lost = memory.marks.last_loss()
    outdated = [Finding(False, receipts.loss_notice(lost, where, SystemClock().now()))] if lost else []
    if parked:
        return [Finding(False, _("Memory: sound, but {given_up}", given_up=receipts.given_up(parked))), *outdated]
    conversations = ngettext("{n} conversation", "{n} conversations", backlog.sessions)
    found = [Finding(True, _("Memory: {path}, sound, {conversations}.", path=where, conversations=conversations)), *outdated]
    return [*found, *[one async for one in _server(memory)]] if memory.address else found


async def _server(memory: Memory) -> AsyncIterator[Finding]:
    found = await server_status(memory.db)
    server = _(
        "Database: PostgreSQL {version}, commits wait for {sync}, {used} of {most} connections are used.",
        version=found.version,
        sync=_("its disk and a copy of it") if found.has_copies else _("its disk"),
        used=number(found.used),
        most=number(found.most),
    )
    apart = _("What holds words there is sealed with the key; who gets in without it sees ids, times, counts and sizes.")
    named = ("fsync", found.fsync), ("full_page_writes", found.full_page_writes), ("synchronous_commit", found.synchronous_commit)
    settings = ", ".join(f"{name} {value}" for name, value in named) + "."
    copies = await standbys(memory.db)
    yield Finding(True, f"{server} {settings} {apart}")
    yield _guarded(await row_guard(memory.db))
    for copy in copies:
        yield _standby(copy)
    if found.has_copies and not copies:
        yield Finding(
            False,
            _(
                "Database: commits wait for a copy of it, and none follows, so that nothing I am told is kept until one does. Start "
                "the copy again, or take it out of synchronous_standby_names on the server."
            ),
        )
    if lacking := await unwritable(memory.db):
        yield Finding(
            False,
            _(
                "Database: I lack rights there (on {tables}), and what needs them fails. Give the user that [store] names those "
                "that docs/running.md lists.",
                tables=listed(lacking[:_NAMED]),
            ),
        )
    else:
        try:
            await require_room(memory.db)
        except DiskFull as full:
            yield Finding(False, _("Database: {why}", why=told(full)))
    if found.used > found.most * 0.8:
        yield Finding(False, _("Database: few connections are left. Raise max_connections on the server."))


def _guarded(by: RowGuard) -> Finding:
    if by is RowGuard.FORCED:
        return Finding(True, _("Database: the server itself shows each conversation only what its readers may know."))
    if by is RowGuard.OWN:
        return Finding(
            True,
            _(
                "Database: the server itself shows each conversation only what its readers may know, but the tables are mine, and "
                "I could lift that. docs/running.md says how I sign in as a role that owns nothing."
            ),
        )
    return Finding(
        False,
        _(
            "Database: I sign in as a superuser, so the server does not check who may know what. docs/running.md says how I sign "
            "in as a role that owns nothing."
        ),
    )


def _standby(copy: Standby) -> Finding:
    if copy.behind is None:
        return Finding(True, _("Database: a copy follows; grant me pg_read_all_stats to see how far behind it is."))
    behind = number(-(-copy.behind // 1000))
    return Finding(True, _("Database: the copy {name} is {behind} kB behind.", name=copy.name, behind=behind))


async def alone(environment: Environment, settings: Settings) -> list[Finding]:
    """Verify the memory while nothing uses it."""
    if not home_files.size(environment.db_path):
        return []
    with hold_shared(environment, SystemClock()):
        key, _path, _new = key_of(environment, settings, new=False)
        db = await SqliteDatabase.open(environment.db_path, key, FileSharing(checkpoints=False))
        try:
            await db.verify()
        finally:
            await db.close()
    return [Finding(True, _("Memory: {path}, sound.", path=environment.db_path))]
