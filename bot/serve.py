"""`lyra run`: Lyra awake. Platforms as configured, housekeeping every minute, and HTTP on loopback, until asked to stop."""

import secrets
import sys
from pathlib import Path

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.app import App, opened, until_stopped
from bot.web import Web
from memory import keys
from memory.locks import FileLock


async def serve() -> int:
    """Run until the process is asked to end."""
    async with opened() as app:
        lock = FileLock(app.base.around.home / "run.lock")
        lock.require("Lyra is awake in this home already. One `lyra run` is enough; end it first to start another.")
        try:
            await _serve(app)
        finally:
            lock.release()
    return 0


async def _serve(app: App) -> None:
    async with until_stopped() as stop:
        scheduler = AsyncIOScheduler(timezone="UTC")
        scheduler.add_job(app.keeper.tick, "interval", seconds=60, max_instances=1, coalesce=True)
        token = _token(app)
        web = Web(app.memory, app.keeper, token, app.base.ids)
        port = await web.start(app.base.settings.web.port)
        try:
            scheduler.start()
            print("No platform is configured: housekeeping and HTTP only.", file=sys.stderr)
            print(f"Lyra is awake: http://127.0.0.1:{port}, the token is in {_token_path(app)}.", file=sys.stderr)
            await app.keeper.tick()
            await stop.wait()
        finally:
            scheduler.shutdown(wait=False)
            await web.stop()


def _token_path(app: App) -> Path:
    name = app.base.settings.web.token_file
    return app.base.around.path(name) if name else app.base.around.home / "web-token"


def _token(app: App) -> str:
    return keys.word(_token_path(app), lambda: secrets.token_urlsafe(32))
