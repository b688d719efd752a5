"""Exclusive use of a home and its memory: one process that does everything, or several in their roles."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.app import App
from bot.errors import BadConfig
from bot.service.process_roles import Role
from bot.service.run_lock import run_lock
from bot.web.serving import page_lock
from localization.sentences import lazy
from memory.errors import HomeInUse


@contextmanager
def awake(app: App, role: Role) -> Iterator[None]:
    """Hold this home during the block: alone, or in a role beside others. Raises HomeInUse."""
    lock, page = run_lock(app.base.environment.home), page_lock(app)
    try:
        lock.require(
            lazy("Lyra is awake in this home already. One `lyra run` is enough; end it first to start another."),
            shared=role is not Role.ALL,
        )
        if role.serves:
            page.require(
                lazy("`lyra web` serves the memory page of this home already. End it first: `lyra run` serves it as well.")
            )
        yield
    finally:
        page.release()
        lock.release()


async def reserve(app: App, role: Role) -> None:
    """Hold this memory: alone, or in a role beside others. Raises HomeInUse, BadConfig."""
    db = app.memory.db
    if role is not Role.ALL and db.peers is None:
        raise BadConfig(
            lazy(
                "A role is for several processes that share a memory in a database, and this one is kept in a file. "
                "Leave --role out, or move it with: lyra move --to postgresql://…"
            )
        )
    if not await db.reserve(beside=role is not Role.ALL):
        raise HomeInUse(
            lazy(
                "Lyra is awake on {address} already, from another home. One `lyra run` is enough; end it first to start another.",
                address=app.memory.address,
            )
            if role is Role.ALL
            else lazy(
                "A `lyra run` without a role is awake on {address}, and does everything there. End it first.",
                address=app.memory.address,
            )
        )
    if role is not Role.ALL and db.peers is not None:
        await db.peers.join(role)
        if not role.works:
            app.maintenance.leave_to_others()
